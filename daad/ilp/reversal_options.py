"""What it takes to reverse a statement whose loops are run again, for any numbers of kept states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from daad.analysis.sites import Path, Point, sites
from daad.ilp.cache_traffic import inside, trips_of
from daad.ilp.model import Option
from daad.ilp.plan import Plan
from daad.ilp.restoration_costs import Return
from daad.ilp.statement_times import copy_seconds, iteration_seconds, state_seconds
from daad.ir.nodes import Branch, Loop, Node, Program
from daad.ir.versions import Version, array_of, is_at_end
from daad.ir.walk import loads, node_loads, walk, writes
from daad.loops.online import Online
from daad.loops.replay import Replayed, roots
from daad.loops.schedule import fewest_advances, last_kept

Slots = Mapping[Path, int]


@dataclass(frozen=True, kw_only=True)
class LoopAgain:
    """A loop that is run again, in numbers: how often it is reversed when the one around is reversed once, seconds of
    an iteration, and of what is left of one that is run to be reversed; bytes of a state, of those before each
    iteration together, of which only what it reads is kept, and of the tapes for one iteration, and those of them that
    have to be `copied`; `inner` loops are run again for each iteration. `is_online`: `trips` are the most that
    there may be.
    """

    path: Path
    trips: int
    times: float
    seconds: float
    last_seconds: float
    state: int
    each: int
    tapes: tuple[int, ...]
    copied: tuple[int, ...]
    inner: tuple[LoopAgain, ...]
    is_online: bool = False

    def held(self, slots: Slots) -> int:
        """Bytes of all states that are kept."""
        return self.held_of(slots[self.path], self.trips)

    def held_of(self, slots: int, trips: int) -> int:
        """The same of the loop in as many parts."""
        return self.state * slots if slots < trips or self.is_online else self.each * trips // self.trips

    def work(self, slots: Slots) -> int:
        """Bytes while an iteration is reversed: its tapes, and what the loops in it keep."""
        kept = sum(r.held(slots) for r in self.inner)
        return sum(self.tapes) + kept + max((r.work(slots) for r in self.inner), default=0)

    def steps_back(self, slots: int) -> int:
        """Iterations that are run on the way back."""
        return Online(self.trips, slots).steps if self.is_online else steps_back(self.trips, slots)

    def cost(self, slots: Slots, times: float = 1.0) -> float:
        """Seconds of running again for `times` reversals around the loop, and of what runs again inside of it."""
        times *= self.times
        advances = (self.steps_back(slots[self.path]) - self.trips) * self.seconds
        held = self.held(slots)
        moves = state_seconds(held / slots[self.path], held) + sum(map(copy_seconds, self.copied))
        inner = sum(r.cost(slots, times * self.trips) for r in self.inner)
        return times * (advances + self.trips * (self.last_seconds + moves)) + inner


@dataclass(frozen=True)
class Ways:
    """What one adjoint of a statement, in which the loops `paths` are run again, needs for any numbers of slots."""

    primal: Program
    plan: Plan
    group: tuple[Node, ...]
    paths: tuple[Path, ...]
    back: Return

    def option(self, slots: Slots) -> Option:
        """With these numbers of kept states."""
        return Option(
            slots=slots,
            demands=self.demands,
            touches=self.touches,
            held=sum(r.held(slots) for r in self.loops) + self.back.held,
            work=max((r.work(slots) for r in self.loops), default=0),
            seconds=sum(r.cost(slots) for r in self.loops) + self.tape_seconds + self.back.seconds,
            undo=self.back.undo,
            state=self.loops[0].state if len(slots) == 1 else 0,
            most=self.loops[0].trips if len(slots) == 1 else 0,
        )

    def in_blocks(self, length: int, blocks: int, slots: int, share: float) -> Option:
        """One loop in blocks; `share`: the length relative to that of the adjoint at hand."""
        (path,) = self.paths
        loop = next(r for r in self.loops if r.path == path)
        kept, work = loop.held_of(slots, blocks), share * self.tapes_of_blocks[0] + self.tapes_of_blocks[1]
        again = steps_back(blocks, slots) * length * self.outermost_seconds
        moves = blocks * (state_seconds(kept / slots, kept) + copy_seconds(work))
        return Option(
            slots={path: slots},
            blocks={path: length},
            demands=self.demands,
            touches=self.touches,
            held=kept + self.back.held,
            work=int(work),
            seconds=again + moves + self.tape_seconds + self.back.seconds,
            state=loop.state,
            most=blocks,
        )

    @cached_property
    def loops(self) -> tuple[LoopAgain, ...]:
        """The outermost loops that are run again."""
        return tuple(map(self._again, roots(self.group)))

    def _again(self, node: Replayed) -> LoopAgain:
        replay = node.replay
        loop = loop_at(self.primal, replay.path)
        times, middles = 1.0, dict[str, float]()
        for around in (*replay.around, *replay.loops):
            times *= trips_of(around, middles) if around in replay.loops else 1.0
            middles = inside(around, middles)
        snapshots = self.plan.snapshots[replay.path]
        left = replace(loop, body=loop.body[: _end(node, loop)])
        copied = [f for f in replay.forwarded if f.array in writes(left.body[_child(f.point, replay.path) :])]
        return LoopAgain(
            path=replay.path,
            trips=replay.schedule.trips,
            times=times,
            seconds=iteration_seconds(loop, self.primal.arrays, middles),
            last_seconds=iteration_seconds(left, self.primal.arrays, middles),
            state=snapshots.whole_bytes,
            each=snapshots.each_bytes,
            tapes=tuple(self.plan.kept[f.name].tape.nbytes for f in replay.forwarded),
            copied=tuple(self.plan.kept[f.name].tape.nbytes for f in copied),
            inner=tuple(map(self._again, roots(node.body))),
            is_online=isinstance(replay.schedule, Online),
        )

    @cached_property
    def tapes_of_blocks(self) -> tuple[int, int]:
        """Bytes of tapes that grow with the length of a block, and of others."""
        replay = next(r.replay for r in roots(self.group) if r.replay.path == self.paths[0])
        nbytes = [(bool(f.loops), self.plan.kept[f.name].tape.nbytes) for f in replay.forwarded]
        return sum(n for grows, n in nbytes if grows), sum(n for grows, n in nbytes if not grows)

    @cached_property
    def outermost_seconds(self) -> float:
        """Of an iteration of the loop at the first path."""
        loop = loop_at(self.primal, self.paths[0])
        return iteration_seconds(loop, self.primal.arrays, {})

    @cached_property
    def demands(self) -> frozenset[str]:
        """Arrays and kept versions that the adjoint reads from outside of what it runs again."""
        return frozenset(demands_of(self.group, self.plan))

    @cached_property
    def touches(self) -> frozenset[str]:
        """Arrays that are written again."""
        return self.back.arrays | {name for r in roots(self.group) for name in writes(r.replay.again)}

    @cached_property
    def tape_seconds(self) -> float:
        """Seconds to write and read what is kept."""
        return sum(copy_seconds(self.plan.kept[n].tape.nbytes) for n in self.demands if n in self.plan.kept)


def _end(node: Replayed, loop: Loop) -> int:
    """Up to where an iteration has to be run for its adjoint: what is written behind that is dead."""
    path = node.replay.path
    kept = [_child(f.point, path) + (len(f.point.container) > len(path)) for f in node.replay.forwarded]
    read = {_demanded(load.array) for n in walk(node.body) for top in node_loads(n) for load in loads(top)}
    inner = {n.replay.path[len(path)] + 1 for n in walk(node.body) if isinstance(n, Replayed)}
    return max([*kept, *inner, *(n + 1 for n, each in enumerate(loop.body) if writes((each,)) & read)], default=0)


def _child(point: Point, path: Path) -> int:
    """The child of the loop at `path` that is, or contains, the point."""
    return (*point.container, point.child)[len(path)]


def steps_back(trips: int, slots: int) -> int:
    """Iterations that the optimal schedule runs after the loop itself has run."""
    return trips + fewest_advances(trips, slots) - last_kept(trips, slots)


def loop_at(program: Program, path: Path) -> Loop:
    """The loop of a path."""
    return next(s.node for s in sites(program.body) if s.path == path and isinstance(s.node, Loop))


def demands_of(body: Iterable[Node], plan: Plan) -> set[str]:
    """Arrays as the primal leaves them, and kept versions, that an adjoint reads from outside of what it runs again."""
    found: set[str] = set()
    for node in body:
        own = {load.array for top in node_loads(node) for load in loads(top)}
        if isinstance(node, Replayed):
            inner = demands_of(node.body, plan) | _versions(node.replay.primal)
            made = writes(node.replay.primal) | {f.name for f in node.replay.forwarded}
            found |= {name for name in inner if name not in made}
        elif isinstance(node, Loop):
            found |= demands_of(node.body, plan)
        elif isinstance(node, Branch):
            found |= demands_of((*node.then, *node.orelse), plan)
        found |= {_demanded(name) for name in own if isinstance(name, Version)}
    return found


def _versions(body: tuple[Node, ...]) -> set[str]:
    """Versions from outside that the statements of a loop read when they are run again."""
    names = {load.array for node in walk(body) for top in node_loads(node) for load in loads(top)}
    return {_demanded(name) for name in names if isinstance(name, Version)}


def _demanded(name: str) -> str:
    """What has to be there for a read: the array itself, where it is as the primal leaves it."""
    return array_of(name) if is_at_end(name) else name
