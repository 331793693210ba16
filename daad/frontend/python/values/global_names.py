"""What `globals()` gives: the global variables of the module that the function stands in, to be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Unknown

WHOLE = ("'globals()' is used as a whole.", "Ask for single names, as in '\"name\" in globals()'.")


class GlobalNames(Mapping[str, Any]):
    """The names of a module, those that the program assigns included."""

    def __init__(self, reader: Reader, names: Mapping[str, Any]) -> None:
        self._reader, self._names = reader, names

    def __contains__(self, name: object) -> bool:
        return self._found(str(name)) is not MISSING

    def __getitem__(self, name: str) -> Any:
        found = self._found(name)
        if found is MISSING:
            raise KeyError(name)
        return found

    def _found(self, name: str) -> Any:
        reader, names = self._reader, self._names
        if (id(names), name) in reader.shared:
            held = vars(reader.globals[id(names)])
            reader.note_read((id(held), name))
            found = held.get(name, MISSING)
            return reader.usable(found) if isinstance(found, Unknown) else found
        if name not in names:
            reader.witnesses.absent(names, name)
            return MISSING
        reader.witnesses.name(names, name, names[name])
        return reader.from_outside(names[name])

    def __iter__(self) -> Iterator[str]:
        self._refuse()

    def __len__(self) -> int:
        self._refuse()

    def _refuse(self) -> NoReturn:
        self._reader.stage.refuse(*WHOLE)
