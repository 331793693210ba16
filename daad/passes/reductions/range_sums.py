"""Sums over the points of a triangle with fewer operations: what is the same along a range is summed once, then spread.

`loop i: for k in i .. n, j in 0 .. m: x[k, i] += a[k, j]` needs each row of `a` once, not for each `i`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.analysis.context import Scope
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.nodes import Access, Array, Assign, Load, Loop, Nest, Node, Range
from daad.passes.reductions.reduction_simplification import Split, points, product_of, splits
from daad.passes.reductions.reordering import turned
from daad.passes.reductions.triangular_sums import moving, pairs


@dataclass(frozen=True)
class Wedge:
    """Pairs of values of two ranges, of which the second moves with the first at one end; `inhabited` are values of the
    first for which the second has one, `reach` those that it ever has."""

    along: Range
    over: Range
    inhabited: Range
    reach: Range

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.along.var, self.over.var))

    def straight(self, ranges: Sequence[Range]) -> tuple[Range, ...]:
        """Ranges of which no other is needed to know them."""
        return tuple({self.along: self.inhabited, self.over: self.reach}.get(r, r) for r in ranges)

    def is_whole(self, ranges: Sequence[Range]) -> bool:
        """Whether the ranges are those of the pairs, and maybe others."""
        return self.names <= {r.var for r in ranges}

    def points(self, ranges: Sequence[Range]) -> int:
        if not self.is_whole(ranges):
            return points(self.straight(ranges))
        return pairs(self.along, self.over) * points([r for r in ranges if r.var not in self.names])

    def nest(self, ranges: Sequence[Range], assign: Assign) -> Node:
        """The update for all points."""
        if not self.is_whole(ranges):
            return Nest(self.straight(ranges), (assign,))
        rest = tuple(r for r in ranges if r is not self.along)
        loop = Loop(self.along.var, self.along.start, self.along.stop, 1, (Nest(rest, (assign,)),))
        return turned(loop, Scope())


@dataclass(frozen=True)
class Shared:
    """What a nest adds up over a wedge, with sums that are spread."""

    wedge: Wedge
    split: Split
    target: Access
    dtype: str

    @property
    def points(self) -> int:
        """Of all nests together."""
        return self.wedge.points(self.split.inner) + self.wedge.points(self.split.around)

    @property
    def sums(self) -> tuple[int, ...]:
        """The shape of what is summed once."""
        return tuple(r.width.const for r in self.wedge.straight(self.split.common))

    def nodes(self, total: Array) -> tuple[Node, ...]:
        """The sum with an array for what is summed once."""
        common = self.wedge.straight(self.split.common)
        place = tuple(Affine.of(r.var) - r.start for r in common)
        sums, load = Access(total.name, place), Load(total.name, place, self.dtype)
        clear = Assign(sums, "=", const(0, self.dtype))
        enter = Assign(sums, "+=", product_of(self.split.within, None, self.dtype))
        give = Assign(self.target, "+=", product_of(self.split.apart, load, self.dtype))
        return (
            Nest(common, (clear,)),
            self.wedge.nest(self.split.inner, enter),
            self.wedge.nest(self.split.around, give),
        )


def shared_over(nest: Nest, r: Range) -> Shared | None:
    """The sums of a nest over its one moving range and the one that it moves with, in the way that takes the fewest
    operations; all other bounds are constants."""
    [skewed] = moving(nest, r.var)
    wedge = _wedge(r, skewed)
    if wedge is None:
        return None
    assign = nest.assigns[0]
    whole = replace(nest, domain=(r, *nest.domain))
    found = [Shared(wedge, s, assign.target, assign.value.dtype) for s in splits(whole) if _is_valid(s, wedge)]
    return min((s for s in found if s.points < wedge.points(whole.domain)), key=lambda s: s.points, default=None)


def _is_valid(split: Split, wedge: Wedge) -> bool:
    """Where one of the two is summed over, it is for each value of the other."""
    gone = {r.var for r in split.inner if r not in split.around}
    return wedge.names.isdisjoint(gone) or wedge.is_whole(split.inner)


def _wedge(r: Range, skewed: Range) -> Wedge | None:
    """None where values of the second range do not just become more or fewer."""
    fixed, moved = sorted((skewed.start, skewed.stop), key=lambda form: len(form.terms))
    if not fixed.is_const or moved.names != (r.var,):
        return None
    inhabited = _inhabited(r, skewed.width)
    if not points((inhabited,)):
        return None
    at = [{r.var: inhabited.start}, {r.var: inhabited.last}]
    ends = [replace(skewed, start=skewed.start.substitute(x), stop=skewed.stop.substitute(x)) for x in at]
    return Wedge(r, skewed, inhabited, max(ends, key=lambda end: end.width.const))


def _inhabited(r: Range, width: Affine) -> Range:
    """Values of `r` at which a range has a value."""
    slope = width.coefficient(r.var)
    if slope > 0:
        return replace(r, start=Affine(max(r.start.const, -width.const // slope + 1)))
    return replace(r, stop=Affine(min(r.stop.const, -(-width.const // -slope))))
