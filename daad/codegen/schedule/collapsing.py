"""Short innermost dimensions joined with the next one where both run through memory as one, as in arrays of points."""

from __future__ import annotations

from dataclasses import replace

from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import accesses
from daad.codegen.schedule.strides import position
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Expr, IndexValue, Nest, Range
from daad.ir.walk import children, substitute

SHORT = 32  # iterations below which a loop does not hide what starting it costs


def flatten(nest: Nest, context: Context) -> Nest:
    """The nest with fewer, longer dimensions; positions in memory stay what they are, single indices do not."""
    for inner in nest.domain:
        if not (inner.start == Affine(0) and inner.stop.is_const and 0 < inner.stop.const < SHORT):
            continue
        for outer in nest.domain:
            if (
                outer is not inner
                and outer.start.is_const
                and outer.stop.is_const
                and _run_as_one(nest, outer, inner, context)
            ):
                return flatten(_joined(nest, outer, inner), context)
    return nest


def _run_as_one(nest: Nest, outer: Range, inner: Range, context: Context) -> bool:
    """Is a step of `outer` as long as the whole of `inner` in every access, and are both used for nothing else?"""
    names = {outer.var, inner.var}
    if any(names & used for used in map(_values_used, (a.value for a in nest.assigns))):
        return False
    for access in accesses(nest):
        place = position(access, context.arrays[access.array])
        if place is None or place.coefficient(outer.var) != inner.stop.const * place.coefficient(inner.var):
            return False
    return True


def _values_used(expr: Expr) -> frozenset[str]:
    """Names whose values enter the computation itself."""
    seen: set[Expr] = set()
    pending, names = [expr], set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, IndexValue):
            names |= set(node.form.names)
        pending += [c for c in children(node) if not isinstance(c, Affine)]
    return frozenset(names)


def _joined(nest: Nest, outer: Range, inner: Range) -> Nest:
    """`inner` runs over all points, `outer` is 0."""
    n = inner.stop.const
    long = Range(inner.var, outer.start * n, outer.stop * n)
    values = {outer.var: Affine(0)}
    assigns = tuple(
        Assign(
            Access(a.target.array, tuple(i.substitute(values) if isinstance(i, Affine) else i for i in a.target.index)),
            a.op,
            substitute(a.value, values),
        )
        for a in nest.assigns
    )
    domain = tuple(long if r is inner else r for r in nest.domain if r is not outer)
    return replace(nest, domain=domain, assigns=assigns)
