"""How small and how large the value of an expression can be, in the arithmetic of its dtype: integers wrap around."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from daad.ir.affine import Affine, interval
from daad.ir.nodes import Const, Expr, Index, IndexValue, Op

Number = int | float
Interval = tuple[Number, Number]
"""The smallest and the largest value, infinite where nothing bounds it."""

ANY: Interval = (-math.inf, math.inf)
LARGEST_POWER = 64
ROUNDED = 8
"""Roundings that a floating-point operation may differ by from the one that is computed here, at most."""


def index_interval(index: Index, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int] | None:
    """Inclusive bounds of an index over the ranges of its names; None where they are not known."""
    if isinstance(index, Affine):
        return interval(index, ranges)

    def leaf(node: Expr) -> Interval:
        return (isinstance(node, IndexValue) and interval(node.form, ranges)) or ANY

    return finite(bounds_of(index, leaf))


def finite(bounds: Interval) -> tuple[int, int] | None:
    """The bounds as integers, if there are any."""
    return None if _is_open(bounds) else (int(bounds[0]), int(bounds[1]))


def bounds_of(expr: Expr, leaf: Callable[[Expr], Interval]) -> Interval:
    """Inclusive bounds of an expression; `leaf` gives those of index values and loads, as far as it knows."""
    known: dict[Expr, Interval] = {}

    def visit(node: Expr) -> Interval:
        if node not in known:
            known[node] = computed(node)
        return known[node]

    def computed(node: Expr) -> Interval:
        if isinstance(node, Const):
            return _literal(node)
        if not isinstance(node, Op):
            return _within(leaf(node), node.dtype)
        parts = [converted(visit(arg), arg.dtype, node.dtype) for arg in node.args]
        if node.name not in RULES or (node.dtype.startswith("float") and any(map(_is_open, parts))):  # maybe NaN
            return _within(ANY, node.dtype)
        return _within(RULES[node.name](*parts), node.dtype)

    return visit(expr)


def _literal(node: Const) -> Interval:
    if node.dtype.startswith("float"):
        return ANY if math.isnan(node.value) else (float(node.value), float(node.value))
    return node.value, node.value


def _is_open(bounds: Interval) -> bool:
    return math.inf in map(abs, bounds)


def converted(bounds: Interval, source: str, target: str) -> Interval:
    """Bounds of a value after a conversion: what a narrower integer type does not hold may become anything it does."""
    if source == target:
        return bounds
    if source.startswith("float") and np.dtype(target).kind in "iu":
        return _within(ANY if _is_open(bounds) else (math.trunc(bounds[0]), math.trunc(bounds[1])), target)
    return _within(ANY if source == "uint64" and _is_open(bounds) else bounds, target)


def _within(bounds: Interval, dtype: str) -> Interval:
    """What is left of the exact bounds of a result when the dtype holds it. A signed integer of 64 bits that nothing
    bounds counts as one that does not wrap: indices are computed in it."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return 0, 1
    if kind == "f":
        return _rounded(bounds, dtype)
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    if dtype == "int64":
        return bounds if all(_is_open((end, end)) or low <= end <= high for end in bounds) else ANY
    if low <= bounds[0] and bounds[1] <= high:
        return bounds
    return (0, math.inf) if dtype == "uint64" else (low, high)


def _rounded(bounds: Interval, dtype: str) -> Interval:
    """A bound of zero stays what it is, as rounding changes no sign."""
    limits = np.finfo(dtype)
    if max(map(abs, bounds)) > float(limits.max) / 2:
        return ANY
    low, high = (ROUNDED * float(limits.eps) * abs(end) + float(limits.tiny) for end in bounds)
    a, b = bounds[0] - low, bounds[1] + high
    return (max(a, 0.0) if bounds[0] >= 0 else a), (min(b, 0.0) if bounds[1] <= 0 else b)


def _times(a: Number, b: Number) -> Number:
    return 0 if a == 0 or b == 0 else a * b


