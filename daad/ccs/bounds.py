"""How small and how large an integer expression can be, for sizes of tapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daad.program.affine import Affine, interval
from daad.program.nodes import Const, Index, IndexValue, Op

Interval = tuple[int, int]
Rule = Callable[[Interval, Interval], Interval | None]


def index_interval(index: Index, ranges: Mapping[str, Interval]) -> Interval | None:
    """Inclusive bounds of an index over the ranges of its names; None where they are not known."""
    if isinstance(index, Affine):
        return interval(index, ranges)
    if isinstance(index, IndexValue):
        return interval(index.form, ranges)
    if isinstance(index, Const):
        return int(index.value), int(index.value)
    if not isinstance(index, Op) or not (index.name in RULES or index.name == "cast"):
        return None
    parts = [index_interval(a, ranges) for a in index.args]
    if any(p is None for p in parts):
        return None
    return parts[0] if index.name == "cast" else RULES[index.name](*parts)  # type: ignore[arg-type]


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _quotient(a: Interval, b: Interval) -> Interval | None:
    if b[0] != b[1] or b[0] <= 0:
        return None
    return a[0] // b[0], a[1] // b[0]


def _remainder(a: Interval, b: Interval) -> Interval | None:
    if b[0] != b[1] or b[0] <= 0:
        return None
    inside = a[0] // b[0] == a[1] // b[0]
    return (a[0] % b[0], a[1] % b[0]) if inside else (0, b[0] - 1)


def _power(a: Interval, b: Interval) -> Interval | None:
    """Grows with both where the base is at least 1."""
    return (a[0] ** b[0], a[1] ** b[1]) if a[0] >= 1 and b[0] >= 0 else None


RULES: dict[str, Rule] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "subtract": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "multiply": _product,
    "floor_divide": _quotient,
    "remainder": _remainder,
    "power": _power,
    "maximum": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "minimum": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
}
