"""The pushforward of a scalar expression: its tangent, from the tangents of what it loads; the pullback's rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from daad.errors import Location
from daad.ir.constructors import both, const, is_value, where
from daad.ir.dtypes import is_float
from daad.ir.nodes import Expr, Load, Op
from daad.rules.evenness import smooth
from daad.rules.pullback import (
    DERIVATIVES,
    Guarded,
    choices,
    finite_where,
    multiplied,
    require_derivative,
    selects,
    summed,
    weights,
)

Tangent = Callable[[Load], Expr | None]
"""The tangent of a load; None: it is zero."""
OfCall = Callable[[Op], Expr | None]
"""The tangent of a result of Python; None: it has none."""
Visit = Callable[[Expr], Guarded | None]


def push_forward(
    expr: Expr,
    tangent: Tangent,
    result: Expr | None = None,
    at: Location | None = None,
    flat: frozenset[str] = frozenset(),
    of_call: OfCall = lambda node: None,
) -> Expr | None:
    """The tangent of `expr`, None where it is zero; `result` may stand for the value of the whole expression where a
    rule is written on its result. `flat` are arrays of flat values (see flatness.py)."""
    expr = smooth(expr)
    known: dict[Expr, Guarded | None] = {}

    def visit(node: Expr) -> Guarded | None:
        if node not in known:
            known[node] = found(node)
        return known[node]

    def found(node: Expr) -> Guarded | None:
        if not is_float(node.dtype):
            return None
        if isinstance(node, Load):
            own = tangent(node)
            return None if own is None else Guarded(own)
        if not isinstance(node, Op):
            return None
        if node.name == "python_get" and (beside := of_call(node)) is not None:
            return Guarded(beside)
        value = result if node is expr and result is not None else node
        return _of_operation(node, value, visit, at, flat)

    whole = visit(expr)
    return None if whole is None else whole.closed()


def _of_operation(node: Op, value: Expr, visit: Visit, at: Location | None, flat: frozenset[str]) -> Guarded | None:
    if sides := choices(node):
        found = [(part, condition) for side, condition in sides if (part := visit(side)) is not None]
        if node.name == "where" and len(found) == 2:
            then, orelse = (part.closed() for part, _ in found)
            return Guarded(where(node.args[0], then, orelse, node.dtype))
        return _total([Guarded(part.value, both(condition, part.guard)) for part, condition in found])
    if node.name == "cast":
        inner = visit(node.args[0])
        return None if inner is None else Guarded(Op("cast", (inner.value,), node.dtype), inner.guard)
    if node.name in DERIVATIVES or any(visit(operand) is not None for operand in node.args):
        require_derivative(node, lambda operand: visit(operand) is not None, at)
    if node.name not in DERIVATIVES:
        return None
    return _total([part for part in _parts(node, value, visit, flat) if part is not None])


def _parts(node: Op, value: Expr, visit: Visit, flat: frozenset[str]) -> list[Guarded | None]:
    """What each operand that carries a derivative adds to the tangent."""
    found: list[Guarded | None] = []
    for operand, weight in weights(node, value):
        inner = visit(operand)
        if inner is not None:
            found.append(_weighted(node, operand, inner, weight, value, flat))
    return found


def _weighted(
    node: Op, operand: Expr, inner: Guarded, weight: Expr, value: Expr, flat: frozenset[str]
) -> Guarded | None:
    """The operand's tangent times the slope: nothing where the slope is zero by a condition, or where the tangent is
    zero and the slope is not finite."""
    guard = inner.guard
    if selects(weight):
        guard, weight = both(weight.args[0], guard), weight.args[1]
    if is_value(weight, 0):
        return None
    share = multiplied(inner.value, weight, node.dtype)
    finite = finite_where(node, operand, inner.value, inner.guard, value, flat)
    if finite is not None:
        share = where(finite, share, const(0, node.dtype), node.dtype)
    return Guarded(share, guard)


def _total(parts: list[Guarded]) -> Guarded | None:
    return reduce(summed, parts) if parts else None
