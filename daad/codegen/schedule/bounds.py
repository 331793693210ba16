"""What code generation asks of what is known at a place: proofs that accesses are in bounds, numbers of points."""

from __future__ import annotations

from collections.abc import Iterable

from daad.analysis.context import Scope
from daad.codegen.schedule.strides import position
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Index, Load, Loop, Range
from daad.ir.walk import loads, runs_once


def is_definition(loop: Loop) -> bool:
    """Whether the loop only names a value made from other variables."""
    return runs_once(loop) and not isinstance(loop.start, Affine) and not any(loads(loop.start))


def inside(access: Access | Load, array: Array, domain: Iterable[Range], known: Scope) -> bool:
    """True only if the access is proven to lie within the array's memory, so that it may be read at any time.

    That is wherever its variables have values: for those of loops, what is `known` around the nest holds, for its own
    their bounds in the `domain`. Other variables of the domain may have no value there.
    """
    place = position(access, array)
    if place is None:
        return False
    domain = tuple(domain)
    bounds = known.with_domain(domain).range(place)
    if bounds is not None and bounds[0] >= 0 and bounds[1] < array.size:
        return True
    # The place in a block is small, though neither the variable nor the beginning of the block is.
    own = known.with_domain(r for r in domain if r.var in place.names)
    return own.proves(place) and own.proves(array.size - 1 - place)


def is_nonempty(r: Range, known: Scope) -> bool:
    """True only if the range is proven to hold a value."""
    bounds = known.range(r.width)
    return bounds is not None and bounds[0] > 0


def is_empty(r: Range, known: Scope) -> bool:
    """True only if the range is proven to hold no value."""
    bounds = known.range(r.width)
    return bounds is not None and bounds[1] <= 0


def most_values(domain: Iterable[Range], known: Scope) -> dict[str, int]:
    """How many values each range holds at most, where that is known: extents may be less, so they prove nothing."""
    found = ((r.var, known.range(r.width)) for r in domain)
    return {var: bounds[1] for var, bounds in found if bounds}


def is_void(domain: Iterable[Range], known: Scope) -> bool:
    """True only if the domain is proven to hold no point."""
    return any(is_empty(r, known) for r in domain)


def is_within(index: Index, size: int, known: Scope) -> bool:
    """True only if an index is proven to lie within an axis of this size."""
    bounds = known.range(index)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < size


def extent(r: Range, known: Scope, unknown: int = 256) -> int:
    """The number of values: exact where constant, otherwise the middle of what is possible, or a guess."""
    bounds = known.range(r.width)
    return max(0, (bounds[0] + bounds[1] + 1) // 2) if bounds else unknown
