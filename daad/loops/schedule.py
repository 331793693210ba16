"""When to keep and when to restore the state of a sequential loop, so that a few slots serve all of its iterations.

Binomial checkpointing (Griewank and Walther, ACM TOMS 26, 2000): with c slots, no iteration computed more than r times,
C(c + r, c) iterations can be reversed, and no schedule needs fewer forward steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb

NO_SLOT = -1


@dataclass(frozen=True)
class Advance:
    """Iterations `start` to `stop` (not included) are run; then the state is kept in a slot, unless that is NO_SLOT."""

    start: int
    stop: int
    keep: int


@dataclass(frozen=True)
class Action:
    """The state is restored from a slot, advanced, and iteration `reverse` is run and reversed."""

    restore: int
    advances: tuple[Advance, ...]
    reverse: int


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """`kept` are the iterations before which the loop itself keeps its state, with their slots; then the `actions`.

    Iterations count from 0.
    """

    trips: int
    slots: int
    kept: tuple[tuple[int, int], ...]
    actions: tuple[Action, ...]

    @property
    def keeps_all(self) -> bool:
        """Whether the state before each iteration is kept: nothing is run to get to one."""
        return len(self.kept) == self.trips

    @property
    def steps(self) -> int:
        """Iterations run on the way back: those that only advance, and each once more to be reversed."""
        return self.trips + sum(part.stop - part.start for a in self.actions for part in a.advances)


def binomial(trips: int, slots: int) -> Schedule:
    """The schedule with the fewest steps for a loop of `trips` iterations with at least one slot."""
    slots = max(1, min(slots, trips))
    kept = tuple(_kept_on_the_way(trips, slots))
    actions: list[Action] = []
    end = trips
    for start, slot in reversed(kept):
        actions += _reversed(start, end, slot, slots)
        end = start
    return Schedule(trips=trips, slots=slots, kept=kept, actions=tuple(actions))


def _kept_on_the_way(trips: int, slots: int) -> Iterator[tuple[int, int]]:
    start = 0
    for slot in range(slots):
        yield start, slot
        if trips - start <= 1:
            return
        if slot + 1 < slots:
            start += split(trips - start, slots - slot)


def _reversed(start: int, end: int, slot: int, slots: int) -> Iterator[Action]:
    """The iterations from `start`, whose state is kept in `slot`, to `end`; the slots behind it are free."""
    waiting = [(start, end, slot)]
    while waiting:
        start, end, slot = waiting.pop()
        restore, before = slot, list[Advance]()
        while end - start > 1 and slot + 1 < slots:
            middle = start + split(end - start, slots - slot)
            before.append(Advance(start, middle, slot + 1))
            waiting.append((start, middle, slot))
            start, slot = middle, slot + 1
        for at in range(end - 1, start - 1, -1):
            last = [Advance(start, at, NO_SLOT)] if at > start else []
            yield Action(restore, (*before, *last), at)
            restore, before = slot, []


def last_kept(trips: int, slots: int) -> int:
    """The last iteration before which the loop itself keeps its state."""
    return max((start for start, _ in _kept_on_the_way(trips, min(slots, trips))), default=0)


@cache
def repetitions(trips: int, slots: int) -> int:
    """How often an iteration is advanced at most: the smallest r with C(slots + r, slots) >= trips."""
    r = 0
    while comb(slots + r, slots) < trips:
        r += 1
    return r


def fewest_advances(trips: int, slots: int) -> int:
    """Forward steps besides the one before each reversed iteration, the first sweep included."""
    r = repetitions(trips, slots)
    return r * trips - comb(slots + r, r - 1) if r else 0


def split(trips: int, slots: int) -> int:
    """How far to advance before the next state is kept: both parts then have as many iterations as r allows, no fewer
    than r - 1 would."""
    r = repetitions(trips, slots)
    most = min(trips - 1, comb(slots + r - 1, slots))
    return max(1, min(most, trips - comb(slots + r - 2, slots - 1)))
