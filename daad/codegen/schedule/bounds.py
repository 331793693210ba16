"""What is known about the values of loop and domain variables: ranges, in-bounds proofs, numbers of points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daad.analysis.polyhedra import feasible
from daad.analysis.sites import loop_bounds
from daad.codegen.schedule.strides import position
from daad.ir.affine import Affine, interval
from daad.ir.intervals import index_interval
from daad.ir.nodes import Access, Array, Load, Loop, Range
from daad.ir.walk import loads, runs_once

Ranges = Mapping[str, tuple[int, int]]  # name -> smallest and largest value; unknown names are missing


def with_domain(ranges: Ranges, domain: Iterable[Range]) -> dict[str, tuple[int, int]]:
    """The ranges inside of a domain."""
    inner = dict(ranges)
    for r in domain:
        low, high = interval(r.start, ranges), interval(r.stop, ranges)
        if low is not None and high is not None:
            inner[r.var] = (low[0], high[1] - 1)
    return inner


def with_loop(ranges: Ranges, loop: Loop) -> dict[str, tuple[int, int]]:
    """The ranges inside of a loop."""
    inner = dict(ranges)
    if is_definition(loop) and (value := index_interval(loop.start, ranges)) is not None:
        inner[loop.var] = value
        return inner
    if not isinstance(loop.start, Affine) or not isinstance(loop.stop, Affine):
        return inner
    start, stop = interval(loop.start, ranges), interval(loop.stop, ranges)
    if start is not None and stop is not None:
        inner[loop.var] = (start[0], stop[1] - 1) if loop.step > 0 else (stop[0] + 1, start[1])
    return inner


def is_definition(loop: Loop) -> bool:
    """Whether the loop only names a value made from other variables."""
    return runs_once(loop) and not isinstance(loop.start, Affine) and not any(loads(loop.start))


def bounds_of_loop(loop: Loop) -> list[Affine]:
    """Forms that are >= 0 inside of a loop."""
    low, high = loop_bounds(loop)
    forms = [Affine.of(loop.var) - low] if isinstance(low, Affine) else []
    return forms + ([high - 1 - Affine.of(loop.var)] if isinstance(high, Affine) else [])


def inside(
    access: Access | Load, array: Array, ranges: Ranges, domain: Iterable[Range], constraints: Iterable[Affine]
) -> bool:
    """True only if the access is proven to lie within the array's memory, so that it may be read at any time.

    That is wherever its variables have values: for those of loops, `constraints` (forms >= 0) hold, for its own their
    bounds in the `domain`. Other variables of the domain may have no value there.
    """
    place = position(access, array)
    if place is None:
        return False
    bounds = interval(place, ranges)
    if bounds is not None and bounds[0] >= 0 and bounds[1] < array.size:
        return True
    # The place in a block is small, though neither the variable nor the beginning of the block is.
    facts = [*constraints, *(form for r in domain if r.var in place.names for form in r.bounds)]
    return not any(feasible((), (*facts, beyond)) for beyond in (-place - 1, place - array.size))


def is_nonempty(r: Range, ranges: Ranges) -> bool:
    """True only if the range is proven to hold a value."""
    bounds = interval(r.width, ranges)
    return bounds is not None and bounds[0] > 0


def is_empty(r: Range, ranges: Ranges) -> bool:
    """True only if the range is proven to hold no value."""
    bounds = interval(r.width, ranges)
    return bounds is not None and bounds[1] <= 0


def most_values(domain: Iterable[Range], ranges: Ranges) -> dict[str, int]:
    """How many values each range holds at most, where that is known: extents may be less, so they prove nothing."""
    found = ((r.var, interval(r.width, ranges)) for r in domain)
    return {var: bounds[1] for var, bounds in found if bounds}


def extent(r: Range, ranges: Ranges, unknown: int = 256) -> int:
    """The number of values: exact where constant, otherwise the middle of what is possible, or a guess."""
    bounds = interval(r.width, ranges)
    return max(0, (bounds[0] + bounds[1] + 1) // 2) if bounds else unknown
