"""The shape of a tape: the iterations of the loops around, and in each the part of the array that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from daad.analysis.sites import loop_bounds
from daad.ccs.forwarded import Forwarded
from daad.ccs.region import Ranges, Span, loop_ranges
from daad.ir.affine import Affine, interval
from daad.ir.nodes import Array
from daad.ir.ragged import Extents, bound, bounding_shape, index_name

PACKED_FROM = 2**16
"""Bytes below which a tape holds as many elements in each iteration, whatever it needs."""

PACKED_PART = 0.75
"""Rows have lengths of their own where the tape shrinks at least to this part."""


@dataclass(frozen=True)
class Dimensions:
    """Of a tape: `trips` is the place of the current iteration, `extents` those of these dimensions and of the spans;
    an extent may name indices of earlier dimensions."""

    trips: tuple[Affine, ...]
    extents: Extents

    def array(self, name: str, dtype: str) -> Array:
        """The array with these dimensions."""
        rows = self.extents if any(e.terms for e in self.extents) else ()
        return Array(name, bounding_shape(self.extents), dtype, rows)


def dimensions(forwarded: Forwarded, spans: Sequence[Span], dtype: str) -> Dimensions:
    """As many elements for each iteration as one needs at most, or as each needs where that saves enough."""
    even, exact = _even(forwarded, spans), _exact(forwarded, spans)
    most = even.array("", dtype).nbytes
    saves = most >= PACKED_FROM and exact.array("", dtype).nbytes <= PACKED_PART * most
    return exact if saves else even


def _ranges(forwarded: Forwarded) -> Ranges:
    return loop_ranges((*forwarded.around, *forwarded.loops))


def _even(forwarded: Forwarded, spans: Sequence[Span]) -> Dimensions:
    """The loops from the smallest to the largest value of their variables."""
    ends = [_ranges(forwarded)[loop.var] for loop in forwarded.loops]
    trips = tuple(Affine.of(loop.var) - low for loop, (low, _) in zip(forwarded.loops, ends, strict=True))
    sizes = [high - low + 1 for low, high in ends] + [max(s.extent, 0) for s in spans]
    return Dimensions(trips, tuple(Affine(n) for n in sizes))


def _exact(forwarded: Forwarded, spans: Sequence[Span]) -> Dimensions:
    """Each loop from its own first value, and the first span that varies.

    Further ones are as large as possible: rows are found by the variables of loops alone, and so they are one stride
    apart in each iteration. So is what varies with loops that have no dimension.
    """
    ranges = _ranges(forwarded)
    builder = _Builder(ranges, {}, [])
    trips = []
    for loop in forwarded.loops:
        low, high = loop_bounds(loop)
        if not isinstance(low, Affine) or not isinstance(high, Affine):
            low, high = (Affine(ranges[loop.var][end] + end) for end in (0, 1))
        trips.append(Affine.of(loop.var) - low)
        first = low.substitute(builder.values)
        builder.add(high - low)
        builder.values[loop.var] = first + Affine.of(index_name(len(builder.extents) - 1))
    loops = len(builder.extents)
    for span in spans:
        width, varies = span.high - span.low, any(e.terms for e in builder.extents[loops:])
        builder.add(width if width.terms and not varies else Affine(span.extent))
    return Dimensions(tuple(trips), tuple(builder.extents))


@dataclass(frozen=True)
class _Builder:
    """`values` are the variables of the loops so far, by the indices of their dimensions."""

    ranges: Ranges
    values: dict[str, Affine]
    extents: list[Affine]

    def add(self, size: Affine) -> None:
        """A dimension of this size; longer by what the smallest one lacks to zero, since none may be negative."""
        extent = size.substitute(self.values)
        if not set(extent.names) <= {index_name(d) for d in range(len(self.extents))}:
            most = interval(size, self.ranges)
            assert most is not None, f"the size {size} of a tape is not bounded"
            extent = Affine(max(0, most[1]))
        smallest = bound(extent, tuple(self.extents), largest=False)
        self.extents.append(extent - min(0, smallest))
