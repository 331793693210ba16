"""Lists that get as many items in each iteration of a loop: while the loop is read, their items are rows of an array.

Loops within such a loop may append, too, as often in each of their iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Path, Saved, same
from daad.frontend.python.reading.fixpoint import Again, Plan, name_of
from daad.frontend.python.reading.reader import Misused, Reader, Widened
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, View, affine_of
from daad.frontend.staging.variable_storage import Kind, Spec
from daad.ir.affine import Affine


@dataclass(eq=False)
class Growing:
    """Stands for a list while the body of a loop is read, which may append to it and look at its last item.

    `rows` holds the items; it begins with the last one from before the loop if that fits (`seeds` is 1). An iteration
    appends `each` items. `before` counts those of the iterations before, `added` those of this one; `depth` blocks are
    around what may append.
    """

    original: list[Any]
    content: tuple[Any, ...]
    plan: Plan
    path: Path
    kind: Kind
    rows: View
    seeds: int
    each: int
    depth: int
    before: Affine = ZERO
    added: Affine = ZERO

    def state(self) -> tuple[Affine, Affine, int]:
        """What `go_back` takes."""
        return self.before, self.added, self.depth

    def go_back(self, state: tuple[Affine, Affine, int]) -> None:
        """To a moment before."""
        self.before, self.added, self.depth = state

    def misused(self, *_: Any) -> NoReturn:
        raise Misused(self.plan)

    __len__ = __iter__ = __bool__ = __contains__ = __getitem__ = __add__ = __radd__ = __mul__ = misused
    __eq__ = __lt__ = misused
    __hash__ = object.__hash__

    @property
    def length(self) -> Affine:
        """`len(list)`."""
        return self.before + self.added + len(self.content)

    def row(self, stage: Stage, number: Affine) -> View:
        view = stage.reindexed(self.rows, self.kind.shape, lambda point: (number, *point))
        assert isinstance(view, View), "rows of a local array are views"
        view.weak = self.kind.weak
        return view

    def append(self, stage: Stage, value: Any) -> None:
        """`list.append`."""
        spec = variable_storage.spec_of(value)
        wider = None if spec is None else variable_storage.join(Spec(variable_storage.LEAF, (self.kind,)), spec)
        if wider is None or len(stage.blocks) != self.depth:
            self.misused()
        if wider.kinds[0] != self.kind:
            assert self.plan.grown is not None, "the list grows"
            self.plan.grown[self.path] = wider
            raise Widened(self.plan)
        stage.deposit(self.row(stage, self.before + self.added + self.seeds), stage.array(value))
        self.added = self.added + 1

    def extend(self, stage: Stage, values: Any) -> None:
        """`list.extend`."""
        for value in values if isinstance(values, list | tuple) else self.misused():
            self.append(stage, value)

    def item(self, stage: Stage, key: Any) -> View:
        """`list[-1]`."""
        if affine_of(key) != Affine(-1) or not (self.seeds or stage.provable(self.before + self.added - 1)):
            self.misused()
        return self.row(stage, self.before + self.added + (self.seeds - 1))


def learn(reader: Reader, plan: Plan, saved: Sequence[Saved], bodies: int) -> bool:
    """Whether lists have got items, all of one kind; the plan says which, and how many in one of the bodies."""
    plan.grown, places = {}, dict(reader.holders())
    for entry in saved:
        now = entry.holder
        if type(now) is not list or len(now) <= len(entry.content) or places.get(entry.path) is not now:
            continue
        if not all(map(same, entry.content, now)):
            continue
        specs = [variable_storage.spec_of(item) for item in now[len(entry.content) :]]
        first = specs[0]
        is_fixed = first is not None and all(extent.is_const for kind in first.kinds for extent in kind.shape)
        if (
            first is not None
            and is_fixed
            and first.skeleton is variable_storage.LEAF
            and all(s == first for s in specs)
        ):
            plan.grown[entry.path] = first
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
        if trips is None or type(original) is not list or id(original) in reader.outside:
            raise Misused(plan)
        last = variable_storage.spec_of(original[-1]) if original else None
        seeds = int(last is not None and variable_storage.join(spec, last) == spec)
        (kind,) = spec.kinds
        each = plan.appended.get(path, 1)
        count = stage.known(trips) * each + seeds
        rows = stage.allocate((Affine(count), *kind.shape), kind.dtype, name_of(path))
        growing = Growing(original, tuple(original), plan, path, kind, rows, seeds, each, len(stage.blocks) + 1)
        if seeds:
            stage.deposit(growing.row(stage, Affine(0)), stage.array(original[-1]))
        put_aside(reader, original, growing)
        made.append(growing)
    return made


@dataclass
class Turns:
    """A loop whose body is read while lists grow: its `own` ones, and those of loops `around`."""

    reader: Reader
    plan: Plan
    own: list[Growing]
    around: list[tuple[Growing, Affine, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.around = [(growing, growing.added, growing.depth) for growing in self.reader.growing]
        self.reader.growing += self.own

    def begin(self, number: Affine) -> None:
        """The next iteration begins, after such a number of others."""
        for growing in self.own:
            growing.before, growing.added = number * growing.each, ZERO
        for growing, added, _ in self.around:
            growing.added = added + number * self._each(growing)
            growing.depth = len(self.reader.stage.blocks)

    def end(self, number: Affine) -> None:
        """Each list has got its items; if not as many as the plan says, there is another plan."""
        for growing in self.own:
            if growing.added == ZERO:
                growing.misused()
            self._require(growing, growing.added, growing.each)
        for growing, added, _ in self.around:
            each = self._each(growing)
            self._require(growing, growing.added - added - number * each, each)

    def _require(self, growing: Growing, count: Affine, each: int) -> None:
        if not count.is_const:
            growing.misused()
        if count.const != each:
            self.plan.appended[growing.path] = count.const
            raise Again

    def leave(self, trips: Affine | None) -> None:
        """After the last iteration."""
        del self.reader.growing[len(self.around) :]
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
    for growing in lists:
        original = growing.original
        if is_touched(original, growing.content):
            growing.misused()
        swap(reader, growing, original)
        rows = [growing.row(stage, Affine(k)) for k in range(stage.known(growing.rows.shape[0]))]
        original[len(original) - growing.seeds :] = rows


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
