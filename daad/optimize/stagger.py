"""Statements that follow each other go through their rows together, each some rows behind what it reads.

`for i, j: b[i, j] = a[i - 1, j] + a[i + 1, j]` and `for i, j: c[i, j] = b[i - 1, j] + b[i + 1, j]` become one loop over
rows, in which the second statement is one row behind the first: rows are used while they are near, and of local arrays
only those rows exist that are still to be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod

from daad.optimize.cost import COSTLY
from daad.optimize.places import reads_of
from daad.optimize.private import private_arrays
from daad.optimize.scope import Scope, map_scoped_bodies
from daad.optimize.traffic import Traffic
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

LARGE = 1_000_000
"""Elementary operations from which on threads share a nest."""

MOST_NESTS = 40  # of a run
MOST_ROWS = 4  # of a local array that are moved up by one in each iteration
LEAST_ROWS = 8
ROW, PLANE = 5e-9, 30e-9  # seconds to start a nest of one dimension, of several
MOVE = 0.02e-9  # seconds to move a byte up by a row

Names = frozenset[str]


def stagger(program: Program, live: Names, threads: int = 1) -> Program:
    """The program with runs of nests as loops over rows where that is estimated to be faster; `live` as in `dead`.

    Nests that several threads share stay as they are.
    """
    staggering = _Staggering(Usage(program, live), threads, set(names_in_use(program)), Traffic(program.arrays))
    body = map_scoped_bodies(program.body, staggering.body, Scope())
    return program if body == program.body else replace(program, body=body, arrays=staggering.traffic.arrays)


@dataclass
class _Staggering:
    """Goes through bodies; `taken` are the names in use, `traffic` knows the arrays as they are now."""

    usage: Usage
    threads: int
    taken: set[str]
    traffic: Traffic

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        places, start = _places(body), 0
        while start < len(body):
            run = _longest(places[start:])
            made = self._together(run, scope) if run.begins else None
            out.append(made or body[start])
            start += len(run.members) if made else 1
        return tuple(out)

    def _together(self, run: _Run, scope: Scope) -> Loop | None:
        """The run as a loop over rows, None if it is not worth it."""
        nests, traffic = run.nests, self.traffic
        if run.last - run.first < LEAST_ROWS or traffic.is_nearest(nests) or any(map(self._is_shared, nests)):
            return None
        apart = traffic.overlapped(nests)
        if run.starts + sum(map(traffic.computing, nests)) > GAIN_OF_SMALL * apart:
            return None
        windows = self._windows(run, scope)
        smaller = {name: window.array(traffic.arrays[name]) for name, window in windows.items()}
        saved = sum(traffic.arrays[name].nbytes - array.nbytes for name, array in smaller.items())
        if self._seconds(run, windows) > apart * (GAIN if saved < SMALLER else GAIN_OF_SMALL):
            return None
        loop = run.loop(self._new("row"), windows)
        self.traffic = traffic.on({**traffic.arrays, **smaller})
        return replace(loop, body=(*loop.body, *self._moved_up(windows)))

    def _moved_up(self, windows: Mapping[str, _Window]) -> Iterator[Nest]:
        """Rows take the places of those before them."""
        for name, window in sorted(windows.items()):
            array = self.traffic.arrays[name]
            for row in range(window.rows - 1):
                domain = tuple(
                    Range(self._new("i"), Affine(0), Affine(n)) for n in without(array.shape, (window.axis,))
                )
                point = [Affine.of(r.var) for r in domain]
                to, source = ((*point[: window.axis], Affine(n), *point[window.axis :]) for n in (row, row + 1))
                load = Load(name, source, array.dtype)
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
        moves = (run.last - run.first) * moved_up * MOVE
        return run.starts + moves + self.traffic.overlapped_by_rows(run.nests, alive, windows)

    def _row_bytes(self, name: str, axis: int) -> int:
        array = self.traffic.arrays[name]
        return array.nbytes // max(1, prod(array.shape[: axis + 1]))

    def _is_shared(self, nest: Nest) -> bool:
        """Whether threads share the nest, and should. Functions of vectors round in their own way, so that the number
        of threads decides nothing where there are some."""
        if self.traffic.operations(nest) < LARGE:
            return False
        costly = (isinstance(n, Op) and n.name in COSTLY for a in nest.assigns for n in nodes(a.value))
        return self.threads > 1 or any(costly)

    def _windows(self, run: _Run, scope: Scope) -> dict[str, _Window]:
        """Local arrays of the run that hold few rows at a time."""
        found = {}
        for name in private_arrays(run.nests, self.usage, scope):
            window, array = run.window(name), self.traffic.arrays[name]
            if array.extents or window is None:
                continue
            if window.rows <= MOST_ROWS and 2 * window.rows <= array.shape[window.axis]:
                found[name] = window
        return found


@dataclass(frozen=True)
class _Rows:
    """How a nest touches an array: at its row plus each of these numbers."""

    written: frozenset[int]
    touched: frozenset[int]


@dataclass(frozen=True)
class _Places:
    """A nest, and by array the indices along the axes of rows, each with whether it is written there; None for one that
    is not affine, or where there is no such axis."""

    nest: Nest
    axes: Mapping[str, int]
    forms: Mapping[str, Collection[tuple[Affine | None, bool]]]

    def rows(self, name: str, row: Affine) -> _Rows | None:
        """Where the nest touches an array, None if that is not at a distance from its row."""
        offsets = [(form - row, is_target) for form, is_target in self.forms[name] if form is not None]
        if len(offsets) < len(self.forms[name]) or not all(offset.is_const for offset, _ in offsets):
            return None
        written = frozenset(offset.const for offset, is_target in offsets if is_target)
        return _Rows(written, frozenset(offset.const for offset, _ in offsets))


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

    @cached_property
    def nests(self) -> tuple[Nest, ...]:
        return tuple(m.nest for m in self.members)

    @property
    def begins(self) -> bool:
        """Whether others have to do with what the first nest writes, or write what it reads."""
        pairs = ((self.nests[0], nest) for nest in self.nests[1:])
        return any(a.written & b.touched or b.written & a.touched for a, b in pairs)

    @property
    def starts(self) -> float:
        """Seconds that it takes to start all nests once for each row."""
        return sum((m.last - m.first) * (PLANE if len(m.nest.domain) > 2 else ROW) for m in self.members)

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


def _places(body: Sequence[Node]) -> list[_Places | None]:
    """The places of each nest of a body, None for other nodes. An array's rows are along the first axis along which a
    nest of the body moves."""
    axes: dict[str, int] = {}
    accesses = [list(_accesses(node)) if isinstance(node, Nest) else [] for node in body]
    for node, places in zip(body, accesses, strict=True):
        own = {r.var for r in node.domain} if isinstance(node, Nest) else set()
        for name, index, _ in places:
            moving = [n for n, form in enumerate(index) if isinstance(form, Affine) and own & {*form.names}]
            axes[name] = min([*moving, axes.get(name, len(index))])
    found: list[_Places | None] = []
    for node, places in zip(body, accesses, strict=True):
        forms: dict[str, set[tuple[Affine | None, bool]]] = {}
        for name, index, is_target in places:
            form = index[axes[name]] if axes[name] < len(index) else None
            forms.setdefault(name, set()).add((form if isinstance(form, Affine) else None, is_target))
        found.append(_Places(node, axes, forms) if isinstance(node, Nest) else None)
    return found


def _longest(body: Sequence[_Places | None]) -> _Run:
    """The nests at the beginning of a body that can go together."""
    run = _Run((), {})
    for places in body[:MOST_NESTS]:
        longer = _with(run, places) if places is not None else None
        if longer is None:
            break
        run = longer
    return run


def _with(run: _Run, places: _Places) -> _Run | None:
    """The run with one more nest, None if that has to wait until all rows of the run are done."""
    counted = _counted(run, places)
    if counted is None:
        return None
    var, first, last = counted
    found = {name: places.rows(name, Affine(first) if var is None else Affine.of(var)) for name in places.forms}
    rows = {name: each for name, each in found.items() if each is not None}
    delay = _delay(run, places.nest, rows)
    if delay is None:
        return None
    return _Run((*run.members, _Member(places.nest, var, first, last, rows, delay)), places.axes)


def _counted(run: _Run, places: _Places) -> tuple[str | None, int, int] | None:
    """The variable that counts the rows of a nest, the first one, and the one behind the last."""
    nest = places.nest
    deciding = nest.written.union(*(m.nest.written for m in run.members))
    forms = [form for name in places.forms.keys() & deciding for form, _ in places.forms[name]]
    known = [form for form in forms if form is not None]
    if len(known) < len(forms):
        return None
    names = {name for form in known for name in form.names}
    if not names:
        first = min(form.const for form in known)
        return None, first, first + 1
    ranges = {r.var: r for r in nest.domain}
    if len(names) != 1 or not names <= ranges.keys():
        return None
    [var] = names
    start, stop = ranges[var].start, ranges[var].stop
    points_are_apart = all(ranges.keys() <= _variables(a.target.index) for a in nest.assigns)
    if not (start.is_const and stop.is_const and start.const < stop.const and points_are_apart):
        return None
    return var, start.const, stop.const


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


def _accesses(nest: Nest) -> Iterator[tuple[str, tuple[Index, ...], bool]]:
    """Arrays, where they are touched, and whether they are written there."""
    for assign in nest.assigns:
        yield assign.target.array, assign.target.index, True
        yield from ((load.array, load.index, False) for load in reads_of(assign))


def _variables(index: tuple[Index, ...]) -> frozenset[str]:
    return frozenset(name for form in index if isinstance(form, Affine) for name in form.names)


def _in_windows(member: _Member, nest: Nest, windows: Mapping[str, _Window]) -> Nest:
    changes = {n: partial(windows[n].index, member=member) for n in nest.touched & windows.keys()}
    moved = reindexed(nest, changes)
    assert isinstance(moved, Nest), "other indices do not change what a node is"
    return moved
