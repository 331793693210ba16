"""Statements that follow each other go through their rows together, each some rows behind what it reads.

`for i, j: b[i, j] = a[i - 1, j] + a[i + 1, j]` and `for i, j: c[i, j] = b[i - 1, j] + b[i + 1, j]` become one loop over
rows, in which the second statement is one row behind the first: rows are used while they are near, and of local arrays
only those rows exist that are still to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod

from daad.optimize.cost import COSTLY, work
from daad.optimize.places import reads_of
from daad.optimize.private import private_arrays
from daad.optimize.scope import Scope, map_scoped_bodies
from daad.optimize.traffic import Traffic, points_of
from daad.optimize.usage import Usage
from daad.program.affine import Affine
from daad.program.indices import without
from daad.program.names import fresh
from daad.program.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Const,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
)
from daad.program.walk import names_in_use, nodes, reindexed, substitute_assign

GAIN, GAIN_OF_SMALL = 0.8, 0.95
"""Rows go together where that is estimated to take at most this part of the time; the second where local arrays become
smaller by so many bytes:"""
SMALLER = 2**20

LARGE, FEW = 1_000_000, 2
"""Elementary operations from which on threads share a nest, and a number of them that brings less than rows that are
near."""

MOST_NESTS = 40  # of a run
MOST_ROWS = 4  # of a local array that are moved up by one in each iteration
LEAST_ROWS = 8
ROW, PLANE = 5e-9, 30e-9  # seconds to start a nest of one dimension, of several
MOVE = 0.02e-9  # seconds to move a byte up by a row

Names = frozenset[str]


def stagger(program: Program, live: Names, threads: int = 1) -> Program:
    """The program with runs of nests as loops over rows where that is estimated to be faster; `live` as in `dead`.

    Nests that many threads would share stay as they are.
    """
    staggering = _Staggering(dict(program.arrays), Usage(program, live), set(names_in_use(program)), threads)
    body = map_scoped_bodies(program.body, staggering.body, Scope())
    return replace(program, body=body, arrays=staggering.arrays)


@dataclass(frozen=True)
class _Staggering:
    """Goes through bodies; `arrays` as they are now, `taken` the names in use."""

    arrays: dict[str, Array]
    usage: Usage
    taken: set[str]
    threads: int

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        rest, axes = body, _axes(body)
        while rest:
            run = _longest(rest, axes)
            made = self._together(run, scope) if len(run.members) > 1 else None
            out.append(made or rest[0])
            rest = rest[len(run.members) if made else 1 :]
        return tuple(out)

    def _together(self, run: _Run, scope: Scope) -> Loop | None:
        """The run as a loop over rows, None if it is not worth it."""
        nests = run.nests
        traffic = Traffic(self.arrays)
        if run.last - run.first < LEAST_ROWS or traffic.is_nearest(nests) or any(map(self._is_shared, nests)):
            return None
        windows = self._windows(run, scope)
        saved = sum(self.arrays[name].nbytes - w.array(self.arrays[name]).nbytes for name, w in windows.items())
        gain = GAIN if saved < SMALLER else GAIN_OF_SMALL
        if self._seconds(run, windows) > gain * traffic.overlapped(nests):
            return None
        loop = run.loop(self._new("row"), windows)
        self.arrays.update({name: window.array(self.arrays[name]) for name, window in windows.items()})
        return replace(loop, body=(*loop.body, *self._moved_up(windows)))

    def _moved_up(self, windows: Mapping[str, _Window]) -> Iterator[Nest]:
        """Rows take the places of those before them."""
        for name, window in sorted(windows.items()):
            shape = self.arrays[name].shape
            for row in range(window.rows - 1):
                domain = tuple(Range(self._new("i"), Affine(0), Affine(n)) for n in without(shape, (window.axis,)))
                point = [Affine.of(r.var) for r in domain]
                to, source = ((*point[: window.axis], Affine(n), *point[window.axis :]) for n in (row, row + 1))
                load = Load(name, source, self.arrays[name].dtype)
                yield Nest(domain, (Assign(Access(name, to), "=", load),))

    def _new(self, name: str) -> str:
        new = fresh(name, self.taken)
        self.taken.add(new)
        return new

    def _seconds(self, run: _Run, windows: Mapping[str, _Window]) -> float:
        """The estimated time of the loop."""
        touched = sorted({name for m in run.members for name in m.rows})
        alive = {name: self._row_bytes(name, run.axes[name]) * run.alive(name) for name in touched}
        moved_up = sum(self._row_bytes(name, w.axis) * (w.rows - 1) for name, w in windows.items())
        starts = sum((m.last - m.first) * (PLANE if len(m.nest.domain) > 2 else ROW) for m in run.members)
        moves = (run.last - run.first) * moved_up * MOVE
        return starts + moves + Traffic(self.arrays).overlapped_by_rows(run.nests, alive, windows)

    def _row_bytes(self, name: str, axis: int) -> int:
        array = self.arrays[name]
        return array.nbytes // max(1, prod(array.shape[: axis + 1]))

    def _is_shared(self, nest: Nest) -> bool:
        """Whether threads share the nest, and should. Functions of vectors round in their own way, so that the number
        of threads decides nothing where there are some."""
        operations = points_of(nest, {}) * sum(work(a.value) + 1 for a in nest.assigns)
        costly = any(isinstance(n, Op) and n.name in COSTLY for a in nest.assigns for n in nodes(a.value))
        return operations >= LARGE and (self.threads > FEW or costly)

    def _windows(self, run: _Run, scope: Scope) -> dict[str, _Window]:
        """Local arrays of the run that hold few rows at a time."""
        found = {}
        for name in private_arrays(run.nests, self.usage, scope):
            window = run.window(name)
            if self.arrays[name].extents or window is None:
                continue
            if window.rows <= MOST_ROWS and 2 * window.rows <= self.arrays[name].shape[window.axis]:
                found[name] = window
        return found


@dataclass(frozen=True)
class _Rows:
    """How a nest touches an array: at its row plus each of these numbers."""

    written: frozenset[int]
    touched: frozenset[int]


@dataclass(frozen=True)
class _Member:
    """A nest of a run: `var` is the variable of its domain that counts rows from `first` up to `last`, None where it
    touches one row only. It is at its row `delay` iterations behind."""

    nest: Nest
    var: str | None
    first: int
    last: int
    rows: Mapping[str, _Rows]
    delay: int = 0

    @property
    def start(self) -> int:
        return self.first + self.delay

    @property
    def stop(self) -> int:
        return self.last + self.delay

    def at(self, row: str) -> Nest:
        """The nest at one row."""
        if self.var is None:
            return self.nest
        values = {self.var: Affine.of(row) - self.delay}
        domain = tuple(r for r in self.nest.domain if r.var != self.var)
        return replace(self.nest, domain=domain, assigns=tuple(substitute_assign(a, values) for a in self.nest.assigns))


@dataclass(frozen=True)
class _Window:
    """The rows of an array that are alive at a time; the first of them is touched `oldest` iterations late."""

    axis: int
    rows: int
    oldest: int

    def array(self, whole: Array) -> Array:
        shape = (*whole.shape[: self.axis], self.rows, *whole.shape[self.axis + 1 :])
        return replace(whole, shape=shape if self.rows > 1 else without(shape, (self.axis,)))

    def index(self, index: tuple[Index, ...], member: _Member) -> tuple[Index, ...]:
        """Where an element is that a nest touches in an iteration."""
        if self.rows == 1:
            return without(index, (self.axis,))
        form = index[self.axis]
        assert isinstance(form, Affine), "rows are counted"
        late = -form.const if member.var is not None else member.start - form.const
        return (*index[: self.axis], Affine(self.oldest - late), *index[self.axis + 1 :])


@dataclass(frozen=True)
class _Run:
    """Nests that can go through their rows together; `axes` are those along which arrays have the rows."""

    members: tuple[_Member, ...]
    axes: Mapping[str, int]

    @property
    def nests(self) -> tuple[Nest, ...]:
        return tuple(m.nest for m in self.members)

    @cached_property
    def first(self) -> int:
        return min(m.start for m in self.members)

    @cached_property
    def last(self) -> int:
        return max(m.stop for m in self.members)

    def window(self, name: str) -> _Window | None:
        """The rows of an array that are alive at a time, if all nests touch it by rows."""
        if not all(name in m.rows for m in self.members if name in m.nest.touched):
            return None
        return _Window(self.axes[name], self.alive(name), max(self._late(name)))

    def alive(self, name: str) -> int:
        """How many iterations after it is touched first a row is touched last, and one."""
        late = self._late(name)
        return max(late) - min(late) + 1

    def _late(self, name: str) -> list[int]:
        return [m.delay - offset for m in self.members if name in m.rows for offset in m.rows[name].touched]

    def loop(self, var: str, windows: Mapping[str, _Window]) -> Loop:
        """All rows one after the other, where of some arrays only windows are left."""
        body: list[Node] = []
        for member in self.members:
            nest = _in_windows(member, member.at(var), windows)
            guard = self._guard(member, var)
            last = body[-1] if body else None
            if guard is None:
                body.append(nest)
            elif isinstance(last, Branch) and last.condition == guard:
                body[-1] = replace(last, then=(*last.then, nest))
            else:
                body.append(Branch(guard, (nest,), (), nest.at))
        return Loop(var, Affine(self.first), Affine(self.last), 1, tuple(body), self.members[0].nest.at)

    def _guard(self, member: _Member, var: str) -> Expr | None:
        row = IndexValue(Affine.of(var))
        sides: list[Expr] = []
        if member.start > self.first:
            sides.append(Op("greater_equal", (row, Const(member.start, "int64")), "bool"))
        if member.stop < self.last:
            sides.append(Op("less", (row, Const(member.stop, "int64")), "bool"))
        if len(sides) < 2:
            return sides[0] if sides else None
        return Op("logical_and", (sides[0], sides[1]), "bool")


def _axes(body: Iterable[Node]) -> dict[str, int]:
    """The first axis of each array along which a nest of the body moves."""
    axes: dict[str, int] = {}
    for nest in body:
        own = {r.var for r in nest.domain} if isinstance(nest, Nest) else set()
        for name, index in _accesses(nest) if isinstance(nest, Nest) else ():
            moving = [n for n, form in enumerate(index) if isinstance(form, Affine) and own & {*form.names}]
            axes[name] = min([*moving, axes.get(name, len(index))])
    return axes


def _longest(body: tuple[Node, ...], axes: Mapping[str, int]) -> _Run:
    """The nests at the beginning of a body that can go together."""
    run = _Run((), axes)
    for node in body[:MOST_NESTS]:
        longer = _with(run, node) if isinstance(node, Nest) else None
        if longer is None:
            break
        run = longer
    return run


def _with(run: _Run, nest: Nest) -> _Run | None:
    """The run with one more nest, None if that has to wait until all rows of the run are done."""
    counted = _counted(run, nest)
    if counted is None:
        return None
    var, first, last = counted
    found = {name: _rows(nest, name, var, first, run.axes[name]) for name in sorted(nest.touched)}
    rows = {name: each for name, each in found.items() if each is not None}
    delay = _delay(run, nest, rows)
    return None if delay is None else replace(run, members=(*run.members, _Member(nest, var, first, last, rows, delay)))


def _counted(run: _Run, nest: Nest) -> tuple[str | None, int, int] | None:
    """The variable that counts the rows of a nest, the first one, and the one behind the last."""
    deciding = nest.written.union(*(m.nest.written for m in run.members))
    places = [index[run.axes[name] :] for name, index in _accesses(nest) if name in deciding]
    forms = [place[0] for place in places if place and isinstance(place[0], Affine)]
    names = {name for form in forms for name in form.names}
    if len(forms) < len(places):
        return None
    if not names:
        rows = [form.const for form in forms]
        return None, min(rows), min(rows) + 1
    ranges = {r.var: r for r in nest.domain}
    if len(names) != 1 or not names <= ranges.keys():
        return None
    [var] = names
    start, stop = ranges[var].start, ranges[var].stop
    points_are_apart = all(ranges.keys() <= _variables(a.target.index) for a in nest.assigns)
    if not (start.is_const and stop.is_const and start.const < stop.const and points_are_apart):
        return None
    return var, start.const, stop.const


def _rows(nest: Nest, name: str, var: str | None, first: int, axis: int) -> _Rows | None:
    """Where the nest touches an array, None if that is not at a distance from its row."""
    base = Affine(first) if var is None else Affine.of(var)
    touched = [index[axis:] for own, index in _accesses(nest) if own == name]
    forms = [index[0] - base for index in touched if index and isinstance(index[0], Affine)]
    if len(forms) < len(touched) or not all(form.is_const for form in forms):
        return None
    targets = [a.target.index[axis] for a in nest.assigns if a.target.array == name]
    written = frozenset((form - base).const for form in targets if isinstance(form, Affine))
    return _Rows(written, frozenset(form.const for form in forms))


def _delay(run: _Run, nest: Nest, rows: Mapping[str, _Rows]) -> int | None:
    """How many iterations the nest has to be behind for it to meet nothing before the run is done with it."""
    least: int | None = None
    for member in run.members:
        for name in sorted(member.nest.touched & nest.touched):
            if name not in member.nest.written | nest.written:
                continue
            if name not in rows or name not in member.rows:
                return None
            before, after = member.rows[name], rows[name]
            pairs = [(before.written, after.touched), (before.touched, after.written)]
            wait = max(max(new) - min(old) for old, new in pairs if old and new)
            least = member.delay + wait if least is None else max(least, member.delay + wait)
    return least or 0


def _accesses(nest: Nest) -> Iterator[tuple[str, tuple[Index, ...]]]:
    for assign in nest.assigns:
        yield assign.target.array, assign.target.index
        yield from ((load.array, load.index) for load in reads_of(assign))


def _variables(index: tuple[Index, ...]) -> frozenset[str]:
    return frozenset(name for form in index if isinstance(form, Affine) for name in form.names)


def _in_windows(member: _Member, nest: Nest, windows: Mapping[str, _Window]) -> Nest:
    changes = {n: partial(windows[n].index, member=member) for n in nest.touched & windows.keys()}
    moved = reindexed(nest, changes)
    assert isinstance(moved, Nest), "other indices do not change what a node is"
    return moved
