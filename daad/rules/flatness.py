"""Where a derivative is zero since the value is: sums of squares, whose roots are distances and norms.

A value is flat if it is never negative and its derivative is zero wherever it is zero. The root of a flat value has the
derivative 0 at 0, as `abs` has, and as central differences find; without that it would be 0 times infinity.
"""

from __future__ import annotations

from collections.abc import Callable

from daad.ir.nodes import Const, Expr, Load, Op, Program
from daad.ir.walk import assigns

BOTH = frozenset({"add", "multiply", "divide", "maximum", "minimum", "fmax", "fmin"})
"""Flat if both operands are."""
KEEPING = frozenset({"sqrt", "cast"})
"""Flat if the operand is."""


def flat_arrays(program: Program) -> frozenset[str]:
    """The local arrays that hold nothing but flat values."""
    made = assigns(program.body)
    flat = set(made).difference(program.parameters)
    while unfit := {name for name in flat if not all(is_flat(a.value, flat.__contains__) for a in made[name])}:
        flat -= unfit
    return frozenset(flat)


def is_flat(expr: Expr, is_flat_array: Callable[[str], bool]) -> bool:
    """Whether the value is flat; `is_flat_array` tells that of arrays."""
    if isinstance(expr, Const):
        return bool(expr.value >= 0)
    if isinstance(expr, Load):
        return is_flat_array(expr.array)
    if not isinstance(expr, Op):
        return False
    args = expr.args
    if expr.name in ("absolute", "hypot") or (expr.name == "multiply" and args[0] == args[1]):
        return True
    if expr.name == "power":
        return isinstance(args[1], Const) and _is_flat_power(args[0], args[1].value, is_flat_array)
    if expr.name == "where":
        return all(is_flat(side, is_flat_array) for side in args[1:])
    return (expr.name in BOTH or expr.name in KEEPING) and all(is_flat(arg, is_flat_array) for arg in args)


def _is_flat_power(base: Expr, exponent: float, is_flat_array: Callable[[str], bool]) -> bool:
    return exponent > 0 and (exponent % 2 == 0 or is_flat(base, is_flat_array))


def is_positive(expr: Expr) -> bool:
    """Whether the value is above zero, as can be seen."""
    if isinstance(expr, Const):
        return bool(expr.value > 0)
    if not isinstance(expr, Op):
        return False
    if expr.name == "exp":
        return True
    if expr.name in ("add", "maximum"):
        pairs = (expr.args, expr.args[::-1])
        return any(is_positive(a) and (expr.name == "maximum" or is_flat(b, _nowhere)) for a, b in pairs)
    if expr.name in ("multiply", "divide", "sqrt", "where"):
        return all(map(is_positive, expr.args[expr.name == "where" :]))
    return False


def _nowhere(_: str) -> bool:
    return False
