"""The plan: for each forwarded version of an array, how the adjoint gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import prod

import numpy as np

from daad.analysis.sites import Path, Point
from daad.ccs.forwarded import Forwarded
from daad.ccs.region import Ranges, Span, loop_ranges, region
from daad.ilp.online_stores import averages, integer_bytes, integers_of
from daad.ilp.tape import dimensions
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Index
from daad.loops.online import Online
from daad.loops.replay import Replay, Replayed, replayed_in, tables_of, uses_of
from daad.loops.reverse import Adjoint
from daad.loops.schedule import Schedule


class Decision(Enum):
    """How a forwarded value reaches the adjoint."""

    STORE = "store"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A version kept in `tape`: its dimensions are the loops around the point, of which the current iteration is at
    `trips`, then the spans of the array."""

    forwarded: Forwarded
    decision: Decision
    tape: Array
    trips: tuple[Affine, ...]
    spans: tuple[Span, ...]

    def place(self, index: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Where the tape holds the element `index` of the array in the current iteration."""
        return self.trips + tuple(i - s.low for i, s in zip(index, self.spans, strict=True))


@dataclass(frozen=True, kw_only=True)
class Snapshots:
    """The states of a loop that is run again: for each array of its state one with the dimensions of the loops around
    (from their smallest values in `ranges`), of the slots, and its own. `tables` are those of its schedule, or
    the integers from which the program works it out.

    Where the state before each iteration is kept, there are no tables, and an array holds what that iteration reads:
    `each` has the version of the array before the iteration. `whole_bytes` are those of one state with all elements,
    `each_bytes` those of what all iterations read.
    """

    replay: Replay
    kept: Mapping[str, Array]
    each: Mapping[str, Kept]
    whole_bytes: int
    each_bytes: int
    tables: Mapping[str, Array]
    ranges: Ranges

    def place(self, slot: Index, index: tuple[Affine, ...]) -> tuple[Index, ...]:
        """Where the element `index` of an array is kept in the current iteration of the loops around."""
        return (*self.trips, slot, *index)

    @property
    def trips(self) -> tuple[Affine, ...]:
        """The current iteration of the loops around."""
        return tuple(Affine.of(loop.var) - self.ranges[loop.var][0] for loop in self.replay.loops)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is kept, by the name of the forwarded version, and of loops that are run again by their path; all other
    values are read in place."""

    kept: Mapping[str, Kept]
    snapshots: Mapping[Path, Snapshots] = field(default_factory=dict)

    @property
    def tapes(self) -> tuple[Array, ...]:
        """All arrays that hold values for the adjoint."""
        snapshots = (a for s in self.snapshots.values() for a in s.kept.values())
        return (*(k.tape for k in self.kept.values()), *snapshots)

    @property
    def tape_bytes(self) -> int:
        return sum(a.nbytes for a in self.tapes)

    @property
    def integers(self) -> tuple[Array, ...]:
        """Those from which the program works out schedules itself."""
        online = (s.tables for s in self.snapshots.values() if isinstance(s.replay.schedule, Online))
        return tuple(array for tables in online for array in tables.values())

    @property
    def averages(self) -> dict[str, np.ndarray]:
        """Of these integers, what bounds of loops are on average."""
        online = ((s.replay.schedule, s.tables) for s in self.snapshots.values())
        return {k: v for o, tables in online if isinstance(o, Online) for k, v in averages(o, tables).items()}

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """The schedules as arrays of integers, which the joint program reads as parameters."""
        return {
            s.tables[what].name: table for s in self.snapshots.values() for what, table in tables_of(s.replay).items()
        }


def make_plan(adjoint: Adjoint) -> Plan:
    """Stores each forwarded version once, at the outermost loop level at which it is known."""
    arrays = adjoint.primal.arrays
    names = NameSupply.of(adjoint.primal)
    names.take(*(a.name for a in (*adjoint.bars.values(), *adjoint.extra)))
    kept: dict[str, Kept] = {}
    for forwarded in adjoint.kept:
        kept[forwarded.name] = _store(forwarded, arrays[forwarded.array], names)
    snapshots = {node.replay.path: _snapshots(node, arrays, names) for node in replayed_in(adjoint.body)}
    return Plan(kept=kept, snapshots=snapshots)


def _snapshots(node: Replayed, arrays: Mapping[str, Array], names: NameSupply) -> Snapshots:
    replay = node.replay
    ranges = loop_ranges((*replay.around, *replay.loops))
    trips = tuple(ranges[loop.var][1] - ranges[loop.var][0] + 1 for loop in replay.loops)
    own = names.within(())
    each = {n: _store(_before_each(node, arrays[n]), arrays[n], own, f"{n}_states") for n in replay.state}
    whole_bytes = prod(trips) * sum(arrays[n].nbytes for n in replay.state)
    each_bytes = sum(k.tape.nbytes for k in each.values())
    found = Snapshots(
        replay=replay, kept={}, each=each, whole_bytes=whole_bytes, each_bytes=each_bytes, tables={}, ranges=ranges
    )
    if isinstance(replay.schedule, Schedule) and replay.schedule.keeps_all:
        names.take(*(k.tape.name for k in each.values()))
        return replace(found, kept={n: k.tape for n, k in each.items()})

    def array(wanted: str, shape: tuple[int, ...], dtype: str) -> Array:
        return Array(names.new(wanted), shape, dtype)

    slots = replay.schedule.slots
    states = {n: array(f"{n}_states", (*trips, slots, *arrays[n].shape), arrays[n].dtype) for n in replay.state}
    tables = {what: array(what, table.shape, "int64") for what, table in tables_of(replay).items()}
    if isinstance(replay.schedule, Online):
        tables = integers_of(replay, replay.schedule, trips, names)
        found = replace(found, whole_bytes=whole_bytes + integer_bytes(trips, 1))
    return replace(found, kept=states, each={}, tables=tables)


def _before_each(node: Replayed, array: Array) -> Forwarded:
    """What an array of the state holds before each iteration, as far as the iteration reads it."""
    return Forwarded(
        name=array.name,
        array=array.name,
        dtype=array.dtype,
        point=Point(node.replay.path, 0),
        loops=(*node.replay.loops, node),
        uses=tuple(uses_of(node, array.name)),
        around=node.replay.around,
    )


def _store(forwarded: Forwarded, array: Array, names: NameSupply, wanted: str = "") -> Kept:
    spans = region(forwarded, array)
    found = dimensions(forwarded, spans, array.dtype)
    name = names.new(wanted or (f"{array.name}_tape" if found.trips else f"{array.name}_kept"))
    return Kept(
        forwarded=forwarded,
        decision=Decision.STORE,
        tape=found.array(name, array.dtype),
        trips=found.trips,
        spans=spans,
    )
