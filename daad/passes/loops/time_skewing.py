"""Loops over time in which each iteration goes through all rows: a few iterations go through them together.

`loop t: loop i: a[i] = a[i - 1] + a[i] + a[i + 1]` moves all of `a` in each iteration if caches hold less. An iteration
may be at a row as soon as the one before it is some rows ahead, the lag. A block of iterations then takes one sweep
through the rows: a front moves on, and behind it each iteration of the block is one lag behind the one before. Every
element sees the same operations in the same order.

    program f(a: float64[4000, 4000])
      loop t = 0 .. 100:
        loop i = 1 .. 4000:
          for j in 0 .. 4000:  a[i, j] += a[i - 1, j]

becomes

    program f(a: float64[4000, 4000])
      loop t_block = 0 .. 13:
        loop front = 0 .. 1002:
          loop t_step = 0 .. minimum(8, -8*t_block + 100):
            loop i_near = 0 .. 4:
              if (4*front + i_near - t_step) >= 0 and (4*front + i_near - t_step) < 3999:
                for j in 0 .. 4000:  a[4*front + i_near - t_step + 1, j] += a[4*front + i_near - t_step, j]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from daad.analysis.access_regions import domains_where
from daad.analysis.alias import Place, reads_of
from daad.analysis.context import Scope
from daad.analysis.cost.execution_time import FAR, Traffic
from daad.analysis.cost.machine import CACHE, COMMON, LINE
from daad.analysis.privatization import private_in
from daad.analysis.sites import loop_bounds
from daad.analysis.uses import Usage, touching_counts
from daad.ir.affine import Affine, interval
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Branch, Const, Expr, Index, IndexValue, Loop, Nest, Node, Op, Program, Range
from daad.ir.walk import altered, nests, node_loads, substitute_node, walk
from daad.passes.definition import Form, Pass, forms
from daad.passes.loops.row_places import places_of
from daad.passes.loops.shift_distances import longest
from daad.passes.loops.shifted_fusion import is_shared

MOST_STEPS = 8  # in a block: what is moved then is an eighth, and little beside the rest
STRIP = 4  # rows that an iteration takes one after the other, while it has their neighbours near
MOST_FINDING = 0.1
"""The part of the time saved that finding rows may take."""

ROW = 10e-9  # seconds to find out which row is next, and whether there is one

Interval = tuple[int, int]


PASS = Pass(
    "time-skewing",
    lambda program, goal: skew_time(program, goal.live, goal.threads),
    "A few iterations of a loop over time go through all rows together.",
    source="Wonnacott 2000",
    requires=forms(Form.SHARED),
    for_caches=True,
)


def skew_time(program: Program, live: frozenset[str], threads: int = 1) -> Program:
    """The program with such loops in blocks where their arrays are larger than caches; `live` as in `Goal`.

    Nests that several threads share stay as they are.
    """
    if sum(array.nbytes for array in program.arrays.values()) <= COMMON:
        return program
    sweeping = _Sweeping(Usage(program, live), NameSupply.of(program), Traffic(program.arrays), threads)
    body = sweeping.body(program.body, Scope())
    return program if body == program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Touch:
    """An access in an iteration over rows; `ranges` are those of the variables around it, conditions considered."""

    place: Place
    is_target: bool
    ranges: Mapping[str, Interval]

    def distance(self, axis: int, row: str) -> Interval | None:
        """How far along an axis it is from the row, at least and at most."""
        index = self.place.index[axis]
        return interval(index - Affine.of(row), self.ranges) if isinstance(index, Affine) else None


@dataclass(frozen=True)
class _Sweeping:
    """Goes through bodies; `names` gives new ones."""

    usage: Usage
    names: NameSupply
    traffic: Traffic
    threads: int

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        """Outer loops first: what has become a sweep is not looked at again."""
        return tuple(self._node(node, scope) for node in body)

    def _node(self, node: Node, scope: Scope) -> Node:
        if isinstance(node, Nest):
            return node
        if isinstance(node, Branch):
            return altered(node, then=self.body(node.then, scope), orelse=self.body(node.orelse, scope))
        return self._swept(node, scope) or altered(node, body=self.body(node.body, scope.enter(node)))

    def _swept(self, time: Loop, scope: Scope) -> Loop | None:
        """The loop in blocks, None if it has to, or had better, stay as it is."""
        if not _is_plain(time) or self.traffic.footprint(time.body) <= COMMON:
            return None
        rows = self._rows(time)
        if rows is None or any(time.var in form.names for form in _ends(rows)) or not _width(rows).is_const:
            return None
        scope = scope.enter(time)
        touches = _by_array(_touches(rows.body, Range(rows.var, *_ends(rows)), scope))
        lag = self._lag(time, rows, touches, scope)
        if lag is None or lag >= _width(rows).const:
            return None  # nobody knows, or one iteration would begin where the one before ends
        count = self._count(time, rows, touches, lag)
        return self._in_blocks(time, rows, lag, count) if self._is_worth_it(rows, count) else None

    def _rows(self, time: Loop) -> Loop | None:
        """The body of an iteration as one loop over rows, None if it is none, or threads share parts of it."""
        if any(is_shared(nest, self.traffic, self.threads > 1) for nest in nests(time.body)):
            return None
        if len(time.body) == 1 and isinstance(time.body[0], Loop):
            return time.body[0] if _is_plain(time.body[0]) else None
        run = longest(places_of(time.body))
        return run.loop(self.names.new("row"), {}) if len(run.members) == len(time.body) > 0 else None

    def _lag(self, time: Loop, rows: Loop, touches: Mapping[str, Sequence[_Touch]], scope: Scope) -> int | None:
        """How many rows an iteration has to be behind the one before; None if nobody knows."""
        inside, outside = touching_counts((rows,)), self.usage.touching
        own = {name for name in inside if name in self.usage.hidden and inside[name] == outside[name]}
        shared = rows.written - private_in(rows, own, self.traffic.arrays, scope)
        lags = [_least_lag(touches[name], rows.var, time.var) for name in sorted(shared)]
        known = [lag for lag in lags if lag is not None]
        return max([0, *known]) if len(known) == len(lags) else None

    def _count(self, time: Loop, rows: Loop, touches: Mapping[str, Sequence[_Touch]], lag: int) -> int:
        """The iterations whose rows stay near, in the nearest cache that has room for those of two."""
        most = min(MOST_STEPS, _width(time).const) if _width(time).is_const else MOST_STEPS
        found = [_near(self.traffic.arrays[name], touches[name], rows) for name in sorted(touches)]
        fixed, each = (sum(part) for part in zip(*found, strict=True))
        for cache in (CACHE, COMMON):
            for count in range(most, 1, -1):
                if fixed + each * (lag * (count - 1) + STRIP - 1) <= cache:
                    return count
        return 1

    def _is_worth_it(self, rows: Loop, count: int) -> bool:
        """Whether there are blocks, and finding rows takes little of what moving them less often saves."""
        saved = self.traffic.footprint((rows,)) * FAR * (1 - 1 / count)
        return count > 1 and _width(rows).const * ROW <= MOST_FINDING * saved

    def _in_blocks(self, time: Loop, rows: Loop, lag: int, count: int) -> Loop:
        block, step = self.names.new(f"{time.var}_block"), self.names.new(f"{time.var}_step")
        front, near = self.names.new("front"), self.names.new(f"{rows.var}_near")
        trips, done = _width(time), Affine.of(block) * count
        place = Affine.of(front) * STRIP + Affine.of(near) - Affine.of(step) * lag
        row = _first(rows) + place * rows.step
        values = {time.var: _first(time) + (done + Affine.of(step)) * time.step, rows.var: row}
        body = Branch(_is_inside(place, _width(rows)), tuple(substitute_node(n, values) for n in rows.body), ())
        strip = Loop(near, Affine(0), Affine(STRIP), 1, (body,), rows.at)
        steps = Loop(step, Affine(0), _at_most(count, trips, done), 1, (strip,), rows.at)
        places = _width(rows).const + lag * (count - 1)
        fronts = Loop(front, Affine(0), Affine(-(-places // STRIP)), 1, (steps,), rows.at)
        return Loop(block, Affine(0), _divided(trips, count), 1, (fronts,), time.at)


def _is_plain(loop: Loop) -> bool:
    return isinstance(loop.start, Affine) and isinstance(loop.stop, Affine) and loop.sharing is None


def _ends(loop: Loop) -> tuple[Affine, Affine]:
    low, high = loop_bounds(loop)
    assert isinstance(low, Affine), "asked for plain loops only"
    assert isinstance(high, Affine), "asked for plain loops only"
    return low, high


def _width(loop: Loop) -> Affine:
    low, high = _ends(loop)
    return high - low


def _first(loop: Loop) -> Affine:
    """The variable in the first iteration."""
    low, high = _ends(loop)
    return low if loop.step > 0 else high - 1


def _by_array(touches: Iterator[_Touch]) -> dict[str, list[_Touch]]:
    """The accesses of each array."""
    found: dict[str, list[_Touch]] = {}
    for touch in touches:
        found.setdefault(touch.place.array, []).append(touch)
    return found


def _touches(body: Sequence[Node], row: Range, scope: Scope) -> Iterator[_Touch]:
    """All accesses of an iteration over rows."""
    scope = scope.with_variable(row.var, row.start, row.stop)
    for node in body:
        if isinstance(node, Nest):
            ranges = scope.with_domain(node.domain).ranges
            yield from (_Touch(a.target, True, ranges) for a in node.assigns)
            yield from (_Touch(load, False, ranges) for a in node.assigns for load in reads_of(a))
            continue
        yield from (_Touch(load, False, scope.ranges) for load in node_loads(node))
        if isinstance(node, Loop):
            yield from _touches(node.body, row, scope.enter(node))
            continue
        for side, truth in ((node.then, True), (node.orelse, False)):
            for (narrowed,) in domains_where(node.condition, (row,), truth, scope):
                yield from _touches(side, narrowed, scope)


def _least_lag(touches: Sequence[_Touch], row: str, time: str) -> int | None:
    axes = range(len(touches[0].place.index))
    lags = (_lag_along(axis, touches, row, time) for axis in axes)
    return min((lag for lag in lags if lag is not None), default=None)


def _lag_along(axis: int, touches: Sequence[_Touch], row: str, time: str) -> int | None:
    """The lag after which iterations meet in the order in which they follow each other, as the axis shows it.

    0 where each has a place of its own along the axis.
    """
    forms = {touch.place.index[axis] for touch in touches}
    if all(isinstance(form, Affine) and form.names == (time,) for form in forms) and len(forms) == 1:
        return 0
    touched = _hull([touch.distance(axis, row) for touch in touches])
    written = _hull([touch.distance(axis, row) for touch in touches if touch.is_target])
    if touched is None or written is None:
        return None
    return max(touched[1] - written[0], written[1] - touched[0])


def _hull(distances: Sequence[Interval | None]) -> Interval | None:
    known = [d for d in distances if d is not None]
    if len(known) < len(distances):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _near(array: Array, touches: Sequence[_Touch], rows: Loop) -> tuple[int, int]:
    """Bytes of the array that an iteration over rows has to do with, and that one row more adds."""
    hulls = [_hull([touch.distance(axis, rows.var) for touch in touches]) for axis in range(len(array.shape))]
    found = [(hull[1] - hull[0] + 1, axis) for axis, hull in enumerate(hulls) if hull is not None]
    if not found:
        return array.nbytes, 0
    count, axis = min(found)
    inner = _variables_of(rows)
    moving = [n for n in range(len(array.shape)) if n != axis and any(_moves(t.place.index[n], inner) for t in touches)]
    last = len(array.shape) - 1
    each = np.dtype(array.dtype).itemsize * prod(array.shape[n] for n in moving)
    each *= LINE // np.dtype(array.dtype).itemsize if last not in moving else 1
    return (count * each, each) if count * each < array.nbytes else (array.nbytes, 0)


def _variables_of(rows: Loop) -> frozenset[str]:
    """Variables that have values of their own in an iteration over rows."""
    inside = list(walk(rows.body))
    ranges = {r.var for node in inside if isinstance(node, Nest) for r in node.domain}
    return frozenset(ranges | {node.var for node in inside if isinstance(node, Loop)})


def _moves(index: Index, inner: frozenset[str]) -> bool:
    return not isinstance(index, Affine) or not inner.isdisjoint(index.names)


def _is_inside(place: Affine, width: Affine) -> Expr:
    """Whether there is such a place in a loop."""
    begins = Op("greater_equal", (IndexValue(place), Const(0, "int64")), "bool")
    return Op("logical_and", (begins, Op("less", (IndexValue(place), Const(width.const, "int64")), "bool")), "bool")


def _at_most(count: int, trips: Affine, done: Affine) -> Index:
    """The iterations of a block."""
    if trips.is_const and trips.const % count == 0:
        return Affine(count)
    return Op("minimum", (Const(count, "int64"), IndexValue(trips - done)), "int64")


def _divided(trips: Affine, count: int) -> Index:
    """The number of blocks."""
    if trips.is_const:
        return Affine(-(-trips.const // count))
    return Op("floor_divide", (IndexValue(trips + count - 1), Const(count, "int64")), "int64")
