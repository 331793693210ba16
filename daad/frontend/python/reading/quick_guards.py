"""Whether all that was seen would be seen again, asked of identities first: a call should not take longer for it."""

from __future__ import annotations

import builtins
import keyword
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from daad.frontend.python.reading.guards import CONTAINERS, Absent, Definition, Named, Witness, content
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.syntax.source import Cells

Check = Callable[[], bool]
PREFIX = "_seen_"


def unchanged(witnesses: Sequence[Witness]) -> Check:
    """A function that tells whether all of them hold.

    Where names still stand for the same objects, and functions have the same code, they do; if not, or if that does not
    say enough, each is asked itself.
    """
    if not witnesses:
        return lambda: True
    quick = _Conditions.of(witnesses).check()

    def holds() -> bool:
        try:
            if quick():
                return True
        except (NameError, KeyError, ValueError):
            pass  # a name has gone
        return all(witness.holds() for witness in witnesses)

    return holds


@dataclass
class _Conditions:
    """Conditions as text, with the objects that they name; `by_place` those on global names of a module, which Python
    looks up fastest in a function of that module."""

    others: list[str] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    by_place: dict[int, tuple[dict[str, Any], list[str]]] = field(default_factory=dict)

    @staticmethod
    def of(witnesses: Sequence[Witness]) -> _Conditions:
        made = _Conditions()
        for witness in witnesses:
            made._add(witness)
        return made

    def check(self) -> Check:
        """True if all conditions hold; may raise where they do not."""
        for place, conditions in self.by_place.values():
            self.others.append(f"{self._stored(self._function(conditions, place))}()")
        return self._function(self.others, {})

    def _function(self, conditions: Sequence[str], names: dict[str, Any]) -> Check:
        body = " and ".join(conditions)
        stored = sorted({int(number) for number in re.findall(rf"\b{PREFIX}(\d+)\b", body)})
        scratch: dict[str, Any] = {}
        exec(f"def outer({', '.join(f'{PREFIX}{k}' for k in stored)}):\n    return lambda: {body}", scratch)
        inner = scratch["outer"](*[self.objects[k] for k in stored])
        return types.FunctionType(inner.__code__, names, "unchanged", None, inner.__closure__)

    def _stored(self, value: Any) -> str:
        self.objects.append(value)
        return f"{PREFIX}{len(self.objects) - 1}"

    def _add(self, witness: Witness) -> None:
        found = None
        if isinstance(witness, Named):
            found = self._named(witness)
        elif isinstance(witness, Definition):
            found = self._defined(witness)
        elif isinstance(witness, Absent):
            found = self._absent(witness)
        if not found:
            self.others.append(f"{self._stored(witness.holds)}()")

    def _named(self, witness: Named) -> bool:
        if witness.content is not None and not _is_fixed(witness.seen):
            return False
        place = witness.place
        if witness.seen is not MISSING and _is_variable(place, witness.name):
            self._global(place, witness.name, witness.seen)
            return True
        if isinstance(place, Cells) and witness.seen is not MISSING:
            cell, seen = map(self._stored, (place.cell(witness.name), witness.seen))
            self.others.append(f"{cell}.cell_contents is {seen}")
            return True
        if not isinstance(place, dict | types.MappingProxyType):
            return False
        look_up, absent, seen = map(self._stored, (place.get, MISSING, witness.seen))
        self.others.append(f"{look_up}({witness.name!r}, {absent}) is {seen}")
        return True

    def _absent(self, witness: Absent) -> bool:
        """A name that stands for what Python calls so, wherever that is found, is not in the way."""
        known = vars(builtins)
        if not all(name in known and _is_variable(witness.place, name) for name in witness.names):
            return False
        for name in sorted(witness.names):
            self._global(witness.place, name, known[name])
        return True

    def _global(self, place: Any, name: str, seen: Any) -> None:
        conditions = self.by_place.setdefault(id(place), (place, []))[1]
        conditions.append(f"{name} is {self._stored(seen)}")

    def _defined(self, witness: Definition) -> bool:
        function = witness.function
        positional, named = function.__defaults__, function.__kwdefaults__
        held = (content(positional) if positional else (), content(named) if named else ())
        if held != (witness.defaults, witness.keywords):
            return False
        values = [*(positional or ()), *(named or {}).values()]
        if not all(map(_is_fixed, values)):
            return False
        of, code, defaults, keywords = map(self._stored, (function, witness.code, positional, named))
        self.others.append(f"{of}.__code__ is {code} and {of}.__defaults__ is {defaults}")
        self.others.append(f"{of}.__kwdefaults__ is {keywords}")
        if named:
            self.others.append(f"len({keywords}) == {len(named)}")
            self.others += [f"{keywords}[{name!r}] is {self._stored(value)}" for name, value in named.items()]
        return True


def _is_variable(place: Any, name: str) -> bool:
    is_name = name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"
    return type(place) is dict and is_name and not name.startswith(PREFIX)


def _is_fixed(value: Any) -> bool:
    """Whether the object itself tells what it holds."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_is_fixed, value))
    return isinstance(value, frozenset) or not isinstance(value, CONTAINERS)
