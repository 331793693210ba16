"""How small and how large the value of an expression can be, in the arithmetic of its dtype: integers wrap around."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from daad.ir.affine import Affine, interval
from daad.ir.dtypes import is_float, is_integer
from daad.ir.nodes import Const, Expr, Index, IndexValue, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.interval_arithmetic import ANY, Interval, is_open

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
    return None if is_open(bounds) else (int(bounds[0]), int(bounds[1]))


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
        rule = OPERATIONS[node.name].interval
        if rule is None or (is_float(node.dtype) and any(map(is_open, parts))):  # maybe NaN
            return _within(ANY, node.dtype)
        return _within(rule(*parts), node.dtype)

    return visit(expr)


def _literal(node: Const) -> Interval:
    if is_float(node.dtype):
        return ANY if math.isnan(node.value) else (float(node.value), float(node.value))
    return node.value, node.value


def converted(bounds: Interval, source: str, target: str) -> Interval:
    """Bounds of a value after a conversion: what a narrower integer type does not hold may become anything it does."""
    if source == target:
        return bounds
    if is_float(source) and is_integer(target):
        return _within(ANY if is_open(bounds) else (math.trunc(bounds[0]), math.trunc(bounds[1])), target)
    return _within(ANY if source == "uint64" and is_open(bounds) else bounds, target)


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
        return bounds if all(is_open((end, end)) or low <= end <= high for end in bounds) else ANY
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
