"""Peels guarded nests: an interior without guards, which is the hot code, faces at the border that need none, and thin
rows next to them that keep theirs.

    program f(x: float64[900], y: float64[900])
      for i in 0 .. 900:  y[i] = (x[i - 1] if i >= 1 else 0) + x[i]

becomes

    program f(x: float64[900], y: float64[900])
      y[0] = x[0]
      for i in 1 .. 900:  y[i] = x[i - 1] + x[i]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from daad.analysis.context import Scope, map_scoped_leaves
from daad.analysis.nest_conditions import cuts_along, restricted
from daad.ir.affine import Affine
from daad.ir.nodes import Nest, Node, Program, Range
from daad.passes.definition import Form, Pass, forms
from daad.passes.scalar.simplification import simplify_nest

FEW_POINTS = 16  # a nest with fewer is not worth more code
THIN = 4  # a frame that is thicker is peeled again
MANY = 9  # segments from which on layers would be too much code

Bare = list[Nest] | None
"""What a nest comes to where its domain decides all conditions."""


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


PASS = Pass(
    "index-set-splitting",
    lambda program, goal: split_index_sets(program),
    "Guarded nests become an interior without guards, and borders.",
    source="Griebl, Feautrier and Lengauer 2000",
    establishes=forms(Form.SPLIT),
    for_caches=True,
)


def split_index_sets(program: Program) -> Program:
    """Splits the domain of every nest where a condition on one of its variables changes."""
    return replace(program, body=map_scoped_leaves(program.body, peel_nest, Scope()))


def peel_nest(nest: Nest, scope: Scope) -> tuple[Node, ...]:
    if few_points(nest) or not any(cuts_along(nest, r, scope) for r in nest.domain):
        return (nest,)
    pieces = _layers(nest, _outside_in(nest), scope)
    return tuple(node for piece in pieces for node in simplify_nest(piece, scope))


def _outside_in(nest: Nest) -> tuple[str, ...]:
    """Variables in the order in which their ranges are cut: last the one along which elements are neighbours."""
    last = nest.assigns[0].target.index[-1:]
    near = [r.var for r in nest.domain if any(isinstance(i, Affine) and abs(i.coefficient(r.var)) == 1 for i in last)]
    innermost = near[-1] if near else nest.domain[-1].var
    return (*(r.var for r in nest.domain if r.var != innermost), innermost)


def _layers(nest: Nest, order: tuple[str, ...], scope: Scope) -> list[Nest]:
    """The layers along a variable that no condition cuts any more; what is between them is cut along the next ones."""
    axis = next(n for n, r in enumerate(nest.domain) if r.var == order[0])
    is_innermost = len(order) == 1
    segments = _segments(nest, axis, cuts_along(nest, nest.domain[axis], scope))
    if len(segments) > MANY:
        return _onion(nest, 0, scope)
    out: list[Nest] = []
    for group, bare in _groups([(s, _bare(s, scope)) for s in segments], axis, is_innermost):
        if bare is not None:
            out += bare
        elif not is_innermost:
            out += _layers(group, order[1:], scope)
        else:
            out += [group] if _is_thin(group.domain[axis]) else _onion(group, 0, scope)
    return out


def _segments(nest: Nest, axis: int, cuts: list[Affine]) -> list[Nest]:
    r = nest.domain[axis]
    return [_with_range(nest, axis, replace(r, start=a, stop=b)) for a, b in pairwise([r.start, *cuts, r.stop])]


def _groups(segments: list[tuple[Nest, Bare]], axis: int, apart: bool) -> Iterator[tuple[Nest, Bare]]:
    """Neighbours of which at most one is thick, where both have conditions left and need not stay apart."""
    held: list[Nest] = []
    for segment, bare in segments:
        thick = [s for s in (*held, segment) if not _is_thin(s.domain[axis])]
        if held and (apart or bare is not None or len(thick) > 1):
            yield _joined(held, axis), None
            held = []
        if bare is not None:
            yield segment, bare
        else:
            held.append(segment)
    if held:
        yield _joined(held, axis), None


def _joined(neighbours: list[Nest], axis: int) -> Nest:
    return _with_range(neighbours[0], axis, replace(neighbours[0].domain[axis], stop=neighbours[-1].domain[axis].stop))


def _bare(nest: Nest, scope: Scope) -> Bare:
    """The nest without what its domain decides, unless conditions are left."""
    found = [restricted(n, scope) for n in simplify_nest(nest, scope) if isinstance(n, Nest)]
    return None if any(cuts_along(n, r, scope) for n in found for r in n.domain) else found


def _is_thin(r: Range) -> bool:
    return r.width.is_const and r.width.const <= THIN


def few_points(nest: Nest) -> bool:
    """Whether the nest is not worth more code."""
    total = 1
    for r in nest.domain:
        if not r.width.is_const:
            return False
        total *= max(r.width.const, 0)
    return total < FEW_POINTS


def _onion(nest: Nest, axis: int, scope: Scope) -> list[Nest]:
    """Two slabs for this dimension around what the next dimensions make of the interior."""
    if axis == len(nest.domain):
        return [nest]
    r = nest.domain[axis]
    cuts = cuts_along(nest, r, scope)
    if not cuts:
        return _onion(nest, axis + 1, scope)
    split = _split(r, cuts)
    inner = _onion(_with_range(nest, axis, split.interior), axis + 1, scope)
    below = _slab(nest, axis, split.below, scope) if split.first != r.start else []
    above = _slab(nest, axis, split.above, scope) if split.last != r.stop else []
    return [*below, *inner, *above]


def _slab(nest: Nest, axis: int, r: Range, scope: Scope) -> list[Nest]:
    slab = _with_range(nest, axis, r)
    if _is_thin(r):
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
