"""Peels guarded nests: an interior without guards, which is the hot code, and a thin frame that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from daad.optimize.scope import Scope, map_scoped_leaves
from daad.optimize.simplify import ORDER, index_form, simplify_nest
from daad.program.affine import Affine
from daad.program.nodes import Expr, Nest, Node, Op, Program, Range
from daad.program.walk import children

FEW_POINTS = 16  # a nest with fewer is not worth more code
THIN = 4  # a frame that is thicker is peeled again


@dataclass(frozen=True)
class Split:
    """A range cut in three: `low .. first`, the interior `first .. last`, `last .. high`."""

    r: Range
    first: Affine
    last: Affine

    @property
    def below(self) -> Range:
        return replace(self.r, stop=self.first)

    @property
    def interior(self) -> Range:
        return replace(self.r, start=self.first, stop=self.last)

    @property
    def above(self) -> Range:
        return replace(self.r, start=self.last)


def peel(program: Program) -> Program:
    """Splits the domain of every nest where a condition on one of its variables changes."""
    return replace(program, body=map_scoped_leaves(program.body, peel_nest, Scope()))


def peel_nest(nest: Nest, scope: Scope) -> tuple[Node, ...]:
    if _few_points(nest):
        return (nest,)
    cuts = {r.var: _cuts(nest, r, scope) for r in nest.domain}
    if not any(cuts.values()):
        return (nest,)
    line = len(nest.domain) == 1
    pieces = _all_segments(nest, cuts[nest.domain[0].var]) if line else _onion(nest, 0, cuts, scope)
    return tuple(node for piece in pieces for node in simplify_nest(piece, scope))


def _few_points(nest: Nest) -> bool:
    total = 1
    for r in nest.domain:
        width = r.stop - r.start
        if not width.is_const:
            return False
        total *= max(width.const, 0)
    return total < FEW_POINTS


def _all_segments(nest: Nest, cuts: list[Affine]) -> list[Nest]:
    r = nest.domain[0]
    ends = [r.start, *cuts, r.stop]
    return [replace(nest, domain=(Range(r.var, a, b),)) for a, b in pairwise(ends)]


def _onion(nest: Nest, axis: int, cuts: dict[str, list[Affine]], scope: Scope) -> list[Nest]:
    """Two slabs for this dimension around what the next dimensions make of the interior."""
    if axis == len(nest.domain):
        return [nest]
    r = nest.domain[axis]
    if not cuts[r.var]:
        return _onion(nest, axis + 1, cuts, scope)
    split = _split(r, cuts[r.var])
    inner = _onion(_with_range(nest, axis, split.interior), axis + 1, cuts, scope)
    below = _slab(nest, axis, split.below, scope) if split.first != r.start else []
    above = _slab(nest, axis, split.above, scope) if split.last != r.stop else []
    return [*below, *inner, *above]


def _slab(nest: Nest, axis: int, r: Range, scope: Scope) -> list[Nest]:
    slab = _with_range(nest, axis, r)
    width = r.stop - r.start
    if width.is_const and width.const <= THIN:
        return [slab]
    return [n for n in peel_nest(slab, scope) if isinstance(n, Nest)]


def _with_range(nest: Nest, axis: int, r: Range) -> Nest:
    return replace(nest, domain=(*nest.domain[:axis], r, *nest.domain[axis + 1 :]))


def _split(r: Range, cuts: list[Affine]) -> Split:
    """Around the longest segment."""
    ends = [r.start, *cuts, r.stop]
    segments = list(pairwise(ends))
    first, last = max(segments, key=lambda s: _length(s[1] - s[0]))
    return Split(r, first, last)


def _length(width: Affine) -> tuple[bool, int]:
    return (bool(width.terms), width.const)


def _cuts(nest: Nest, r: Range, scope: Scope) -> list[Affine]:
    """Ascending places strictly within the range before which some condition changes."""
    own = {x.var for x in nest.domain}
    found: list[Affine] = []
    for assign in nest.assigns:
        for cut in _changes(assign.value, r.var, own):
            if cut not in found and scope.at_most(r.start + 1, cut) and scope.at_most(cut, r.stop - 1):
                found.append(cut)
    return _ordered(found, scope)


def _ordered(cuts: list[Affine], scope: Scope) -> list[Affine]:
    """Those that can be compared with all others before them."""
    order: list[Affine] = []
    for cut in cuts:
        below = [c for c in order if scope.at_most(c, cut)]
        if all(scope.at_most(cut, c) for c in order if c not in below):
            order.insert(len(below), cut)
    return order


def _changes(value: Expr, var: str, own: set[str]) -> Iterator[Affine]:
    """Where comparisons of `var` with what is constant in the nest change from false to true or back."""
    seen: set[Expr] = set()
    pending: list[Expr] = [value]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending.extend(c for c in reversed(children(node)) if not isinstance(c, Affine))
        if isinstance(node, Op) and (node.name in ORDER or node.name in ("equal", "not_equal")):
            yield from _comparison_changes(node, var, own)


def _comparison_changes(node: Op, var: str, own: set[str]) -> Iterator[Affine]:
    a, b = (index_form(x) for x in node.args)
    if a is None or b is None:
        return
    form = ORDER[node.name](a, b) if node.name in ORDER else a - b
    sign = form.coefficient(var)
    if abs(sign) != 1 or own & set(form.names) != {var}:
        return
    bound = (Affine.of(var) * sign - form) * sign
    if node.name not in ORDER:
        yield from (bound, bound + 1)
    else:
        yield bound if sign > 0 else bound + 1
