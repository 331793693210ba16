"""How a loop that data end keeps states while it runs, and how it is reversed from them: the schedule of
`daad.loops.online`, which is worked out by the program itself, in integers.

The integers of a loop are arrays of the program; in the texts below they have the names of `LASTING` (one set for each
iteration of the loops around) and `PASSING`, and `now` is the iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Const, Index, IndexValue, Load, Loop, Node, Op
from daad.ir.parser import parse
from daad.ir.printer import declaration
from daad.ir.walk import relocated, substitute_node
from daad.loops.online import Online
from daad.loops.replay import Replay

LASTING = ("order", "count", "room", "spacing", "next", "done", "into", "into_end")
"""The slot of each kept state; how many states are kept, may be kept, and at which distance; the iteration before which
the next one is kept; the end of those that have begun; the slot for the state (from, to; none where it is not kept)."""

RUN = ("start", "to", "parts", "left", "free", "reach", "times", "slot", "slot_end", "again", "again_end")
PASSING = ("place", "spare", *RUN, "goes")
"""Of a way back: the iteration before which each state was kept; the iterations to run, in how many parts; iterations
and slots that are left; binomial coefficients; the slots to restore the state from and to keep it in."""

TABLES = ("order", "place", "spare")
"""Those that have a number for each slot."""

BEGIN = """
  for {j} in 0 .. {slots}:  order[{j}] = {j}
  count = 0
  room = {slots}
  spacing = 1
  next = {first}
  done = {first}
