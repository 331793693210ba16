"""The pushforward of a scalar expression: its tangent, from the tangents of what it loads; the pullback's rules."""

from __future__ import annotations

from collections.abc import Callable

from daad.errors import Location
from daad.ir.constructors import add, const, is_value, where
from daad.ir.dtypes import is_float
from daad.ir.nodes import Expr, Load, Op
from daad.rules.pullback import (
    DERIVATIVES,
    choices,
    finite_where,
    multiplied,
    require_derivative,
    selects,
    weights,
)

Tangent = Callable[[Load], Expr | None]
"""The tangent of a load; None: it is zero."""


def push_forward(
    expr: Expr,
    tangent: Tangent,
    result: Expr | None = None,
    at: Location | None = None,
    flat: frozenset[str] = frozenset(),
) -> Expr | None:
    """The tangent of `expr`, None where it is zero; `result` may stand for the value of the whole expression where a
    rule is written on its result. `flat` are arrays of flat values (see flatness.py)."""
    known: dict[Expr, Expr | None] = {}

    def visit(node: Expr) -> Expr | None:
        if node not in known:
            known[node] = found(node)
        return known[node]

    def found(node: Expr) -> Expr | None:
        if not is_float(node.dtype):
            return None
        if isinstance(node, Load):
            return tangent(node)
        if not isinstance(node, Op):
            return None
        value = result if node is expr and result is not None else node
        return _of_operation(node, value, visit, at, flat)

    return visit(expr)


def _of_operation(
    node: Op, value: Expr, visit: Callable[[Expr], Expr | None], at: Location | None, flat: frozenset[str]
) -> Expr | None:
    if node.name == "where":
        condition, then, orelse = node.args[0], visit(node.args[1]), visit(node.args[2])
        return None if then is None and orelse is None else _chosen(condition, then, orelse, node.dtype)
    if sides := choices(node):
        parts = [(part, condition) for side, condition in sides if (part := visit(side)) is not None]
        return _total([_chosen(condition, part, None, node.dtype) for part, condition in parts], node.dtype)
    if node.name == "cast":
        inner = visit(node.args[0])
        return None if inner is None else Op("cast", (inner,), node.dtype)
    if node.name not in DERIVATIVES:
        if any(visit(operand) is not None for operand in node.args):
            require_derivative(node, at)
        return None
    return _total([part for part in _parts(node, value, visit, flat) if part is not None], node.dtype)


def _parts(node: Op, value: Expr, visit: Callable[[Expr], Expr | None], flat: frozenset[str]) -> list[Expr | None]:
    """What each operand that carries a derivative adds to the tangent."""
    found: list[Expr | None] = []
    for operand, weight in weights(node, value):
        inner = visit(operand)
        if inner is not None:
            found.append(_weighted(node, operand, inner, weight, value, flat))
    return found


def _weighted(node: Op, operand: Expr, inner: Expr, weight: Expr, value: Expr, flat: frozenset[str]) -> Expr | None:
    """The operand's tangent times the slope: nothing where the slope is zero by a condition, or where the tangent is
    zero and the slope is not finite."""
    condition = None
    if selects(weight):
        condition, weight = weight.args[0], weight.args[1]
    if is_value(weight, 0):
        return None
    share = multiplied(inner, weight, node.dtype)
    finite = finite_where(node, operand, inner, None, value, flat)
    if finite is not None:
        share = where(finite, share, const(0, node.dtype), node.dtype)
    return share if condition is None else where(condition, share, const(0, node.dtype), node.dtype)


def _chosen(condition: Expr, then: Expr | None, orelse: Expr | None, dtype: str) -> Expr:
    zero = const(0, dtype)
    return where(condition, zero if then is None else then, zero if orelse is None else orelse, dtype)


def _total(parts: list[Expr], dtype: str) -> Expr | None:
    if not parts:
        return None
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part, dtype)
    return total
