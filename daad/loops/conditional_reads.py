"""Contributions to elements that only exist where a side is taken, as `a[i - 1] if i > 0 else 0.0` reads them, or
`a[k[i]] if k[i] < n else 0.0`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from daad.analysis.context import Scope
from daad.analysis.dependence import outer_bounds
from daad.analysis.sites import Site, domain_bounds
from daad.analysis.subscripts import subscript
from daad.ir.affine import Affine
from daad.ir.constructors import const, is_value, where
from daad.ir.nodes import Access, Array, Assign, Branch, Expr, Index, IndexValue, Nest, Node, Op, Range
from daad.ir.walk import loads, variables


def where_it_exists(
    assign: Assign, nest: Nest, site: Site, shape: tuple[int, ...], arrays: Mapping[str, Array]
) -> Node | None:
    """The update where its target lies in the array; None if it does anyway.

    What does not change within the nest is asked by a branch; the domain ends where the array does.
    """
    conditions, value = _conditions(assign.value)
    facts = outer_bounds(site)
    if not conditions:
        return None
    asked = _asked(conditions[0], arrays)
    if _is_inside(assign.target, shape, [*facts, *domain_bounds(nest.domain)], asked):
        return None
    own = {r.var for r in nest.domain}
    within = [c for c in conditions if own & variables(c)]
    for condition in reversed(within):
        value = where(condition, value, const(0, value.dtype), value.dtype)
    domain = tuple(_clipped(r, own, assign.target, shape, facts) for r in nest.domain)
    target = _first_elsewhere(assign.target, within, shape, [*facts, *domain_bounds(domain)], asked)
    made: Node = Nest(domain, (replace(assign, target=target, value=value),), nest.at)
    for condition in reversed([c for c in conditions if not own & variables(c)]):
        made = Branch(condition, (made,), (), nest.at)
    return made


def _conditions(value: Expr) -> tuple[list[Expr], Expr]:
    """On what a value depends that is zero otherwise, outermost first, and what it is then."""
    found = []
    while isinstance(value, Op) and value.name == "where" and is_value(value.args[2], 0):
        found.append(value.args[0])
        value = value.args[1]
    return found, value


def _asked(condition: Expr, arrays: Mapping[str, Array]) -> set[tuple[Index, int]]:
    """Indices with the extents of their axes that the condition itself goes by, so that they lie inside."""
    found = [(load.index, arrays[load.array].shape) for load in loads(condition) if load.array in arrays]
    return {pair for index, shape in found for pair in zip(index, shape, strict=True)}


def _is_inside(
    target: Access, shape: tuple[int, ...], facts: Sequence[Affine], asked: Collection[tuple[Index, int]]
) -> bool:
    """Whether no index can lie outside of its axis."""
    return all(_is_within(*pair, facts, asked) for pair in zip(target.index, shape, strict=True))


def _is_within(index: Index, extent: int, facts: Sequence[Affine], asked: Collection[tuple[Index, int]]) -> bool:
    if not isinstance(index, Affine):
        return (index, extent) in asked
    return _holds(index, facts) and _holds(-index + (extent - 1), facts)


def _first_elsewhere(
    target: Access,
    conditions: list[Expr],
    shape: tuple[int, ...],
    facts: Sequence[Affine],
    asked: Collection[tuple[Index, int]],
) -> Access:
    """The target, but the first place of an axis beyond which it lies where the conditions do not hold."""
    index = list(target.index)
    for axis, (form, extent) in enumerate(zip(target.index, shape, strict=True)):
        if conditions and not _is_within(form, extent, facts, asked):
            chosen: Expr = IndexValue(form) if isinstance(form, Affine) else form
            for condition in reversed(conditions):
                chosen = where(condition, chosen, const(0, chosen.dtype), chosen.dtype)
            index[axis] = chosen
    return Access(target.array, tuple(index))


def _clipped(r: Range, own: set[str], target: Access, shape: tuple[int, ...], facts: list[Affine]) -> Range:
    """The part of a range in which the indices that it counts through lie inside of their axes."""
    for index, extent in zip(target.index, shape, strict=True):
        axis = subscript(index, own)
        if axis is None or axis.var != r.var:
            continue
        low, high = axis.values_within(Affine(0), Affine(extent))
        start = low if _holds(low - r.start, facts) else r.start
        stop = high if _holds(r.stop - high, facts) else r.stop
        r = Range(r.var, start, stop) if _holds(stop - start, facts) else r
    return r


def _holds(form: Affine, facts: Sequence[Affine]) -> bool:
    return Scope(tuple(facts)).proves(form)
