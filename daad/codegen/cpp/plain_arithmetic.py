"""Values whose text is the same in C++ and in Python: sums, differences, products and quotients of doubles."""

from __future__ import annotations

from math import isfinite

from daad.ir.nodes import Assign, Const, Expr, Load, Op
from daad.ir.walk import nodes

OPERATIONS = frozenset(("add", "subtract", "multiply", "divide", "negative"))


def is_plain(assign: Assign) -> bool:
    """Whether both languages compute the value alike; quotients by constants are products in C++."""
    return all(map(_is_plain, nodes(assign.value)))


def _is_plain(expr: Expr) -> bool:
    if isinstance(expr, Const):
        return isinstance(expr.value, float) and isfinite(expr.value) and expr.dtype == "float64"
    if isinstance(expr, Load):
        return expr.dtype == "float64"
    if not isinstance(expr, Op) or expr.dtype != "float64" or expr.name not in OPERATIONS:
        return False
    return expr.name != "divide" or not isinstance(expr.args[1], Const)
