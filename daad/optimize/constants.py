"""Reads of what certainly holds a constant become the constant: a seed of ones multiplies nothing.

Forward through the tree goes which elements of an array hold which constant. Loops stay as they are: sums of many
iterations may be a product of matrices, one of which has the constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from daad.optimize.boxes import Known, add, covers, exact, hull, remove
from daad.optimize.scope import Scope
from daad.optimize.usage import written_arrays
from daad.program.nodes import Array, Assign, Branch, Const, Expr, Load, Nest, Node, Program, Range
from daad.program.walk import loads, map_expr
from daad.rules.build import is_value


@dataclass(frozen=True)
class Held:
    """Elements of an array that all hold one value."""

    value: Const
    known: Known


Facts = dict[str, Held]


def propagate(program: Program) -> Program:
    """Zeros are left to `zeros`, which knows what they spare."""
    body, _ = _forward(program.body, {}, program.arrays, Scope())
    return replace(program, body=body)


def _forward(
    body: tuple[Node, ...], facts: Facts, arrays: Mapping[str, Array], scope: Scope
) -> tuple[tuple[Node, ...], Facts]:
    """The nodes, and what is known behind them."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            node, facts = _nest(node, facts, arrays, scope)
            out.append(node)
            continue
        written = written_arrays(node)
        stays = {name: held for name, held in facts.items() if name not in written}
        if isinstance(node, Branch):
            then, orelse = (_forward(side, facts, arrays, scope)[0] for side in (node.then, node.orelse))
            node = replace(node, then=then, orelse=orelse)
        out.append(node)
        facts = stays
    return tuple(out), facts


def _nest(nest: Nest, facts: Facts, arrays: Mapping[str, Array], scope: Scope) -> tuple[Nest, Facts]:
    """The nest with constants in the place of loads: no point reads what another point writes."""
    assigns: list[Assign] = []
    for assign in nest.assigns:
        if not facts.keys().isdisjoint(load.array for load in loads(assign.value)):
            assign = replace(assign, value=_value(assign.value, nest.domain, facts, arrays, scope))
        assigns.append(assign)
        facts = _after(assign, nest.domain, facts, arrays[assign.target.array], scope)
    return (nest if tuple(assigns) == nest.assigns else replace(nest, assigns=tuple(assigns))), facts


def _value(value: Expr, domain: tuple[Range, ...], facts: Facts, arrays: Mapping[str, Array], scope: Scope) -> Expr:
    def leaf(expr: Expr) -> Expr | None:
        held = facts.get(expr.array) if isinstance(expr, Load) else None
        if held is None or not isinstance(expr, Load):
            return None
        box = hull(expr.index, domain, arrays[expr.array].shape)
        return held.value if covers(held.known, box, scope) else None

    return map_expr(value, leaf)


def _after(assign: Assign, domain: tuple[Range, ...], facts: Facts, array: Array, scope: Scope) -> Facts:
    """What is known behind an assign."""
    index, held = assign.target.index, facts.get(array.name)
    rest = () if held is None else remove(held.known, hull(index, domain, array.shape), scope)
    value, box = _constant(assign, array), exact(index, domain, array.shape)
    if value is not None and box is not None:
        same = rest if held is not None and held.value == value else ()
        return {**facts, array.name: Held(value, add(same, box, scope))}
    return facts if held is None else {**facts, array.name: Held(held.value, rest)}


def _constant(assign: Assign, array: Array) -> Const | None:
    """What the assign makes its target."""
    value = assign.value
    if assign.op != "=" or not isinstance(value, Const) or value.dtype != array.dtype or array.extents:
        return None
    return None if is_value(value, 0) else value
