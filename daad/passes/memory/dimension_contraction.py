"""Local arrays that hold the same values all along an axis do without it: coefficients that the same row has again.

    program f(c: float64[9], y: float64[5, 9])
      local t: float64[5, 9]
      for i in 0 .. 5, j in 0 .. 9:  t[i, j] = sin(c[j])
      for i in 0 .. 5, j in 1 .. 9:  y[i, j] = t[i, j] * t[i, j - 1]

becomes

    program f(c: float64[9], y: float64[5, 9])
      local t: float64[9]
      for j in 0 .. 9:  t[j] = sin(c[j])
      for i in 0 .. 5, j in 1 .. 9:  y[i, j] = t[j] * t[j - 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from daad.analysis.context import Scope
from daad.analysis.subscripts import subscript
from daad.analysis.uses import Usage
from daad.ir.affine import Affine, interval
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Access, Assign, Branch, Expr, Index, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import map_expr, map_leaves, nests, node_loads, reindexed, variables
from daad.passes.definition import Pass

Axes = Mapping[str, frozenset[int]]
"""For some arrays the axes along which all elements that are ever written are the same."""

Ranges = Mapping[str, tuple[int, int]]


PASS = Pass(
    "dimension-contraction",
    lambda program, goal: contract_dimensions(program, goal.live),
    "Local arrays that are the same all along an axis do without it.",
    source="Lefebvre and Feautrier 1998",
)


def contract_dimensions(program: Program, live: frozenset[str]) -> Program:
    """The program without such axes; arrays of `live` are seen from outside."""
    axes = _confirmed(program, _possible(program, live))
    return _without_axes(program, axes) if axes else program


def _possible(program: Program, live: frozenset[str]) -> Axes:
    """Axes along which each statement writes the same coordinates, and of which no others are read."""
    hidden = Usage(program, live).hidden
    found: dict[str, frozenset[int]] = {
        name: frozenset(range(len(a.shape))) for name, a in program.arrays.items() if name in hidden and not a.extents
    }
    spans: dict[tuple[str, int], tuple[int, int]] = {}
    for nest in nests(program.body):
        for target in (a.target for a in nest.assigns if a.target.array in found):
            for axis in sorted(found[target.array]):
                span = _span(target, axis, nest.domain)
                if span is None or spans.setdefault((target.array, axis), span) != span:
                    found[target.array] -= {axis}
    for load, ranges in _all_loads(program.body, Scope()):
        axes = found.get(load.array, frozenset())
        inside = {axis for axis in axes if _is_inside(load.index[axis], spans.get((load.array, axis)), ranges)}
        found[load.array] = axes & inside
    written = {name for name, _ in spans}
    return {name: axes for name, axes in found.items() if axes and name in written}


def _all_loads(body: Sequence[Node], scope: Scope) -> Iterator[tuple[Load, Ranges]]:
    """Every load with the ranges of variables that it may depend on."""
    for node in body:
        ranges = scope.with_domain(node.domain).ranges if isinstance(node, Nest) else scope.ranges
        yield from ((load, ranges) for load in node_loads(node))
        if isinstance(node, Loop):
            yield from _all_loads(node.body, scope.enter(node))
        elif isinstance(node, Branch):
            yield from _all_loads((*node.then, *node.orelse), scope)


def _is_inside(index: Index, span: tuple[int, int] | None, ranges: Ranges) -> bool:
    """Whether the index is certainly one that is written."""
    bounds = interval(index, ranges) if isinstance(index, Affine) else None
    return bounds is not None and span is not None and span[0] <= bounds[0] and bounds[1] < span[1]


def _range_along(target: Access, axis: int, domain: Sequence[Range]) -> Range | None:
    """The range whose variable alone moves the target along the axis."""
    found = subscript(target.index[axis], {r.var for r in domain})
    others = [i for n, i in enumerate(target.index) if n != axis]
    if found is None or found.sign < 1 or any(found.var in variables(i) for i in others):
        return None
    return next(r for r in domain if r.var == found.var)


def _span(target: Access, axis: int, domain: Sequence[Range]) -> tuple[int, int] | None:
    """The first coordinate that is written and the one behind the last; None where that is no number."""
    ranges = {r.var: r for r in domain}
    found = subscript(target.index[axis], ranges)
    if found is None or _range_along(target, axis, domain) is None:
        return None
    low, high = found.side(ranges)
    return (low.const, high.const) if low.is_const and high.is_const and low.const < high.const else None


def _confirmed(program: Program, axes: Axes) -> Axes:
    """Without axes along which values differ, if those of the others do not."""
    found, users = dict(axes), dict[str, list[Nest]]()
    for nest in nests(program.body):
        for name in nest.touched & axes.keys():
            users.setdefault(name, []).append(nest)
    pending = {id(nest): nest for touching in users.values() for nest in touching}
    while pending:
        nest = pending.pop(next(iter(pending)))
        for name, axis in _differing(nest, found):
            found[name] -= {axis}
            pending.update((id(user), user) for user in users[name])
    return {name: kept for name, kept in found.items() if kept}


def _differing(nest: Nest, axes: Axes) -> list[tuple[str, int]]:
    """Axes of arrays along which the nest writes different values, if those of other arrays are what they are said to
    be."""
    targets = [a.target for a in nest.assigns if axes.get(a.target.array)]
    moving = {n for a in nest.assigns for n in _moving(a, nest, axes)} if targets else set()
    ranges = ((t.array, axis, _range_along(t, axis, nest.domain)) for t in targets for axis in sorted(axes[t.array]))
    return sorted({(name, axis) for name, axis, r in ranges if r is None or r.var in moving})


def _moving(assign: Assign, nest: Nest, axes: Axes) -> frozenset[str]:
    """Variables on which an assign depends, other than by its place along the axes."""
    dropped = _dropped_ranges(assign.target, nest, axes)
    value, target = _value(assign.value, axes), _access(assign.target, axes)
    kept = {r.var for r in nest.domain} - {r.var for r in dropped} if len(nest.assigns) > 1 else set()
    return variables(value).union(kept, *(variables(i) for i in target.index))


def _dropped_ranges(target: Access, nest: Nest, axes: Axes) -> list[Range]:
    found = (_range_along(target, axis, nest.domain) for axis in sorted(axes.get(target.array, ())))
    return [r for r in found if r is not None]


def _value(value: Expr, axes: Axes) -> Expr:
    """The value with loads of the smaller arrays."""

    def leaf(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in axes:
            return None
        return Load(expr.array, without(expr.index, axes[expr.array]), expr.dtype)

    return map_expr(value, leaf)


def _access(target: Access, axes: Axes) -> Access:
    index: tuple[Index, ...] = tuple(i if isinstance(i, Affine) else _value(i, axes) for i in target.index)
    return Access(target.array, without(index, axes.get(target.array, frozenset())))


def _without_axes(program: Program, axes: Axes) -> Program:
    def rewrite(nest: Nest) -> tuple[Node, ...]:
        dropped = [r for a in nest.assigns for r in _dropped_ranges(a.target, nest, axes)]
        return (replace(nest, domain=tuple(r for r in nest.domain if r not in dropped)),)

    changes = {name: partial(without, axes=own) for name, own in axes.items()}
    body = tuple(reindexed(node, changes) for node in map_leaves(program.body, rewrite))
    arrays = {n: replace(a, shape=without(a.shape, axes[n])) if n in axes else a for n, a in program.arrays.items()}
    return replace(program, arrays=arrays, body=body)
