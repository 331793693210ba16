"""Objects, containers, arrays and globals from outside that the program changes: it works with twins of its own.

What a call leaves behind is not the program's answer, and arguments stay as they are: a change is made to the twin, as
if the state before were made again at each call. Which things need twins turns out while the program is read: it is
read again from the beginning, where all twins are made.
"""

from __future__ import annotations

import functools
import threading
import types
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from daad.frontend.installed_code import is_library, is_of_library, is_read
from daad.frontend.python.reading.environment import Attributed
from daad.frontend.python.reading.reader import Reader, Restart
from daad.frontend.python.reading.scope import MISSING, Closure
from daad.frontend.python.syntax.reachable_names import small_containers
from daad.frontend.python.values import objects

HOME = "<outside>"
"""The name, in the outermost call, of all twins: control flow saves and restores what variables hold."""


class Globals(Attributed):
    """The global variables of a module, or the attributes of a class or function, that functions assign."""


def shared_place(owner: Any) -> tuple[int, Mapping[str, Any]] | None:
    """Where a module, class or function of the program has attributes, which may be assigned as globals are."""
    if not isinstance(owner, types.ModuleType | types.FunctionType) and type(owner) is not type:
        return None
    if is_library(owner.__name__) if isinstance(owner, types.ModuleType) else is_of_library(owner):
        return None
    return id(owner if isinstance(owner, type) else vars(owner)), vars(owner)


def shared_attribute(reader: Reader, value: Any, name: str) -> Any:
    """An attribute that functions assign, of a module, a class or a function, or found in the class of an object;
    `MISSING` for any other."""
    for owner in _searched(value):
        found = shared_place(owner)
        if found is not None and (found[0], name) in reader.shared:
            if name in reader.shared_names(*found, name):
                held = reader.shared_value(found[0], name)
                return functools.partial(held, value) if _is_method(held, value) else held
            reader.note_read((id(reader.shared_names(*found, name)), name))
        elif name in vars(owner):
            break
    return MISSING


def _searched(value: Any) -> Iterator[Any]:
    """Where Python looks for an attribute that an object itself does not have."""
    if isinstance(value, types.ModuleType | types.FunctionType):
        yield value
    else:
        yield from (value if isinstance(value, type) else type(value)).__mro__


def _is_method(held: Any, value: Any) -> bool:
    of_object = not isinstance(value, type | types.ModuleType | types.FunctionType)
    return of_object and isinstance(held, types.FunctionType | Closure)


def require_twin(reader: Reader, value: Any, message: str, hint: str) -> NoReturn:
    """All is read again with a twin of the value, which the program changes; refused if it cannot have one."""
    original = reader.originals.get(id(value), value)
    if id(original) in reader.twice:
        reader.stage.refuse(
            "What the arguments hold in two places is changed, and each place has arrays of its own.",
            "Pass a copy in one of them.",
        )
    if not _can_have_one(reader, original) or id(original) in reader.changed:
        reader.stage.refuse(message, hint)
    reader.changed[id(original)] = original
    reader.changed.update({id(other): other for other in small_containers(reader.functions())})
    reader.plans.clear()
    raise Restart


def _can_have_one(reader: Reader, value: Any) -> bool:
    if isinstance(value, list | dict | set | deque):
        return type(value) in (list, dict, set, deque)
    cls = type(value)
    if is_of_library(cls) and cls not in (types.SimpleNamespace, threading.local) and not is_read(cls.__module__):
        return False
    if isinstance(value, type | types.FunctionType | types.ModuleType | tuple):
        return False
    return hasattr(value, "__dict__") or any(vars(base).get("__slots__") for base in cls.__mro__[:-1])


def enter(reader: Reader) -> None:
    """Makes all twins; they hold each other where the originals do."""
    for original in reader.changed.values():
        cls = types.SimpleNamespace if type(original) is threading.local else type(original)
        made = objects.make(reader, cls) if _is_object(original) else cls()
        if isinstance(original, deque):
            made = deque(maxlen=original.maxlen)
        reader.twins[id(original)] = made
        reader.originals[id(made)] = original
    for (where, name), names in reader.shared.items():
        held = reader.globals.setdefault(where, Globals())
        if name in names:
            reader.witnesses.name(names, name, names[name])
            vars(held)[name] = reader.from_outside(names[name])
    for original in reader.changed.values():
        _fill(reader, reader.twins[id(original)], original)
    reader.scope.values[HOME] = (*reader.twins.values(), *reader.globals.values())


def _fill(reader: Reader, twin: Any, original: Any) -> None:
    if isinstance(original, dict):
        twin.update((key, reader.from_outside(item)) for key, item in original.items())
    elif isinstance(original, list | deque):
        twin.extend(reader.from_outside(item) for item in original)
    elif isinstance(original, set):
        twin.update(original)
    else:
        reader.witnesses.typed(original)
        for name in objects.attributes_of(original):
            reader.witnesses.attribute(original, name)
            vars(twin)[name] = reader.from_outside(getattr(original, name))


def _is_object(value: Any) -> bool:
    return not isinstance(value, list | dict | set | deque)
