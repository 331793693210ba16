"""Lists that get one item in each iteration of a loop: while the loop is read, their items are rows of an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Path, Saved, holders, same
from daad.frontend.python.reading.fixpoint import Again, Plan, name_of
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.staging import variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, View, affine_of
from daad.frontend.staging.variable_storage import Kind, Spec
from daad.ir.affine import Affine


@dataclass(eq=False)
class Growing:
    """Stands for a list while the body of a loop is read, which may append to it once and look at its last item.

    `rows` holds the items; it begins with the last one from before the loop if that fits (`seeds` is 1). `position`
    counts the iterations, `added` the items of this one.
    """

    original: list[Any]
    content: tuple[Any, ...]
    plan: Plan
    path: Path
    kind: Kind
    rows: View
    seeds: int
    depth: int
    position: Affine = ZERO
    added: int = 0

    def misused(self, *_: Any) -> NoReturn:
        raise Misused(self.plan)

    __len__ = __iter__ = __bool__ = __contains__ = __getitem__ = __add__ = __radd__ = __mul__ = misused
    __eq__ = __lt__ = misused
    __hash__ = object.__hash__

    @property
    def length(self) -> Affine:
        """`len(list)`."""
        return self.position + (len(self.content) + self.added)

    def row(self, stage: Stage, number: Affine) -> View:
        view = stage.reindexed(self.rows, self.kind.shape, lambda point: (number, *point))
        assert isinstance(view, View), "rows of a local array are views"
        view.weak = self.kind.weak
        return view

    def append(self, stage: Stage, value: Any) -> None:
        """`list.append`."""
        spec = variable_storage.spec_of(value)
        wider = None if spec is None else variable_storage.join(Spec(variable_storage.LEAF, (self.kind,)), spec)
        if wider is None or len(stage.blocks) != self.depth or self.added:
            self.misused()
        if wider.kinds[0] != self.kind:
            assert self.plan.grown is not None, "the list grows"
            self.plan.grown[self.path] = wider
            raise Again
        stage.deposit(self.row(stage, self.position + self.seeds), stage.array(value))
        self.added = 1

    def item(self, stage: Stage, key: Any) -> View:
        """`list[-1]`."""
        if affine_of(key) != Affine(-1) or not (self.seeds or self.added):
            self.misused()
        return self.row(stage, self.position + (self.seeds + self.added - 1))


def grown(saved: Sequence[Saved], bodies: int) -> dict[Path, Spec]:
    """The lists that have got as many items as bodies of the loop have been read, all of one kind."""
    found = {}
    for entry in saved:
        now = entry.holder
        if not isinstance(now, list) or len(now) != len(entry.content) + bodies:
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
            found[entry.path] = first
    return found


def enter(reader: Reader, plan: Plan, trips: Affine | None) -> list[Growing]:
    """Puts the lists that grow in the loop aside, with rows for all items that they will get."""
    if not plan.grown:
        return []
    places, stage = dict(holders(reader.frames, reader.objects)), reader.stage
    made = []
    for path, spec in plan.grown.items():
        original = places.get(path)
        if trips is None or not isinstance(original, list) or id(original) in reader.outside:
            raise Misused(plan)
        last = variable_storage.spec_of(original[-1]) if original else None
        seeds = int(last is not None and variable_storage.join(spec, last) == spec)
        (kind,) = spec.kinds
        count = stage.known(trips) + seeds
        rows = stage.allocate((Affine(count), *kind.shape), kind.dtype, name_of(path))
        growing = Growing(original, tuple(original), plan, path, kind, rows, seeds, len(stage.blocks) + 1)
        if seeds:
            stage.deposit(growing.row(stage, Affine(0)), stage.array(original[-1]))
        _swap(reader, original, growing)
        if any(holder is original for _, holder in holders(reader.frames, reader.objects)):
            raise Misused(plan)
        made.append(growing)
    return made


def turn(lists: Sequence[Growing], position: Affine) -> None:
    """The next iteration begins."""
    for growing in lists:
        growing.position, growing.added = position, 0


def require_item(lists: Sequence[Growing]) -> None:
    """Each list has got its item."""
    for growing in lists:
        if not growing.added:
            growing.misused()


def leave(reader: Reader, lists: Sequence[Growing]) -> None:
    """The lists are lists again, with the rows as items."""
    stage = reader.stage
    for growing in lists:
        original = growing.original
        if len(original) != len(growing.content) or not all(
            a is b for a, b in zip(original, growing.content, strict=True)
        ):
            growing.misused()
        _swap(reader, growing, original)
        rows = [growing.row(stage, Affine(k)) for k in range(stage.known(growing.rows.shape[0]))]
        original[len(original) - growing.seeds :] = rows


def _swap(reader: Reader, old: Any, new: Any) -> None:
    """Whatever holds the old object holds the new one."""
    for _, holder in list(holders(reader.frames, reader.objects)):
        if isinstance(holder, set) or holder is old:
            continue
        for key, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if item is old:
                holder[key] = new
