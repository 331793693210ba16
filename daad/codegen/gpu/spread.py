"""Who does what: the points of a step go to threads, warps or blocks, neighbours in memory to neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

from daad.codegen.gpu.separate_updates import is_scattered, summed_variables
from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import by_stride, most_contiguous
from daad.ir.nodes import Nest, Range

WARP = 32
MANY_TERMS = 1024
"""From so many terms on a block pays, if there are few sums."""
FEW_SUMS, FEW_THREADS = 1024, 16384


class Team(Enum):
    """Who computes a point."""

    THREAD = 1
    WARP = 2
    BLOCK = 3
    OWNERS = 4
    """All blocks go through all points, and each updates the places that it owns."""


@dataclass(frozen=True)
class Spread:
    """The `points` of a step, the last variable running fastest, of which a team takes one at a time; over the `summed`
    variables it sums, its members by turns."""

    points: tuple[Range, ...]
    summed: tuple[Range, ...]
    team: Team


def spread(nest: Nest, context: Context) -> Spread:
    """The spread of a step."""
    if not nest.domain:
        return Spread((), (), Team.THREAD)
    extents = {r.var: extent(r, context.known) for r in nest.domain}
    last = most_contiguous(nest, context, extents)
    order = (*(r for r in by_stride(nest, context) if r is not last), last)
    if is_scattered(nest, context.known, context.arrays):
        return Spread(order, (), Team.OWNERS)
    names = summed_variables(nest)
    points, summed = (tuple(r for r in order if (r.var in names) == is_in) for is_in in (False, True))
    sums, terms = (prod(extents[r.var] for r in ranges) for ranges in (points, summed))
    return Spread(points, summed, _team(sums, terms, last in summed))


def _team(sums: int, terms: int, is_along_memory: bool) -> Team:
    """Of so many sums of so many terms each, which may lie side by side."""
    if terms < WARP or (not is_along_memory and sums >= FEW_THREADS):
        return Team.THREAD
    is_for_blocks = terms >= MANY_TERMS and (sums < FEW_SUMS or not is_along_memory)
    return Team.BLOCK if is_for_blocks else Team.WARP