def _product(a: Interval, b: Interval) -> Interval:
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _ratio(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return ANY
    return _product(a, (_inverse(b[1]), _inverse(b[0])))


def _inverse(x: Number) -> float:
    return 0.0 if abs(x) == math.inf else 1.0 / x


def _quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0:
        return ANY
    corners = [_floored(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _floored(x: Number, y: Number) -> Number:
    if abs(x) == math.inf:
        return x
    return -(x < 0) if y == math.inf else x // y


def _remainder(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0:
        return ANY
    if a[0] >= 0 and a[1] < b[0]:
        return a
    if b[0] == b[1] and not _is_open(a) and a[0] // b[0] == a[1] // b[0]:
        return a[0] % b[0], a[1] % b[0]
    return 0, b[1] - 1 if isinstance(b[1], int) else b[1]


def _remainder_of_c(a: Interval, b: Interval) -> Interval:
    """With the sign of the dividend."""
    return ANY if b[0] <= 0 <= b[1] else (min(a[0], 0), max(a[1], 0))


def _power(a: Interval, b: Interval) -> Interval:
    """Grows with both where the base is at least 1."""
    if not all(isinstance(end, int) for end in (*a, *b)) or a[0] < 1 or b[0] < 0 or b[1] > LARGEST_POWER:
        return ANY
    return a[0] ** b[0], a[1] ** b[1]


def _and(a: Interval, b: Interval) -> Interval:
    highs = [high for low, high in (a, b) if low >= 0]
    return (0, min(highs)) if highs else ANY


def _or(a: Interval, b: Interval) -> Interval:
    """Of numbers that are not negative: no bit beyond the highest."""
    if a[0] < 0 or b[0] < 0:
        return ANY
    most = max(a[1], b[1])
    return 0, (1 << most.bit_length()) - 1 if isinstance(most, int) else math.inf


def _left_shift(a: Interval, b: Interval) -> Interval:
    return _product(a, (1 << int(b[0]), 1 << int(b[1]))) if b[0] >= 0 and b[1] < LARGEST_POWER else ANY


def _right_shift(a: Interval, b: Interval) -> Interval:
    return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else ANY


def _absolute(a: Interval) -> Interval:
    most = max(abs(a[0]), abs(a[1]))
    return (0, most) if a[0] <= 0 <= a[1] else (min(abs(a[0]), abs(a[1])), most)


def _stepped(step: Callable[[Number], int]) -> Callable[[Interval], Interval]:
    def rule(a: Interval) -> Interval:
        low, high = (end if abs(end) == math.inf else step(end) for end in a)
        return low, high

    return rule


def _root(a: Interval) -> Interval:
    return (math.sqrt(a[0]), math.sqrt(a[1])) if a[0] >= 0 else ANY


def _larger(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def _smaller(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


RULES: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "subtract": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "multiply": _product,
    "divide": _ratio,
    "negative": lambda a: (-a[1], -a[0]),
    "invert": lambda a: (-a[1] - 1, -a[0] - 1),
    "absolute": _absolute,
    "sign": lambda a: (int(a[0] > 0) - (a[0] < 0), int(a[1] > 0) - (a[1] < 0)),
    "floor_divide": _quotient,
    "remainder": _remainder,
    "fmod": _remainder_of_c,
    "power": _power,
    "sqrt": _root,
    "maximum": _larger,
    "fmax": _larger,
    "minimum": _smaller,
    "fmin": _smaller,
    "bitwise_and": _and,
    "bitwise_or": _or,
    "bitwise_xor": _or,
    "left_shift": _left_shift,
    "right_shift": _right_shift,
    "floor": _stepped(math.floor),
    "ceil": _stepped(math.ceil),
    "trunc": _stepped(math.trunc),
    "rint": _stepped(round),
    "where": lambda condition, a, b: (min(a[0], b[0]), max(a[1], b[1])),
    "cast": lambda a: a,
}
