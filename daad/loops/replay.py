"""Loops of which only some states are kept: what has to be kept to run iterations again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from daad.analysis.dependence import Need
from daad.analysis.reaching_definitions import is_written_first
from daad.analysis.sites import Path, Site, loop_bounds, sites
from daad.ccs.forwarded import Forwarded
from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Load, Loop, Nest, Node
from daad.ir.versions import array_of
from daad.ir.walk import node_loads, walk
from daad.loops.online import Online
from daad.loops.schedule import NO_SLOT, Schedule
from daad.loops.unchanged_arrays import Writes, left_out


@dataclass(frozen=True, kw_only=True)
class Replay:
    """How a loop at `path` is reversed by running its iterations again, as `schedule` says.

    `primal` is the body that is run, `state` the arrays that an iteration reads before it writes them; `forwarded` are
    versions that are kept between one iteration and its reversal. Statements that make arrays of `held` are left out of
    the body: these still hold what the loop has given them. `loops` enclose the loop (the state is kept for each of
    their iterations), `around` those that are reversed iteration by iteration themselves. `first` is the first value of
    the variable, `direction` the step, `origin` the variable of the loop whose blocks are run again.
    """

    path: Path
    var: str
    loops: tuple[Loop, ...]
    around: tuple[Loop, ...]
    primal: tuple[Node, ...]
    first: int
    direction: int
    state: tuple[str, ...]
    forwarded: tuple[Forwarded, ...]
    schedule: Schedule | Online
    held: frozenset[str] = frozenset()
    origin: str | None = None

    @property
    def again(self) -> tuple[Node, ...]:
        """What of `primal` is run."""
        return left_out(self.primal, self.held)

    def value(self, iteration: int) -> int:
        """The loop's variable in an iteration."""
        return self.first + self.direction * iteration


@dataclass(frozen=True, kw_only=True)
class Replayed(Loop):
    """Stands in an adjoint for a loop that is run again and reversed; `body` is the reversed iteration.

    What arrays it reads and writes is that of both; who walks through an adjoint comes to `body` alone.
    """

    replay: Replay

    @property
    def inside(self) -> tuple[Node, ...]:
        return (*self.replay.primal, *self.body)


ACTION = RESTORE, FIRST, LAST, REVERSE = tuple(range(4))
"""Columns: the slot to restore, which advances follow (from, to), and the iteration to reverse."""

ADVANCE = START, STOP, KEEP, KEEP_END = tuple(range(4))
"""Columns: the iterations to run (from, to), and the slot to keep the state in (from, to; empty where none)."""


def action_table(replay: Replay, schedule: Schedule) -> np.ndarray:
    """int64[actions, 4]; iterations are values of the loop's variable."""
    rows, done = [], 0
    for action in schedule.actions:
        end = done + len(action.advances)
        rows.append((action.restore, done, end, replay.value(action.reverse)))
        done = end
    return np.array(rows, dtype=np.int64).reshape(-1, len(ACTION))


def advance_table(replay: Replay, schedule: Schedule) -> np.ndarray:
    """int64[advances, 4], at least one row; iterations are values of the loop's variable."""
    parts = [part for action in schedule.actions for part in action.advances]
    rows = [(replay.value(p.start), replay.value(p.stop), p.keep, p.keep + (p.keep != NO_SLOT)) for p in parts]
    return np.array(rows or [(0, 0, 0, 0)], dtype=np.int64)


def kept_table(replay: Replay, schedule: Schedule) -> np.ndarray:
    """int64[iterations, 2], in the order of the variable's values: the slots that the loop itself fills, from, to."""
    table = np.zeros((schedule.trips, 2), dtype=np.int64)
    for at, slot in schedule.kept:
        table[at if replay.direction > 0 else -1 - at] = slot, slot + 1
    return table


def tables_of(replay: Replay) -> dict[str, np.ndarray]:
    """The schedule as the compiled code reads it, by what the tables hold; none where each state is kept, or
    the program itself works it out."""
    schedule = replay.schedule
    if isinstance(schedule, Online) or schedule.keeps_all:
        return {}
    made = {"actions": action_table, "advances": advance_table, "marks": kept_table}
    return {what: table(replay, schedule) for what, table in made.items()}


def replays_of(body: tuple[Node, ...]) -> Iterator[Replay]:
    """All replays of an adjoint, outer ones first."""
    return (node.replay for node in replayed_in(body))


def replayed_in(body: tuple[Node, ...]) -> Iterator[Replayed]:
    """All loops of an adjoint that are run again, outer ones first."""
    return (node for node in walk(body) if isinstance(node, Replayed))


def roots(body: tuple[Node, ...]) -> list[Replayed]:
    """The loops of a body that are run again, without those inside of them."""
    found: list[Replayed] = []
    for node in body:
        if isinstance(node, Replayed):
            found.append(node)
        elif isinstance(node, Loop):
            found += roots(node.body)
        elif isinstance(node, Branch):
            found += roots((*node.then, *node.orelse))
    return found


def uses_of(node: Replayed, name: str) -> Iterator[Need]:
    """The elements of an array, in any version, that an iteration reads when it is run again and reversed."""
    loops = tuple((0, loop) for loop in (*node.replay.around, *node.replay.loops, node))
    for body in (node.replay.again, node.body):
        for site in sites(body, (), loops):
            for load in reads_at(site):
                if array_of(load.array) == name:
                    yield Need(site, load)


def is_constant(loop: Loop) -> bool:
    """Whether the first and the last value of the variable are numbers."""
    return all(isinstance(end, Affine) and end.is_const for end in (loop.start, loop.stop))


def first_value(loop: Loop) -> int:
    """The variable in the first iteration of a loop with constant bounds."""
    assert isinstance(loop.start, Affine), f"the loop over '{loop.var}' has no constant bounds"
    return loop.start.const


def trip_count(loop: Loop) -> int:
    """How many iterations a loop with constant bounds has."""
    low, high = loop_bounds(loop)
    ends = [end.const for end in (low, high) if isinstance(end, Affine)]
    assert len(ends) == 2, f"the loop over '{loop.var}' has no constant bounds"
    return max(0, ends[1] - ends[0])


def read_before_written(loop: Site, writes: Writes) -> tuple[str, ...]:
    """Arrays whose content at the start of an iteration may matter to it; `writes` are those of the loop."""
    assert isinstance(loop.node, Loop), "only loops have iterations"
    inside = [Site(loop.node, loop.path, loop.loops), *sites(loop.node.body, loop.path, loop.loops)][1:]
    found: dict[str, None] = {}
    for site in inside:
        for load in reads_at(site):
            if load.array in writes and not is_written_first(Need(site, load), writes[load.array]):
                found[load.array] = None
    return tuple(sorted(found))


def reads_at(site: Site) -> Iterator[Load]:
    """What a nest, a loop's bounds or a branch's condition read, targets that are updated included."""
    yield from node_loads(site.node)
    if isinstance(site.node, Nest):
        yield from (Load(a.target.array, a.target.index, "") for a in site.node.assigns if a.op != "=")
