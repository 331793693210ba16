"""Groups of statements that repeat become a loop: what follows grows with the text of a program, not with its calls.

Loops over lists and functions that are called many times are read as what they do, call after call. Where calls differ
in arrays, places and numbers alone, one of them stands for all:

    program f(x: float64[])
      local a: float64[], b: float64[], c: float64[], d: float64[], e: float64[], y: float64[]
      a = 0.5 * sin(x) + x
      b = 0.25 * sin(a) + a
      c = 0.5 * sin(b) + b
      d = 0.75 * sin(c) + c
      e = 0.5 * sin(d) + d
      y = 2.0 * sin(e) + e
      return y

becomes

    program f(x: float64[])
      local a: float64[], y: float64[], numbers: float64[6]
      do:
        numbers[0] = 0.5
        numbers[1] = 0.25
        numbers[2] = 0.5
        numbers[3] = 0.75
        numbers[4] = 0.5
        numbers[5] = 2.0
      y = x
      loop t = 0 .. 6:
        a = numbers[t] * sin(y) + y
        y = a
      return y
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.element_liveness import written_first
from daad.analysis.repetition import Pattern, Repeat, pattern, repeats
from daad.analysis.skeletons import skeleton
from daad.analysis.uses import touching_counts
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Node, Program
from daad.ir.walk import variable_names, walk
from daad.passes.definition import Pass
from daad.passes.loops.rolled_loops import Builder
from daad.passes.loops.rolled_storage import Storage, is_right, storage
from daad.rules.own_rules import has_rules

FEWEST_GROUPS = 4
FEWEST_SAVED = 64
"""Nodes that a loop must save: with fewer the statements of all groups, planned and fused together, are worth it."""
MOST_COPIED = 4096
"""Elements of an array that is copied into a stack and back: of more, the loop would take longer than its groups."""
TRIES = 8
"""Periods that are tried, those that would save most first."""

PASS = Pass(
    "rerolling",
    lambda program, goal: reroll(program, goal.live),
    "Groups of statements that repeat become a loop.",
    source="Rocha, Petoumenos, Franke, Bhatotia and O'Boyle 2022",
)


def reroll(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    if _size(program.body) < FEWEST_SAVED or has_rules(program):
        return program
    rolling = _Rolling(program, live | {*program.parameters, *program.results}, {**program.arrays})
    body = rolling.outermost(program.body)
    if body == program.body:
        return program
    named = {*program.parameters, *program.results}.union(*[node.touched for node in body])
    return replace(program, body=body, arrays={n: a for n, a in rolling.arrays.items() if n in named})


def _size(body: tuple[Node, ...]) -> int:
    """How many nodes there are, those inside included."""
    return sum(1 for _ in walk(body))


@dataclass(frozen=True)
class _Ends:
    """The positions in a body at which each array is touched first and last."""

    first: dict[str, int]
    last: dict[str, int]

    @staticmethod
    def of(body: Sequence[Node]) -> _Ends:
        ends = _Ends({}, {})
        for position, node in enumerate(body):
            for name in node.touched:
                ends.first.setdefault(name, position)
                ends.last[name] = position
        return ends

    def cut(self, repeat: Repeat) -> Repeat:
        """The same groups, beginning where fewest arrays of an earlier one are needed."""
        begin = repeat.start + repeat.period
        new = [n for n, position in self.first.items() if position >= repeat.start and n in self.last]
        alive = Counter[int]()
        for name in new:
            alive.update(range(max(self.first[name] + 1, begin), min(self.last[name] + 1, begin + repeat.period)))
        best = min(range(begin, begin + repeat.period), key=lambda position: (alive[position], position))
        start = best - repeat.period
        return replace(repeat, start=start, count=repeat.count - (start > repeat.start))


@dataclass(frozen=True)
class _Surroundings:
    """Of a body: arrays that are touched outside of it, and those whose contents before it do not matter."""

    elsewhere: frozenset[str]
    undefined: frozenset[str]


@dataclass(frozen=True)
class _Rolling:
    """Goes through bodies, those inside first; `seen` arrays are visible at the end, `arrays` as they are now."""

    program: Program
    seen: frozenset[str]
    arrays: dict[str, Array]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many nodes touch each array."""
        return touching_counts(self.program.body)

    def outermost(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """The body of the program, those inside first."""
        inner = [n for node in body for n in map_scoped_bodies((node,), self._nested, Scope())]
        everything = _Surroundings(frozenset(), frozenset(self.arrays) - {*self.program.parameters})
        return self._body(tuple(inner), everything)

    def _nested(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        if _size(body) < FEWEST_SAVED:
            return body
        own = touching_counts(body)
        elsewhere = {name for name in own if self.counts[name] > own[name]} | self.seen
        local = [name for name in own if name not in elsewhere]
        return self._body(body, _Surroundings(frozenset(elsewhere), written_first(body, local, self.arrays, scope)))

    def _body(self, body: tuple[Node, ...], around: _Surroundings) -> tuple[Node, ...]:
        while _size(body) >= FEWEST_SAVED and (rolled := self._rolled(body, around)) is not None:
            body = rolled
        return body

    def _rolled(self, body: tuple[Node, ...], around: _Surroundings) -> tuple[Node, ...] | None:
        """The body with the loop that saves most; None without one that is worth it."""
        numbers: dict[object, int] = {}
        found = [skeleton(node, self.arrays) for node in body]
        kinds = [numbers.setdefault(tokens, len(numbers)) for tokens, _ in found]
        leaves, ends = [leaves for _, leaves in found], _Ends.of(body)
        begun = {name: position if name in around.undefined else -1 for name, position in ends.first.items()}
        for repeat in repeats(kinds, FEWEST_GROUPS)[:TRIES]:
            groups = pattern(ends.cut(repeat), leaves, begun)
            if groups is not None and groups.repeat.count >= FEWEST_GROUPS:
                rolled = self._loop(body, groups, ends, around)
                if rolled is not None:
                    return rolled
        return None

    def _loop(
        self, body: tuple[Node, ...], groups: Pattern, ends: _Ends, around: _Surroundings
    ) -> tuple[Node, ...] | None:
        repeat = groups.repeat
        fresh = {name: ends.first[name] for name in around.undefined if name in ends.first}
        later = {name for name, position in ends.last.items() if position >= repeat.stop}
        escaping = frozenset(later | self.seen | around.elsewhere)
        variables = variable_names((*self.program.body, *body))
        supply = NameSupply((*self.program.arrays, *self.arrays, *self.program.integers, *variables))
        places = storage(groups, escaping, supply)
        if places is None or self._copies_much(places) or not is_right(places, fresh, escaping):
            return None
        builder = Builder(places, {**self.arrays}, supply)
        made = (*builder.before(), builder.loop(body), *builder.behind(self.seen | around.elsewhere))
        if _size(body[repeat.start : repeat.stop]) - _size(made) < FEWEST_SAVED:
            return None
        self.arrays.update(builder.arrays)
        return (*body[: repeat.start], *made, *map(builder.moved, body[repeat.stop :]))

    def _copies_much(self, places: Storage) -> bool:
        returned = [n for leaf in places.written & places.stacked.keys() for n in places.pattern.names(leaf)]
        return any(prod(self.arrays[name].shape) > MOST_COPIED for name in returned)
