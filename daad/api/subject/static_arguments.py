"""Floats and arrays of integers that sizes depend on (`n = int(T / dt)`, `np.unique(labels)`) are constants of the
compiled gradient, as such ints are; where that does not serve, it is speculated on what data decide."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject.request import Request
from daad.api.subject.subject import Subject
from daad.errors import Unsupported
from daad.frontend.python.read import Asked, Read
from daad.frontend.staging.speculation import NOTHING, Assumptions
from daad.messages.suggestions import listed

MOST = 256
"""Programs with more of them are refused as they are."""
MOST_ELEMENTS = 1 << 20
"""Each call compares them."""


def read(
    subject: Subject,
    bound: Mapping[str, Any],
    request: Request,
    variable: Collection[str] = (),
    assumptions: Assumptions = NOTHING,
) -> Read:
    """The program; where it is refused, with as few floats and arrays of integers as constants as make it a program,
    none of the `variable` ones; then with what data decide, of which something may be assumed."""
    if assumptions != NOTHING:
        return subject.read(bound, Asked(of=request.of, assumptions=assumptions))
    try:
        return _with_constants(subject, bound, request.of, variable)
    except Unsupported as error:
        if request.on_decision == "refuse" or not error.data_may_decide:
            raise
        refused = error
    try:
        return subject.read(bound, Asked(of=request.of, assumptions=assumptions))
    except Unsupported as error:
        if error.raised is not None or _is_beyond(error, refused):
            raise
    raise refused


def _is_beyond(error: Unsupported, refused: Unsupported) -> bool:
    """Whether the line that was refused at first is read once data decide, and another one is not."""
    lines = _line(error), _line(refused)
    return None not in lines and lines[0] != lines[1]


def _line(error: Unsupported) -> tuple[str, int] | None:
    """Where the reading stopped: within NumPy's own Python, where that is what is read."""
    while isinstance(error.__cause__, Unsupported):
        error = error.__cause__
    return (error.at.file, error.at.line) if error.at else None


def _with_constants(subject: Subject, bound: Mapping[str, Any], of: Any, variable: Collection[str]) -> Read:
    try:
        return subject.read(bound, Asked(of=of))
    except Unsupported as error:
        refused = error
    floats = [name for name, value in calls.leaves(bound) if _is_float(value)]
    constant = [name for name in floats if name not in variable]
    indices = [name for name, value in calls.leaves(bound) if _is_of_integers(value)]
    tries = [names for names in (constant, indices, [*constant, *indices]) if names]
    for static in tries if constant and indices else tries[:1]:
        found = _attempt(subject, bound, of, static)
        if found is not None:
            return _least(subject, bound, of, static, found)
    if len(constant) < len(floats) and _attempt(subject, bound, of, [*floats, *indices]) is not None:
        names = listed([name for name in floats if name in variable])
        raise Unsupported(refused.message, at=refused.at, hint=f"Ask for no gradient with respect to {names}.")
    raise refused


def _least(subject: Subject, bound: Mapping[str, Any], of: Any, static: list[str], found: Read) -> Read:
    """The program with fewer constants: without halves of them, quarters, ..., where it is read without them, too."""
    size = len(static)
    while size > 1:
        size = (size + 1) // 2
        for first in range(0, len(static), size):
            left_out = set(static[first : first + size])
            fewer = _attempt(subject, bound, of, [name for name in static if name not in left_out])
            if fewer is not None:
                static, found = [name for name in static if name not in left_out], fewer
                break
        else:
            continue
        size = min(size * 2, len(static))
    return found


def _attempt(subject: Subject, bound: Mapping[str, Any], of: Any, static: list[str]) -> Read | None:
    if not 0 < len(static) <= MOST:
        return None
    try:
        return subject.read(bound, Asked(of=of, static=frozenset(static)))
    except Unsupported:
        return None


def _is_float(value: Any) -> bool:
    return isinstance(value, float | np.floating)


def _is_of_integers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biu" and 0 < value.size <= MOST_ELEMENTS
