"""Runs of nests that can go through their rows together: which rows each touches, and how far behind it has to be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce

from daad.analysis.alias import reads_of
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Array, Branch, Const, Expr, Index, IndexValue, Loop, Nest, Node, Op
from daad.ir.walk import reindexed, substitute_assign

MOST_NESTS = 40  # of a run
ROW, PLANE = 5e-9, 30e-9  # seconds to start a nest of one dimension, of several


@dataclass(frozen=True)
class Rows:
    """How a nest touches an array: at its row plus each of these numbers."""

    written: frozenset[int]
    touched: frozenset[int]


@dataclass(frozen=True)
class Places:
    """A nest, and by array the indices along the axes of rows, each with whether it is written there; None for one that
    is not affine, or where there is no such axis."""

    nest: Nest
    axes: Mapping[str, int]
    forms: Mapping[str, Collection[tuple[Affine | None, bool]]]
    _rows: dict[Affine, Mapping[str, Rows]] = field(default_factory=dict, compare=False, repr=False)

    def rows(self, row: Affine) -> Mapping[str, Rows]:
        """Where the nest touches its arrays, without those that it touches at no distance from its row."""
        if row not in self._rows:
            found = {name: self._rows_of(name, row) for name in self.forms}
            self._rows[row] = {name: each for name, each in found.items() if each is not None}
        return self._rows[row]

    def _rows_of(self, name: str, row: Affine) -> Rows | None:
        offsets = [(form - row, is_target) for form, is_target in self.forms[name] if form is not None]
        if len(offsets) < len(self.forms[name]) or not all(offset.is_const for offset, _ in offsets):
            return None
        written = frozenset(offset.const for offset, is_target in offsets if is_target)
        return Rows(written, frozenset(offset.const for offset, _ in offsets))


@dataclass(frozen=True)
class Member:
    """A nest of a run: `var` is the variable of its domain that counts rows from `first` up to `last`, None where it
    touches one row only. It is at its row `delay` iterations behind."""

    nest: Nest
    var: str | None
    first: int
    last: int
    rows: Mapping[str, Rows]
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
class Window:
    """The rows of an array that are alive at a time; the first of them is touched `oldest` iterations late."""

    axis: int
    rows: int
    oldest: int

    def array(self, whole: Array) -> Array:
        shape = (*whole.shape[: self.axis], self.rows, *whole.shape[self.axis + 1 :])
        return replace(whole, shape=shape if self.rows > 1 else without(shape, (self.axis,)))

    def index(self, index: tuple[Index, ...], member: Member) -> tuple[Index, ...]:
        """Where an element is that a nest touches in an iteration."""
        if self.rows == 1:
            return without(index, (self.axis,))
        form = index[self.axis]
        assert isinstance(form, Affine), "rows are counted"
        late = -form.const if member.var is not None else member.start - form.const
        return (*index[: self.axis], Affine(self.oldest - late), *index[self.axis + 1 :])


@dataclass(frozen=True)
class Run:
    """Nests that can go through their rows together; `axes` are those along which arrays have the rows."""

    members: tuple[Member, ...]
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

    def window(self, name: str) -> Window | None:
        """The rows of an array that are alive at a time, if all nests touch it by rows."""
        if not all(name in m.rows for m in self.members if name in m.nest.touched):
            return None
        return Window(self.axes[name], self.alive(name), max(self._late(name)))

    def alive(self, name: str) -> int:
        """How many iterations after it is touched first a row is touched last, and one."""
        late = self._late(name)
        return max(late) - min(late) + 1

    def _late(self, name: str) -> list[int]:
        return [m.delay - offset for m in self.members if name in m.rows for offset in m.rows[name].touched]

    def loop(self, var: str, windows: Mapping[str, Window]) -> Loop:
        """All rows one after the other, where of some arrays only windows are left."""
        body: list[Node] = []
        for member in self.members:
            least = [Affine(member.start)] if member.start > self.first else []
            most = [Affine(member.stop)] if member.stop < self.last else []
            add_guarded(body, in_windows(member, member.at(var), windows), var, least, most)
        return Loop(var, Affine(self.first), Affine(self.last), 1, tuple(body), self.members[0].nest.at)


def add_guarded(body: list[Node], nest: Nest, row: str, least: Sequence[Affine], most: Sequence[Affine]) -> None:
    """Adds a nest to the body of a loop over rows, for those that are at least each of `least` and below all `most`."""
    here = IndexValue(Affine.of(row))
    sides: list[Expr] = [Op("greater_equal", (here, _number(bound)), "bool") for bound in least]
    sides += [Op("less", (here, _number(bound)), "bool") for bound in most]
    guard = reduce(lambda a, b: Op("logical_and", (a, b), "bool"), sides) if sides else None
    last = body[-1] if body else None
    if guard is None:
        body.append(nest)
    elif isinstance(last, Branch) and last.condition == guard:
        body[-1] = replace(last, then=(*last.then, nest))
    else:
        body.append(Branch(guard, (nest,), (), nest.at))


def _number(form: Affine) -> Expr:
    return Const(form.const, "int64") if form.is_const else IndexValue(form)


def places_of(body: Sequence[Node]) -> list[Places | None]:
    """The places of each nest of a body, None for other nodes. An array's rows are along the first axis along which a
    nest of the body moves."""
    axes: dict[str, int] = {}
    accesses = [list(_accesses(node)) if isinstance(node, Nest) else [] for node in body]
    for node, places in zip(body, accesses, strict=True):
        own = {r.var for r in node.domain} if isinstance(node, Nest) else set()
        for name, index, _ in places:
            moving = [n for n, form in enumerate(index) if isinstance(form, Affine) and own & {*form.names}]
            axes[name] = min([*moving, axes.get(name, len(index))])
    found: list[Places | None] = []
    for node, places in zip(body, accesses, strict=True):
        forms: dict[str, set[tuple[Affine | None, bool]]] = {}
        for name, index, is_target in places:
            form = index[axes[name]] if axes[name] < len(index) else None
            forms.setdefault(name, set()).add((form if isinstance(form, Affine) else None, is_target))
        found.append(Places(node, axes, forms) if isinstance(node, Nest) else None)
    return found


def longest(body: Sequence[Places | None]) -> Run:
    """The nests at the beginning of a body that can go together."""
    run = Run((), {})
    for places in body[:MOST_NESTS]:
        longer = _with(run, places) if places is not None else None
        if longer is None:
            break
        run = longer
    return run


def _with(run: Run, places: Places) -> Run | None:
    """The run with one more nest, None if that has to wait until all rows of the run are done."""
    counted = _counted(run, places)
    if counted is None:
        return None
    var, first, last = counted
    rows = places.rows(Affine(first) if var is None else Affine.of(var))
    delay = _delay(run, places.nest, rows)
    if delay is None:
        return None
    return Run((*run.members, Member(places.nest, var, first, last, rows, delay)), places.axes)


def _counted(run: Run, places: Places) -> tuple[str | None, int, int] | None:
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


def _delay(run: Run, nest: Nest, rows: Mapping[str, Rows]) -> int | None:
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


def in_windows(member: Member, nest: Nest, windows: Mapping[str, Window]) -> Nest:
    """A member at a row, with the windows in the places of the arrays that they are of."""
    changes = {n: partial(windows[n].index, member=member) for n in nest.touched & windows.keys()}
    moved = reindexed(nest, changes)
    assert isinstance(moved, Nest), "other indices do not change what a node is"
    return moved
