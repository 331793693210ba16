"""The plan: for each forwarded version of an array, how the adjoint gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from daad.ccs.forwarded import Forwarded
from daad.ccs.region import Ranges, Span, loop_ranges, region
from daad.loops.reverse import Adjoint
from daad.program.affine import Affine
from daad.program.names import fresh
from daad.program.nodes import Array


class Decision(Enum):
    """How a forwarded value reaches the adjoint."""

    STORE = "store"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A version kept in `tape`: its dimensions are the loops around the point, each from its smallest value in
    `ranges`, then the spans of the array."""

    forwarded: Forwarded
    decision: Decision
    tape: Array
    ranges: Ranges
    spans: tuple[Span, ...]

    def place(self, index: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Where the tape holds the element `index` of the array in the current iteration."""
        trips = tuple(Affine.of(loop.var) - self.ranges[loop.var][0] for loop in self.forwarded.loops)
        return trips + tuple(i - s.low for i, s in zip(index, self.spans, strict=True))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is kept, by the name of the forwarded version; all other values are read in place."""

    kept: Mapping[str, Kept]

    @property
    def tape_bytes(self) -> int:
        return sum(k.tape.nbytes for k in self.kept.values())


def make_plan(adjoint: Adjoint) -> Plan:
    """Stores each forwarded version once, at the outermost loop level at which it is known."""
    arrays = adjoint.primal.arrays
    taken = {*arrays, *adjoint.primal.integers, *(a.name for a in adjoint.bars.values())}
    kept: dict[str, Kept] = {}
    for forwarded in adjoint.forwarded:
        kept[forwarded.name] = _store(forwarded, arrays[forwarded.array], taken)
        taken.add(kept[forwarded.name].tape.name)
    return Plan(kept=kept)


def _store(forwarded: Forwarded, array: Array, taken: set[str]) -> Kept:
    ranges, spans = loop_ranges(forwarded.loops), region(forwarded, array)
    trips = tuple(ranges[loop.var][1] - ranges[loop.var][0] + 1 for loop in forwarded.loops)
    name = fresh(f"{array.name}_tape" if trips else f"{array.name}_kept", taken)
    shape = trips + tuple(max(s.extent, 0) for s in spans)
    return Kept(
        forwarded=forwarded,
        decision=Decision.STORE,
        tape=Array(name, shape, array.dtype),
        ranges=ranges,
        spans=spans,
    )