"""

EACH = """
  done = now + 1
  into = 0
  into_end = 0
  if now == next:
    if count >= room:
      loop {j} = 0 .. count:
        spare[{j}] = order[{j}]
      loop {j} = 0 .. count:
        order[{j} % 2 * ((count + 1) // 2) + {j} // 2] = spare[{j}]
      count = (count + 1) // 2
      room = maximum(room - 1, {least})
      spacing = 2 * spacing
      next = {first} + count * spacing
    if now == next:
      if count < room:
        into = order[count]
        into_end = into + 1
        count += 1
        next += spacing
"""
"""Where the slots are full, every second state is given up: its slot goes behind those of the others."""

BACK = """
  loop {j} = 0 .. count:
    place[{j}] = {first} + {j} * spacing
"""

RESTORE = """
  start = place[count - 1]
  slot = order[count - 1]
  slot_end = slot + 1
  parts = minimum({slots} - count, now - start) + 1
"""

PART = """
  left = now + 1 - start
  free = {slots} + 1 - count
  to = now
  again = 0
  again_end = 0
  if minimum(left, free) > 1:
    reach = 1
    times = 0
    goes = True
    loop {j} = 1 .. {repetitions} while goes begun times + 1:
      if goes:
        reach = reach * (free + {j}) // {j}
        times = {j}
        goes = reach < left
    reach = reach * times // (free + times)
    to = start + maximum(1, minimum(minimum(left - 1, reach), left - reach * free // (free + times - 1)))
    again = order[count]
    again_end = again + 1
    place[count] = to
    count += 1
"""
"""The binomial schedule's next state (`daad.loops.schedule.split`): times = r, reach = C(free + r, free), and then
C(free + r - 1, free)."""

ARRIVED = """
  start = to
"""

REVERSED = """
  if place[count - 1] == now:
    count = count - 1
"""
"""The state before an iteration that has been reversed is not needed any more."""

Copies = Callable[[Index, Index], list[Node]]
"""The state into the slots from the first to the last, or back."""


def integers_of(replay: Replay, schedule: Online, trips: Sequence[int], names: NameSupply) -> dict[str, Array]:
    """The arrays of integers, by what they hold; `trips` are those of the loops around for which states are kept."""

    def array(what: str, shape: tuple[int, ...]) -> Array:
        return Array(names.new(f"{replay.var}_{what}"), shape, "bool" if what == "goes" else "int64")

    def shape(what: str) -> tuple[int, ...]:
        around = tuple(trips) if what in LASTING else ()
        return (*around, schedule.slots) if what in TABLES else around

    return {what: array(what, shape(what)) for what in (*LASTING, *PASSING)}


def integer_bytes(trips: Sequence[int], slots: int) -> int:
    """Bytes of the tables."""
    return 8 * slots * (prod(trips) + len(TABLES) - 1)


def averages(schedule: Online, integers: Mapping[str, Array]) -> dict[str, np.ndarray]:
    """What bounds of loops are on average, by the names of arrays: for an estimate of the time."""
    trips, again = schedule.trips, schedule.kept_again
    parts = 1 + again / trips
    advance, middle = (schedule.steps - trips) / (trips * parts), trips / 2
    found = {"start": middle, "to": middle + advance, "parts": parts, "slot": 0, "slot_end": 1, "again": 0, "into": 0}
    found |= {"again_end": again / (trips * parts), "into_end": len(schedule.segments) / trips}
    return {integers[what].name: np.array(value) for what, value in found.items()}


@dataclass(frozen=True)
class Writer:
    """Writes the statements for one loop; `place` are the iterations of the loops around for which states are kept."""

    replay: Replay
    schedule: Online
    integers: Mapping[str, Array]
    place: tuple[Affine, ...]
    names: NameSupply

    def begin(self) -> list[Node]:
        """Before the loop."""
        return self._read(BEGIN)

    def each(self, keep: Copies) -> list[Node]:
        """At the beginning of each iteration of the loop."""
        return [*self._read(EACH, Affine.of(self.replay.var)), *keep(self._load("into"), self._load("into_end"))]

    def backwards(
        self, restore: Copies, keep: Copies, iteration: Callable[[NameSupply], tuple[Node, ...]], at: Location | None
    ) -> list[Node]:
        """The loop backwards; `iteration` runs one with its tapes and reverses it."""
        var = self.replay.var
        back, part = self.names.new(f"{var}_back"), self.names.new("part")
        now = Affine.of(back)
        parts = (
            *self._read(PART, now),
            Loop(var, self._load("start"), self._load("to"), 1, self.replay.again, at),
            *keep(self._load("again"), self._load("again_end")),
            *self._read(ARRIVED),
        )
        body = (
            *self._read(RESTORE, now),
            *restore(self._load("slot"), self._load("slot_end")),
            Loop(part, Affine(0), self._load("parts"), 1, parts, at),
            Loop(var, now, now + 1, 1, iteration(self.names), at),
            *self._read(REVERSED, now),
        )
        end = Op("minimum", (IndexValue(Affine(self.replay.value(self.schedule.trips))), self._load("done")), "int64")
        last = Op("add", (end, Const(-1, "int64")), "int64")
        return [*self._read(BACK), Loop(back, last, Affine(self.replay.first - 1), -1, body, at)]

    def _load(self, what: str) -> Load:
        return Load(self.integers[what].name, self.place if what in LASTING else (), "int64")

    def _read(self, text: str, now: Affine | None = None) -> list[Node]:
        """The statements of a text, in iteration `now`."""
        schedule = self.schedule
        declared = ", ".join(declaration(self._named(what)) for what in self.integers)
        lines = text.format(
            j=self.names.free("j"),
            first=self.replay.first,
            slots=schedule.slots,
            least=schedule.least,
            repetitions=schedule.most_repetitions + 1,
        )
        body = parse(f"program integers({declared}, now)\n{lines}").body
        there = (relocated(node, self._there) for node in body)
        return [substitute_node(node, {"now": now}) if now is not None else node for node in there]

    def _named(self, what: str) -> Array:
        array = self.integers[what]
        return replace(array, name=what, shape=array.shape[len(self.place) :] if what in LASTING else array.shape)

    def _there(self, what: str, index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
        return self.integers[what].name, (*self.place, *index) if what in LASTING else index
