"""What the functions of a program may change of the module that they stand in, as far as their code tells.

Each change of something from outside makes the whole program be read again (see outside_copies.py); what is found here
is known at the first one.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from daad.frontend.installed_code import is_library, is_of_library

FEW = 64
"""Items, those of inner containers included, of a container that is taken for a state and not for a table."""


def assigned_globals(program: Iterable[Any], names: Mapping[str, Any]) -> frozenset[str]:
    """The global variables of this module that the functions of a program assign."""
    reached = (f for f in _reached(program) if f.__globals__ is names)
    return frozenset(name for f in reached for code in _codes(f.__code__) for name in _stored(code))


def small_containers(program: Iterable[Any]) -> list[Any]:
    """The small lists, dicts and sets that are global variables which occur in the functions of a program."""
    found = {}
    for reached in _reached(program):
        for value in _mentioned(reached):
            if type(value) in (list, dict, set) and _count(value) <= FEW:
                found[id(value)] = value
    return list(found.values())


def _reached(program: Iterable[Any]) -> Iterator[FunctionType]:
    """The functions, and those of their modules whose names occur in them, and so on."""
    seen: dict[int, FunctionType] = {}
    pending = list(program)
    while pending:
        value = pending.pop()
        if isinstance(value, type) and not is_of_library(value):
            pending += [v for v in vars(value).values() if isinstance(v, FunctionType) and id(v) not in seen]
        elif isinstance(value, FunctionType) and id(value) not in seen and not is_of_library(value):
            seen[id(value)] = value
            yield value
            pending += _mentioned(value)


def _mentioned(function: FunctionType) -> Iterator[Any]:
    """Values of the global names, and of the modules' attributes, that occur in the code."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    own = [function.__globals__[name] for name in names if name in function.__globals__]
    yield from own
    for module in own:
        if isinstance(module, ModuleType) and not is_library(module.__name__):
            yield from (vars(module)[name] for name in names if name in vars(module))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _stored(code: CodeType) -> Iterator[str]:
    return (one.argval for one in dis.get_instructions(code) if one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def _count(value: Any) -> int:
    if not isinstance(value, list | dict | set | tuple):
        return 1
    total = 0
    for item in value.values() if isinstance(value, dict) else value:
        total += _count(item)
        if total > FEW:
            break
    return total
