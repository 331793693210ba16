"""Lists that get as many items in each iteration of a loop: while the loop is read, their items are rows of an array.

Loops within such a loop may append, too, as often in each of their iterations. Where data decide how many items there
are, they are counted while the program runs, and how many there were is a decision of data behind the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from operator import is_
from typing import Any, NoReturn, cast

import numpy as np

from daad.frontend.python.reading.environment import Path, Saved, same
from daad.frontend.python.reading.fixpoint import Again, name_of
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Misused, Reader, Widened
from daad.frontend.python.values.over_loops.taken_lists import Taken, given_back, taken
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Block
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.values import ZERO, View, affine_of, index_names
from daad.frontend.staging.variable_storage import Spec
from daad.ir.affine import Affine
from daad.ir.constructors import add
from daad.ir.nodes import Const, Expr, Index, Op

FEW = 16
"""Rows for items of which data decide the number, until that is known."""
LONG = 200
"""Iterations of loops that are rather written out than their items counted."""
MANY = 64
"""Items from before a loop for which there are no rows where there are more."""


@dataclass(eq=False)
class Growing:
    """Stands for a list while the body of a loop is read, which may append to it and look at its items.

    `rows` hold the items, each one number or array of them; they begin with the last `seeds` ones from before the loop.
    An iteration appends `each` items. `before` counts those of the iterations before, `added` those of this one;
    `depth` blocks are around what may append. `filled`: where data decide, the number of items that were put into rows,
    in turn if these are too few: the last ones are there in any case. `done`: the blocks around each `append` of this
    iteration.
    """

    original: list[Any]
    content: tuple[Any, ...]
    plan: Plan
    path: Path
    spec: Spec
    rows: tuple[View, ...]
    seeds: int
    each: int
    depth: int
    filled: View | None = None
    before: Affine = ZERO
    added: Affine = ZERO
    done: tuple[tuple[Block, ...], ...] = ()

    def state(self) -> tuple[Any, ...]:
        """What `go_back` takes."""
        return self.before, self.added, self.depth, self.done

    def go_back(self, state: tuple[Any, ...]) -> None:
        """To a moment before."""
        self.before, self.added, self.depth, self.done = state

    def misused(self, *_: Any) -> NoReturn:
        raise Misused(self.plan)

    __len__ = __iter__ = __bool__ = __contains__ = __getitem__ = __add__ = __radd__ = __mul__ = misused
    __eq__ = __lt__ = misused
    __hash__ = object.__hash__

    def length(self, stage: Stage) -> Any:
        """`len(list)`."""
        if self.filled is None:
            return stage.affine(self.before + self.added + len(self.content))
        return stage.lazy((), np.int64, lambda _: self._counted(len(self.content) - self.seeds), weak=True)

    def _counted(self, more: int) -> Expr:
        """The number of items that rows have been for, and more."""
        assert self.filled is not None, "data decide how many rows there are"
        return add(self.filled.element(()), Const(more, "int64"), "int64")

    def _place_counted(self, stage: Stage, more: int) -> Index:
        return Op("remainder", (self._counted(more), Const(self.most(stage), "int64")), "int64")

    def most(self, stage: Stage) -> int:
        """How many items there are rows for."""
        return stage.known(self.rows[0].shape[0])

    def _places(self, stage: Stage, number: Index) -> Iterator[View]:
        """Where the numbers and arrays of an item lie."""
        for rows, kind in zip(self.rows, self.spec.kinds, strict=True):
            view = stage.reindexed(rows, kind.shape, lambda point: (number, *point))
            assert isinstance(view, View), "rows of a local array are views"
            view.weak = kind.weak
            yield view

    def row(self, stage: Stage, number: Index) -> Any:
        """An item."""
        return variable_storage.rebuild(self.spec.skeleton, self._places(stage, number))

    def put(self, stage: Stage, number: Index, value: Any) -> None:
        """The item gets the value."""
        items = variable_storage.leaves_as(stage, self.spec, value)
        for place, item in zip(self._places(stage, number), items, strict=True):
            stage.deposit(place, stage.array(item))

    def append(self, reader: Reader, value: Any) -> None:
        """`list.append`."""
        stage, value = reader.stage, taken(reader, self.plan, value)
        spec = variable_storage.spec_of(value)
        wider = None if spec is None else variable_storage.join(self.spec, spec)
        if wider is None:
            self.misused()
        if len(stage.blocks) != self.depth and self.filled is None:
            self._count(stage)
        if wider != self.spec:
            assert self.plan.grown is not None, "the list grows"
            self.plan.grown[self.path] = wider
            raise Widened(self.plan)
        if self.filled is None:
            self.put(stage, self.before + self.added + self.seeds, value)
            self.added = self.added + 1
            return
        self.put(stage, self._place_counted(stage, 0), value)
        stage.store(self.filled, stage.lazy((), np.int64, lambda _: self._counted(1)))
        self.done = (*self.done, tuple(stage.blocks))

    def _count(self, stage: Stage) -> NoReturn:
        """The items are to be counted from now on."""
        if not stage.speculation.has_lists:
            self.misused()
        self.plan.counted[self.path] = FEW
        raise Widened(self.plan)

    def _sure(self, stage: Stage) -> int:
        """How many items there are at least, where they are counted: what was appended in blocks around is there."""
        appended = (blocks for blocks in self.done if len(blocks) <= len(stage.blocks))
        return self.seeds + sum(all(map(is_, blocks, stage.blocks)) for blocks in appended)

    def _look(self, stage: Stage) -> NoReturn:
        """There are to be rows for all items."""
        if self.content and self.path not in self.plan.seeded:
            self.plan.seeded.add(self.path)
            raise Widened(self.plan)
        self._count(stage)

    def extend(self, reader: Reader, values: Any) -> None:
        """`list.extend`."""
        for value in values if isinstance(values, list | tuple) else self.misused():
            self.append(reader, value)

    def item(self, stage: Stage, key: Any) -> Any:
        """`list[key]`, of which there is a row for sure."""
        place = affine_of(key)
        if place is None or isinstance(self.spec.skeleton, Taken):
            self.misused()
        if self.filled is not None:
            is_there = place.is_const and 0 < -place.const <= min(self._sure(stage), FEW // 2)
            return self.row(stage, self._place_counted(stage, place.const)) if is_there else self.misused()
        rows = self.before + self.added + self.seeds
        number = place + rows if place.is_const and place.const < 0 else place + self.seeds - len(self.content)
        if not (stage.provable(number) and stage.provable(rows - 1 - number)):
            self._look(stage)
        return self.row(stage, number)


def count(reader: Reader, holder: Any) -> None:
    """A list gets items as data decide: from now on they are counted in the outermost loop that may."""
    if not reader.stage.speculation.has_lists or not reader.grows or type(holder) is not list:
        return
    for plan in (tracker.plan for tracker in reader.trackers):
        entry = next((entry for entry in plan.saved if entry.holder is holder), None)
        if entry is None or plan.grown is None or entry.path in plan.grown:
            continue
        spec = _one_spec(reader, plan, holder, len(entry.content)) if _is_longer(holder, entry.content) else None
        if spec is not None:
            plan.grown[entry.path], plan.counted[entry.path] = spec, FEW
            raise Widened(plan)


def may_count(reader: Reader, holder: Any, condition: Expr) -> bool:
    """Whether the items of a list are rather counted than the loops written out whose iterations say where it gets
    any."""
    names = index_names(condition)
    widths = [stop - start for name in names if (known := reader.stage.intervals.get(name)) for start, stop in [known]]
    is_own = id(holder) in reader.lists and not reader.stage.speculation.has_lists
    return is_own and reader.grows and prod(widths) > LONG


def _is_longer(now: list[Any], before: Sequence[Any]) -> bool:
    return len(now) > len(before) and all(map(same, before, now))


def _one_spec(reader: Reader, plan: Plan, items: list[Any], start: int) -> Spec | None:
    """The storage of each of the items from one on, if they are all of one kind."""
    specs = [variable_storage.spec_of(taken(reader, plan, item, items)) for item in items[start:]]
    first = specs[0]
    if first is None or any(spec is None or variable_storage.join(first, spec) != first for spec in specs):
        return None
    return first if all(extent.is_const for kind in first.kinds for extent in kind.shape) else None


def learn(reader: Reader, plan: Plan, saved: Sequence[Saved], bodies: int) -> bool:
    """Whether lists have got items, all of one kind; the plan says which, and how many in one of the bodies."""
    plan.grown, places = {}, dict(reader.holders())
    for entry in saved:
        now = entry.holder
        if type(now) is not list or places.get(entry.path) is not now or not _is_longer(now, entry.content):
            continue
        spec = _one_spec(reader, plan, now, len(entry.content))
        if spec is not None:
            plan.grown[entry.path] = spec
            plan.appended[entry.path] = (len(now) - len(entry.content)) // bodies
    return bool(plan.grown)


def enter(reader: Reader, plan: Plan, trips: Affine | None) -> list[Growing]:
    """Puts the lists that grow in the loop aside, with rows for all items that they will get."""
    if not plan.grown:
        return []
    places, stage = dict(reader.holders()), reader.stage
    made = []
    for path, spec in plan.grown.items():
        original = places.get(path)
        if original is None and reader.growing:
            continue  # one that grows in a loop around is no list now
        if type(original) is not list or id(original) in reader.outside:
            raise Misused(plan)
        if trips is None and path not in plan.counted:
            if not stage.speculation.has_lists:
                raise Misused(plan)
            plan.counted[path] = FEW
        seeds = _seeds(reader, plan, path, original)
        each, counted = plan.appended.get(path, 1), path in plan.counted
        most = max(plan.counted[path], seeds) if counted else stage.known(cast(Affine, trips)) * each + seeds
        rows = tuple(stage.allocate((Affine(most), *k.shape), k.dtype, name_of(path)) for k in spec.kinds)
        filled = None
        if counted:
            stage.store(filled := stage.allocate((), np.int64, "count"), seeds)
        depth = len(stage.blocks) + 1
        growing = Growing(original, tuple(original), plan, path, spec, rows, seeds, each, depth, filled)
        for number, item in enumerate(original[len(original) - seeds :]):
            growing.put(stage, Affine(number), taken(reader, plan, item, original))
        put_aside(reader, original, growing)
        made.append(growing)
    return made


def _seeds(reader: Reader, plan: Plan, path: Path, original: list[Any]) -> int:
    """For how many of the items from before the loop there are rows: for all of a few if they are looked at, and fit
    after the rows have been made wider."""
    assert plan.grown is not None, "the list grows"
    spec = plan.grown[path]
    looked = path in plan.counted or path in plan.seeded
    count = len(original) if looked and len(original) <= MANY else 1
    wider: Spec | None = spec
    for item in original[-count:]:
        own = variable_storage.spec_of(taken(reader, plan, item, original))
        wider = None if own is None or wider is None else variable_storage.join(wider, own)
    if looked and wider not in (None, spec):
        plan.grown[path] = wider
        raise Widened(plan)
    return min(count, len(original)) if wider == spec else 0


@dataclass
class Turns:
    """A loop whose body is read while lists grow: its `own` ones, and those of loops `around`."""

    reader: Reader
    plan: Plan
    own: list[Growing]
    around: list[tuple[Growing, Affine, int]] = field(init=False)
    outer: int = field(init=False)

    def __post_init__(self) -> None:
        affine = (growing for growing in self.reader.growing if growing.filled is None)
        self.around = [(growing, growing.added, growing.depth) for growing in affine]
        self.outer = len(self.reader.growing)
        self.reader.growing += self.own

    def begin(self, number: Affine) -> None:
        """The next iteration begins, after such a number of others."""
        for growing in self.own:
            growing.before, growing.added, growing.done = number * growing.each, ZERO, ()
        for growing, added, _ in self.around:
            growing.added = added + number * self._each(growing)
            growing.depth = len(self.reader.stage.blocks)

    def end(self, number: Affine) -> None:
        """Each list has got its items; if not as many as the plan says, there is another plan."""
        for growing in (one for one in self.own if one.filled is None):
            if growing.added == ZERO:
                growing.misused()
            self._require(growing, growing.added, growing.each)
        for growing, added, _ in self.around:
            each = self._each(growing)
            self._require(growing, growing.added - added - number * each, each)

    def _require(self, growing: Growing, count: Affine, each: int) -> None:
        if not count.is_const:
            growing._count(self.reader.stage)
        if count.const != each:
            self.plan.appended[growing.path] = count.const
            raise Again

    def leave(self, trips: Affine | None) -> None:
        """After the last iteration."""
        del self.reader.growing[self.outer :]
        for growing, added, depth in self.around:
            each, growing.depth = self._each(growing), depth
            if each and trips is None:
                growing.misused()
            growing.added = added if trips is None else added + trips * each

    def _each(self, growing: Growing) -> int:
        return self.plan.appended.get(growing.path, 0)


def leave(reader: Reader, lists: Sequence[Growing]) -> None:
    """The lists are lists again, with the rows as items."""
    stage = reader.stage
    for growing, count in zip(lists, _rows_filled(stage, lists), strict=True):
        original = growing.original
        if is_touched(original, growing.content):
            growing.misused()
        swap(reader, growing, original)
        items = [given_back(reader, growing.plan, growing.row(stage, Affine(k))) for k in range(count)]
        original[len(original) - growing.seeds :] = items


def _rows_filled(stage: Stage, lists: Sequence[Growing]) -> list[int]:
    """How many rows each list has; all are read again where there were too few."""
    numbers, enough = [], True
    for growing in lists:
        number = most = growing.most(stage)
        if growing.filled is not None:
            found = assumed(stage, growing.filled, "The length of a list")
            number = growing.misused() if found is None else found
        if number > most:
            growing.plan.counted[growing.path], enough = number, False
        numbers.append(number)
    if not enough:
        raise Widened(lists[0].plan)
    return numbers


def is_touched(original: list[Any], content: tuple[Any, ...]) -> bool:
    """Whether a list that has been put aside has other items than then."""
    return len(original) != len(content) or any(a is not b for a, b in zip(original, content, strict=True))


def put_aside(reader: Reader, original: Any, stand_in: Any) -> None:
    """Something else stands for a list from now on, which no tuple may hold."""
    swap(reader, original, stand_in)
    if any(holder is original for _, holder in reader.holders()):
        stand_in.misused()


def swap(reader: Reader, old: Any, new: Any) -> None:
    """Whatever holds the old object holds the new one."""
    exchange(reader, lambda item: new if item is old else item, old)


def exchange(reader: Reader, other: Callable[[Any], Any], but: Any = None) -> None:
    """Whatever holds an item holds the other one, but for one holder."""
    for _, holder in reader.holders():
        if isinstance(holder, set) or holder is but:
            continue
        for key, item in list(container_items.entries(holder)):
            if (new := other(item)) is not item:
                container_items.put(holder, key, new)
