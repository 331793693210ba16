"""Runs of nests that can go through their rows together: which rows each touches, and how far behind it has to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce

from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Array, Branch, Const, Expr, Index, IndexValue, Loop, Nest, Node, Op
from daad.ir.walk import reindexed, substitute_assign
from daad.passes.loops.row_places import Places, Rows

MOST_NESTS = 40  # of a run
ROW, PLANE = 5e-9, 30e-9  # seconds to start a nest of one dimension, of several


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


def longest(body: Sequence[Places | None]) -> Run:
    """The nests at the beginning of a body that can go together."""
    members, before = [], _Before()
    for places in body[:MOST_NESTS]:
        member = before.next(places) if places is not None else None
        if member is None:
            break
        members.append(member)
        before.add(member)
    return Run(tuple(members), body[0].axes if members and body[0] else {})


@dataclass
class _Before:
    """What the members of a run so far do: the arrays that they touch and write, those of them that some do not touch
    by rows, and how many iterations after the row of a later nest they are done with its own: for what is written,
    and for what is touched at all."""

    touched: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    touched_anywhere: set[str] = field(default_factory=set)
    written_anywhere: set[str] = field(default_factory=set)
    behind_writes: dict[str, int] = field(default_factory=dict)
    behind_all: dict[str, int] = field(default_factory=dict)

    def add(self, member: Member) -> None:
        nest = member.nest
        self.touched |= nest.touched
        self.written |= nest.written
        self.touched_anywhere |= nest.touched - member.rows.keys()
        self.written_anywhere |= nest.written - member.rows.keys()
        for name, rows in member.rows.items():
            for latest, own in ((self.behind_writes, rows.written), (self.behind_all, rows.touched)):
                if own:
                    behind = member.delay - min(own)
                    latest[name] = max(latest.get(name, behind), behind)

    def next(self, places: Places) -> Member | None:
        """The nest as one more member, None if that has to wait until all rows of the run are done."""
        counted = self._counted(places)
        if counted is None:
            return None
        var, first, last = counted
        rows = places.rows(Affine(first) if var is None else Affine.of(var))
        delay = self._delay(places.nest, rows)
        return None if delay is None else Member(places.nest, var, first, last, rows, delay)

    def _counted(self, places: Places) -> tuple[str | None, int, int] | None:
        """The variable that counts the rows of a nest, the first one, and the one behind the last."""
        written = places.nest.written
        deciding = [forms for name, forms in places.forms.items() if name in written or name in self.written]
        if not all(forms.is_affine for forms in deciding):
            return None
        names = frozenset[str]().union(*[forms.names for forms in deciding])
        if not names:
            first = min(forms.least for forms in deciding)
            return None, first, first + 1
        if len(names) != 1 or not places.is_apart:
            return None
        [var] = names
        counting = next((r for r in places.nest.domain if r.var == var), None)
        if counting is None or not (counting.start.is_const and counting.stop.is_const):
            return None
        first, last = counting.start.const, counting.stop.const
        return (var, first, last) if first < last else None

    def _delay(self, nest: Nest, rows: Mapping[str, Rows]) -> int | None:
        """How many iterations the nest has to be behind for it to meet nothing before the run is done with it."""
        waits: list[int] = []
        for name in nest.touched & self.touched:
            is_written = name in nest.written
            if not is_written and name not in self.written:
                continue
            if name not in rows or name in (self.touched_anywhere if is_written else self.written_anywhere):
                return None
            if name in self.behind_writes:
                waits.append(self.behind_writes[name] + max(rows[name].touched))
            if is_written:
                waits.append(self.behind_all[name] + max(rows[name].written))
        return max(waits, default=0)


def in_windows(member: Member, nest: Nest, windows: Mapping[str, Window]) -> Nest:
    """A member at a row, with the windows in the places of the arrays that they are of."""
    changes = {n: partial(windows[n].index, member=member) for n in nest.touched & windows.keys()}
    moved = reindexed(nest, changes)
    assert isinstance(moved, Nest), "other indices do not change what a node is"
    return moved
