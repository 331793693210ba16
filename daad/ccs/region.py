"""Which part of an array a forwarded version must keep: per dimension a start that may move with the loops around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.context import Scope
from daad.analysis.dependence import Need
from daad.analysis.sites import least_of, loop_bounds
from daad.ccs.forwarded import Forwarded
from daad.errors import Unsupported
from daad.ir.affine import Affine, interval
from daad.ir.nodes import Array, Index, Loop
from daad.ir.pinning import NeedsConstant

Ranges = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Span:
    """`low <= index < high`, at most `extent` indices; low and high name loops around the point only."""

    low: Affine
    high: Affine
    extent: int


def loop_ranges(loops: Sequence[Loop]) -> Ranges:
    """Smallest and largest value of each loop variable; asks for constants where an int parameter is in the way."""
    known = Scope()
    for loop in loops:
        inner = known.enter(loop)
        if loop.var not in inner.ranges:
            raise _unbounded(next(end for end in loop_bounds(loop) if known.range(end) is None), known, loop)
        known = inner
    return known.ranges


def _unbounded(end: Index, known: Scope, loop: Loop) -> NeedsConstant | Unsupported:
    if isinstance(end, Affine):
        return NeedsConstant(next(n for n in end.names if n not in known.ranges))
    return Unsupported(
        "The trip count of this loop depends on data, and values must be kept for each of its iterations.",
        at=loop.at,
        hint="Bound the loop by a size or an int argument.",
    )


def region(forwarded: Forwarded, array: Array) -> tuple[Span, ...]:
    """The hull of all uses, dimension by dimension; the whole dimension where no tighter hull is provable."""
    ranges = loop_ranges((*forwarded.around, *forwarded.loops))
    outer = (*forwarded.around, *forwarded.loops)
    spans = [_use_spans(use, outer, ranges, array) for use in forwarded.uses]
    hulls = [_hull([s[d] for s in spans], array.shape[d], ranges) for d in range(len(array.shape))]
    return tuple(_inside(h, ranges, extent) for h, extent in zip(hulls, array.shape, strict=True))


def _inside(span: Span, ranges: Ranges, extent: int) -> Span:
    low, high = interval(span.low, ranges), interval(span.high, ranges)
    inside = low is not None and high is not None and low[0] >= 0 and high[1] <= extent
    return span if inside else Span(Affine(0), Affine(extent), extent)


def _use_spans(use: Need, outer: tuple[Loop, ...], ranges: Ranges, array: Array) -> list[Span]:
    loops = [loop for _, loop in use.site.loops]
    inner = [(loop.var, low, _furthest(high)) for loop in loops[len(outer) :] for low, high in (loop_bounds(loop),)]
    inner += [(r.var, r.start, r.stop) for r in use.site.domain]
    return [_span(index, inner, ranges, extent) for index, extent in zip(use.load.index, array.shape, strict=True)]


def _furthest(high: Index) -> Index:
    """A number that an end is not above, where one of those that it is the least of is one: that of a whole block."""
    return next((end for end in least_of(high) if end.is_const), high)


def _span(index: Index, inner: list[tuple[str, Index, Index]], ranges: Ranges, extent: int) -> Span:
    whole = Span(Affine(0), Affine(extent), extent)
    if not isinstance(index, Affine):
        return whole
    low = high = index
    for var, start, stop in reversed(inner):
        if not isinstance(start, Affine) or not isinstance(stop, Affine):
            if low.coefficient(var) or high.coefficient(var):
                return whole
            continue
        first, last = {var: start}, {var: stop - 1}
        low = low.substitute(first if low.coefficient(var) > 0 else last)
        high = high.substitute(last if high.coefficient(var) > 0 else first)
    return _clipped(Span(low, high + 1, 0), ranges, extent)


def _clipped(span: Span, ranges: Ranges, extent: int) -> Span:
    """Without what lies beyond the array in some iterations."""
    first, last = interval(span.low, ranges), interval(span.high, ranges)
    low = span.low if first is not None and first[0] >= 0 else Affine(0)
    high = span.high if last is not None and last[1] <= extent else Affine(extent)
    width = interval(high - low, ranges)
    whole = Span(Affine(0), Affine(extent), extent)
    return Span(low, high, width[1]) if width is not None and width[1] <= extent else whole


def _hull(spans: list[Span], extent: int, ranges: Ranges) -> Span:
    whole = Span(Affine(0), Affine(extent), extent)
    if not spans:  # nobody reads it: its state is kept as it is
        return whole
    low: Affine | None = spans[0].low
    below: Affine | None = -spans[0].high
    for span in spans[1:]:
        low, below = _smaller(low, span.low, ranges), _smaller(below, -span.high, ranges)
    if low is None or below is None:
        return whole
    size = interval(-below - low, ranges)
    return Span(low, -below, size[1]) if size is not None and size[1] <= extent else whole


def _smaller(one: Affine | None, other: Affine, ranges: Ranges) -> Affine | None:
    """The one that is never larger; None where that is not known."""
    if one is None:
        return None
    distance = interval(other - one, ranges)
    if distance is None:
        return None
    return one if distance[0] >= 0 else other if distance[1] <= 0 else None
