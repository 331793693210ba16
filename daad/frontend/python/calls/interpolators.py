"""Interpolators of SciPy's own that a program calls with data: what stands for them is read."""

from __future__ import annotations

import types
from typing import Any

from daad.frontend.library.solvers import scattered
from daad.frontend.library.solvers.piecewise import stands_for
from daad.frontend.python.calls.library_python import concerns_data, with_known_numbers
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.objects import Opened
from daad.frontend.staging.values import is_staged


def read_instead(reader: Reader, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What to call instead of an interpolator, or of one of its methods; None for others."""
    holder = getattr(function, "__self__", None)
    owner = function if holder is None or isinstance(holder, types.ModuleType | type) else holder
    if not type(owner).__module__.startswith(("scipy.interpolate", "scipy.spatial")):
        return None
    if (
        not concerns_data(reader, args, keywords)
        or isinstance(owner, Opened)
        or is_staged(getattr(owner, "__dict__", {}))
    ):
        return None
    made = _made(reader, owner)
    return made if made is None or owner is function else getattr(made, function.__name__, None)


def of_constants(
    reader: Reader, function: Any, args: list[Any], keywords: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments; where constants decide all that an interpolator is made of, these: SciPy makes it once, as it
    makes those outside of the program."""
    if not isinstance(function, type) or not function.__module__.startswith("scipy.interpolate"):
        return args, keywords
    known = with_known_numbers(reader.stage, [args, keywords], with_tables=True)
    return (args, keywords) if concerns_data(reader, known) else (known[0], known[1])


def _made(reader: Reader, owner: Any) -> Any:
    if id(owner) not in reader.interpolators:
        found = scattered.stands_for(owner) or stands_for(owner)
        if found is None:
            return None
        made: Any = object.__new__(found[0])
        reader.objects[id(made)] = made
        reader.stage.look_into(owner)
        for name, held in found[1].items():
            vars(made)[name] = [*map(reader.from_outside, held)] if name == "grid" else reader.from_outside(held)
        reader.interpolators[id(owner)] = owner, made
    return reader.interpolators[id(owner)][1]
