"""Comparisons in values, and their sides as affine forms."""

from __future__ import annotations

from daad.ir.affine import Affine
from daad.ir.memo import remembered
from daad.ir.nodes import Const, Expr, IndexValue, Op
from daad.ir.operations import named
from daad.ir.operations.operation import Family
from daad.ir.walk import children

ORDER = {
    "less": lambda a, b: b - a - 1,
    "less_equal": lambda a, b: b - a,
    "greater": lambda a, b: a - b - 1,
    "greater_equal": lambda a, b: a - b,
}
"""A comparison of two affine forms, as a form that is >= 0 where it holds."""
COMPARISONS = named(lambda row: row.family is Family.COMPARISON)


@remembered
def comparisons(value: Expr) -> tuple[Op, ...]:
    """The distinct comparisons in a value, on which alone it depends what can be said about it where it stands."""
    seen: set[Expr] = set()
    pending: list[Expr] = [value]
    found: list[Op] = []
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending.extend(c for c in reversed(children(node)) if not isinstance(c, Affine))
        if isinstance(node, Op) and node.name in COMPARISONS:
            found.append(node)
    return tuple(found)


def index_form(expr: Expr) -> Affine | None:
    """The affine form of an integer expression that has one."""
    if isinstance(expr, IndexValue):
        return expr.form
    return Affine(expr.value) if isinstance(expr, Const) and type(expr.value) is int else None
