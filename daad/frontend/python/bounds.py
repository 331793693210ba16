"""What is known about the values of integer expressions."""

from __future__ import annotations

from collections.abc import Callable

from daad.frontend.python.stage import Stage
from daad.program.affine import Affine
from daad.program.nodes import Const, Expr, IndexValue, Load, Op

Interval = tuple[int | None, int | None]
UNKNOWN: Interval = (None, None)


def is_not_negative(stage: Stage, expr: Expr) -> bool:
    """Whether the value is at least 0 for sure."""
    if expr.dtype.startswith("uint"):
        return True
    if isinstance(expr, IndexValue):
        return stage.provable(expr.form)
    low, _ = interval_of(stage, expr)
    return low is not None and low >= 0


def is_below(stage: Stage, form: Affine, other: Affine) -> bool:
    """Whether `form < other` for sure."""
    return stage.provable(other - form - 1)


def interval_of(stage: Stage, expr: Expr) -> Interval:
    """Bounds of an integer expression, None where there is none."""
    if isinstance(expr, Const):
        return int(expr.value), int(expr.value)
    if isinstance(expr, IndexValue):
        return stage.range_of(expr.form)
    if isinstance(expr, Load) and expr.array in stage.constants and stage.constants[expr.array].size:
        values = stage.constants[expr.array]
        stage.ranges[id(values)] = values
        return int(values.min()), int(values.max())
    if not isinstance(expr, Op):
        return UNKNOWN
    operands = [interval_of(stage, arg) for arg in expr.args]
    return INTERVALS[expr.name](*operands) if expr.name in INTERVALS else UNKNOWN


def _add(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _subtract(a: Interval, b: Interval) -> Interval:
    return _add(a, (None if b[1] is None else -b[1], None if b[0] is None else -b[0]))


def _multiply(a: Interval, b: Interval) -> Interval:
    ends = [*a, *b]
    if None in ends:
        positive = a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0
        return (0, None) if positive else UNKNOWN
    products = [x * y for x in a for y in b if x is not None and y is not None]
    return min(products), max(products)


def _remainder(a: Interval, b: Interval) -> Interval:
    return (0, b[1] - 1) if b[0] is not None and b[0] > 0 and b[1] is not None else UNKNOWN


def _floor_divide(a: Interval, b: Interval) -> Interval:
    if b[0] is None or b[0] <= 0 or b[0] != b[1]:
        return (0, None) if b[0] is not None and b[0] > 0 and a[0] is not None and a[0] >= 0 else UNKNOWN
    return None if a[0] is None else a[0] // b[0], None if a[1] is None else a[1] // b[0]


def _maximum(a: Interval, b: Interval) -> Interval:
    lows = [x for x in (a[0], b[0]) if x is not None]
    return max(lows, default=None), None if a[1] is None or b[1] is None else max(a[1], b[1])


def _minimum(a: Interval, b: Interval) -> Interval:
    highs = [x for x in (a[1], b[1]) if x is not None]
    return None if a[0] is None or b[0] is None else min(a[0], b[0]), min(highs, default=None)


def _and(a: Interval, b: Interval) -> Interval:
    highs = [high for low, high in (a, b) if low is not None and low >= 0 and high is not None]
    return (0, min(highs)) if highs else UNKNOWN


def _or(a: Interval, b: Interval) -> Interval:
    """Of numbers that are not negative: no bit beyond the highest."""
    ends = [end for end in (*a, *b) if end is not None and end >= 0]
    return (0, (1 << max(ends).bit_length()) - 1) if len(ends) == 4 else UNKNOWN


def _where(condition: Interval, a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )


INTERVALS: dict[str, Callable[..., Interval]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "maximum": _maximum,
    "minimum": _minimum,
    "bitwise_and": _and,
    "bitwise_or": _or,
    "bitwise_xor": _or,
    "where": _where,
    "cast": lambda a: a,
}
