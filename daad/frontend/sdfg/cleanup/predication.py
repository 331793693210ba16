"""Branches inside parallel loops become conditional expressions, so that the loop can become a nest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from daad.analysis.context import Scope
from daad.frontend.sdfg.states.maps import ParallelLoop
from daad.ir.nodes import Array, Assign, Branch, Const, Expr, Load, Loop, Nest, Node, Op
from daad.ir.walk import loads, writes

Body = tuple[Node, ...]


def mask_branches(body: Body, arrays: Mapping[str, Array], known: Scope, is_parallel: bool = False) -> Body:
    """Rewrites the branches below parallel loops whose writes stay in bounds when they are not taken."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            parallel = is_parallel or isinstance(node, ParallelLoop)
            out.append(replace(node, body=mask_branches(node.body, arrays, known.enter(node), parallel)))
        elif isinstance(node, Branch):
            out.extend(_masked_branch(node, arrays, known, is_parallel))
        else:
            out.append(node)
    return tuple(out)


def _masked_branch(branch: Branch, arrays: Mapping[str, Array], known: Scope, is_parallel: bool) -> Body:
    then = mask_branches(branch.then, arrays, known, is_parallel)
    orelse = mask_branches(branch.orelse, arrays, known, is_parallel)
    kept = replace(branch, then=then, orelse=orelse)
    if not is_parallel or not _is_maskable((*then, *orelse), branch.condition, arrays, known):
        return (kept,)
    if (merged := _merged(then, orelse, branch.condition)) is not None:
        return (merged,)
    negated = Op("logical_not", (branch.condition,), "bool")
    return (*(_masked(n, branch.condition) for n in then), *(_masked(n, negated) for n in orelse))


def _is_maskable(body: Body, condition: Expr, arrays: Mapping[str, Array], known: Scope) -> bool:
    """Are there only nests that write in bounds and leave alone what the condition reads?"""
    if {load.array for load in loads(condition)} & writes(body):
        return False
    return all(isinstance(node, Nest) and _is_in_bounds(node, arrays, known) for node in body)


def _is_in_bounds(nest: Nest, arrays: Mapping[str, Array], known: Scope) -> bool:
    inside = known.with_domain(nest.domain)
    places = (
        (i, size) for a in nest.assigns for i, size in zip(a.target.index, arrays[a.target.array].shape, strict=True)
    )
    return all((span := inside.range(i)) is not None and span[0] >= 0 and span[1] < size for i, size in places)


def _merged(then: Body, orelse: Body, condition: Expr) -> Nest | None:
    """`target = a` or else `target = b` as one statement."""
    if len(then) != 1 or len(orelse) != 1:
        return None
    first, second = then[0], orelse[0]
    if not isinstance(first, Nest) or not isinstance(second, Nest) or first.domain != second.domain:
        return None
    if [(a.target, a.op) for a in first.assigns] != [(a.target, a.op) for a in second.assigns]:
        return None
    if len(first.assigns) != 1:
        return None
    a, b = first.assigns[0], second.assigns[0]
    return replace(first, assigns=(replace(a, value=_choice(condition, a.value, b.value)),))


def _masked(node: Node, condition: Expr) -> Nest:
    assert isinstance(node, Nest), "only nests are masked"
    return replace(node, assigns=tuple(_masked_assign(a, condition) for a in node.assigns))


def _masked_assign(assign: Assign, condition: Expr) -> Assign:
    """Where the condition fails, the old value is written again, or nothing is added."""
    dtype = assign.value.dtype
    if assign.op == "=":
        old: Expr = Load(assign.target.array, assign.target.index, dtype)
    else:
        old = Const(assign.combine.neutral(dtype), dtype)
    return replace(assign, value=_choice(condition, assign.value, old))


def _choice(condition: Expr, then: Expr, orelse: Expr) -> Expr:
    return then if then == orelse else Op("where", (condition, then, orelse), then.dtype)
