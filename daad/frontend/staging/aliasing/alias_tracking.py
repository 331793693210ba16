"""The staged values that somebody still holds, and the rule that no later write shows in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from daad.frontend.staging.aliasing.live_values import Registry
from daad.frontend.staging.boolean_masks import Mask, Masks
from daad.frontend.staging.facts import Facts
from daad.frontend.staging.known_contents import Contents
from daad.frontend.staging.speculation import Decision
from daad.frontend.staging.values import ArrayValue, Lazy, View, expr_of, own_axes
from daad.ir.affine import Affine, names_of
from daad.ir.nodes import Array, Expr, Index, Op, variables
from daad.ir.walk import loads


class Resettle(Exception):
    """Values from before a loop or branch must get memory of their own before it, which changes what they read."""

    def __init__(self, values: Sequence[ArrayValue], act: Callable[[Sequence[ArrayValue]], None]) -> None:
        super().__init__()
        self.origins, self.act = frozenset(value.origin for value in values), act
        self.depth = min(value.depth for value in values)


@dataclass(frozen=True)
class Snapshot:
    """All that a rollback restores."""

    lengths: tuple[int, ...]
    arrays: dict[str, Array]
    preferred: dict[str, str]
    constants: dict[str, np.ndarray]
    intervals: dict[str, tuple[int, int]]
    live: dict[int, ref[ArrayValue]]
    changed: int
    emitted: int
    masks: Masks
    contents: Contents
    links: frozenset[tuple[str, str]]
    homes: frozenset[str]
    rooms: Mapping[str, Any]
    marks: dict[str, str]
    decisions: tuple[Decision, ...]
    drawn: tuple[Any, ...]


class Ledger(Facts):
    """Keeps track of all values: a write to what a lazy one reads settles it first.

    `homes` are arrays that are the storage of variables just now: these stay where they are. `marks` are arrays of
    which the user has said whether they are kept or computed again; `rooms`: how far arrays are filled (see
    `lengthened`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.live = Registry()
        self.homes: set[str] = set()
        self.rooms: Mapping[str, Any] = {}
        self.marks: dict[str, str] = {}
        self._serial = 0
        self._changed: list[tuple[ref[ArrayValue], tuple[Any, ...]]] = []

    @property
    def made(self) -> int:
        """How many values and arrays have been made."""
        return self._serial

    def copy(self, value: ArrayValue, name: str = "tmp") -> View:
        raise NotImplementedError

    def inherit(self, copied: str, array: str) -> None:
        raise NotImplementedError

    def lazy(
        self, shape: Sequence[Affine], dtype: Any, build: Callable[[tuple[Affine, ...]], Expr], weak: bool = False
    ) -> Lazy:
        raise NotImplementedError

    def view(
        self,
        base: str,
        shape: Sequence[Affine],
        index: Sequence[Index],
        weak: bool = False,
        doubt: int = 0,
        fixed: bool = False,
    ) -> View:
        raise NotImplementedError

    def boxed(self, view: View) -> View:
        """The view, known as an array in memory even if it has no axes."""
        if not view.ndim:
            self.boxes.add(view.base)
            view.boxed = True
        return view

    def is_array(self, value: Any) -> bool:
        """Whether it is an array in memory, which can be changed in place, and no number."""
        return isinstance(value, View) and (value.ndim > 0 or value.boxed)

    def register(self, value: ArrayValue) -> None:
        self._serial += 1
        value.serial = value.origin = self._serial
        value.depth = len(self.blocks) - 1
        self.live.add(value)

    def settle_readers(self, base: str, consumed: Sequence[ArrayValue] = ()) -> None:
        """Writes down the lazy values that read an array before it changes; those consumed are not needed again."""
        for value in self.live.readers(base):
            if not any(value is other for other in consumed):
                self.settle([value])
        self._settle_selections(base, consumed)

    def _settle_selections(self, base: str, consumed: Sequence[ArrayValue]) -> None:
        """Masks that read an array are computed before it changes, where something that they have selected is held.

        The place that is written is no such thing.
        """
        stale = {mask.number for mask in self.masks.reading(base)}
        for value in self.live.all() if stale else ():
            is_target = isinstance(value, View) and value.base == base
            if is_target or any(value is other for other in consumed):
                continue
            if stale & {mask.number for mask in self.masks.used(value.shape)}:
                self._settle_masks_of(base, [value])

    def _settle_masks_of(self, base: str, values: Sequence[ArrayValue]) -> None:
        with self._at_depth_of(values, partial(self._settle_masks_of, base)):
            for value in values:
                self.settle_masks(value.shape, base)

    def settle_masks(self, shape: Sequence[Affine], base: str) -> None:
        """The masks of a shape that read an array are computed."""
        for mask in self.masks.used(shape):
            if base in mask.reads:
                self._settle_mask(mask)

    def _settle_mask(self, mask: Mask) -> None:
        computed = self.copy(self.lazy(mask.extents, bool, mask.holds))
        self.masks.settle(mask, computed.element(own_axes(computed.ndim)))

    def settle_masks_of_loop(self, variable: str) -> None:
        """The masks of what is held at the end of an iteration are computed where they say in which iteration."""
        for value in self.live.all():
            for mask in self.masks.used(value.shape):
                if variable in variables(mask.element):
                    self._settle_mask(mask)

    def forget(self, value: ArrayValue) -> None:
        """The value is not needed again."""
        self.live.discard(value)

    def settle(self, values: Sequence[ArrayValue]) -> None:
        """Writes down what a value reads, in the block where it was made, so that later writes don't show in it."""
        with self._at_depth_of(values, self.settle):
            for value in values:
                self._note(value)
                if isinstance(value, Lazy):
                    view = self.copy(value)
                    value.expr = view.element(own_axes(value.ndim))
                elif isinstance(value, View):
                    own = names_of(own_axes(value.ndim))
                    value.index = tuple(self._settled_index(i, own) for i in value.index)
                self.live.add(value)

    def vacate(self, target: View, value: ArrayValue) -> str | None:
        """A variable's storage is about to get another content: what else stands for it moves to the array given."""
        others = [v for v in self.live.views(target.base) if v is not target and v is not value]
        if not others:
            return None
        self.evacuate(others)
        return others[0].base

    def evacuate(self, views: Sequence[ArrayValue]) -> None:
        """Moves views of one array to a copy of it, before the loop or branch that we are in if they are older."""
        if min(view.depth for view in views) + 1 < len(self.blocks):
            raise Resettle(views, self.evacuate_early)
        self._move_to_copy(views)

    def evacuate_early(self, views: Sequence[ArrayValue]) -> None:
        """The same, but the array gets its other content later: until then there is only one in Python."""
        array, copied = self._move_to_copy(views)
        self.links |= {(copied, array)}

    def _move_to_copy(self, views: Sequence[ArrayValue]) -> tuple[str, str]:
        """The array, and its copy."""
        assert isinstance(views[0], View), "only views have a base"
        array = self.arrays[views[0].base]
        whole = self.view(array.name, tuple(map(Affine, array.shape)), own_axes(len(array.shape)))
        copied = self.copy(whole, self.preferred[array.name])
        self.inherit(copied.base, array.name)
        self.unordered |= {copied.base} if array.name in self.unordered else set()
        self.boxes |= {copied.base} if array.name in self.boxes else set()
        for view in views:
            assert isinstance(view, View), "only views have a base"
            self.move(view, copied.base)
        return array.name, copied.base

    def move(self, view: View, base: str) -> None:
        """The view is a place in another array of the same shape from now on."""
        self._note(view)
        view.base = base
        self.live.add(view)

    def _note(self, value: ArrayValue) -> None:
        """The value is about to read something else, or to belong to another block, which a rollback undoes."""
        self._changed.append((ref(value), _state(value)))

    @contextmanager
    def _at_depth_of(self, values: Sequence[ArrayValue], act: Callable[[Sequence[ArrayValue]], None]) -> Iterator[None]:
        """Emission goes to the block where the values were made; Resettle if a loop lies between."""
        depth = min(value.depth for value in values) + 1
        if any(block.loop for block in self.blocks[depth:]):
            raise Resettle(values, act)
        inner, self.blocks = self.blocks[depth:], self.blocks[:depth]
        try:
            yield
        finally:
            self.blocks += inner

    def revived(self, value: ArrayValue) -> ArrayValue:
        """A value that was put aside by a copy counts as live again."""
        depth, origin = value.depth, value.origin
        self.register(value)
        value.depth, value.origin = depth, origin
        return value

    def resettle(self, origins: Collection[int], act: Callable[[Sequence[ArrayValue]], None]) -> None:
        """What a Resettle asks for, done to the values that continue those it names."""
        values = [value for value in self.live.all() if value.origin in origins]
        if values:
            act(values)

    def put_aside(self, older: Collection[int]) -> list[ArrayValue]:
        """Values that one side of a branch has made: the other side neither sees nor changes them."""
        made = [value for value in self.live.all() if value.serial not in older]
        for value in made:
            self.live.discard(value)
        return made

    def bring_back(self, values: Sequence[ArrayValue]) -> None:
        """Values put aside count again."""
        for value in values:
            self.live.add(value)

    def duplicate(self, view: View) -> View:
        """Another value for the same place, which stands for the same object."""
        made = self.view(view.base, view.shape, view.index, view.weak, view.doubt).continuing(view)
        view.identity = made.identity = view.identity or object()
        return made

    def like(self, view: View) -> View:
        """Another value for the same place, which may stand for another object."""
        made = self.duplicate(view)
        made.identity = None
        return made

    def _settled_index(self, index: Index, own: Collection[str]) -> Index:
        """What an index reads is computed; where it moves along axes of its own, what is added to them."""
        if isinstance(index, Affine) or not any(loads(index)):
            return index
        if isinstance(index, Op) and not index.variables.isdisjoint(own):
            settled = [expr_of(self._settled_index(arg, own)) for arg in index.args]
            return Op(index.name, tuple(settled), index.dtype)
        return self.copy(self.lazy((), index.dtype, lambda _: index), "index").element(())

    def _leave_block(self) -> None:
        """Values made inside that are still held: what they read may change outside, so they belong there from now."""
        depth = len(self.blocks) - 1
        for value in self.live.all():
            if value.depth >= depth:
                self._note(value)
                value.depth = depth - 1
        self.masks.forget()

    def snapshot(self) -> Snapshot:
        """The state now, for `rollback`."""
        return Snapshot(
            lengths=tuple(len(block.nodes) for block in self.blocks),
            arrays=dict(self.arrays),
            preferred=dict(self.preferred),
            constants=dict(self.constants),
            intervals=dict(self.intervals),
            live=self.live.noted(),
            changed=len(self._changed),
            emitted=self.emitted,
            masks=self.masks.copy(),
            contents=self.contents.copy(),
            links=self.links,
            homes=frozenset(self.homes),
            rooms=self.rooms,
            marks=dict(self.marks),
            decisions=self.decisions,
            drawn=self.drawn.noted(),
        )

    def rollback(self, snapshot: Snapshot) -> None:
        """Forgets all that was staged since."""
        del self.blocks[len(snapshot.lengths) :]
        for block, length in zip(self.blocks, snapshot.lengths, strict=True):
            del block.nodes[length:]
        self.links, self.homes, self.marks = snapshot.links, set(snapshot.homes), dict(snapshot.marks)
        self.rooms = snapshot.rooms
        self.arrays, self.preferred = dict(snapshot.arrays), dict(snapshot.preferred)
        self.constants, self.intervals = dict(snapshot.constants), dict(snapshot.intervals)
        self.emitted, self.masks = snapshot.emitted, snapshot.masks.copy()
        self.contents, self.decisions = snapshot.contents.copy(), snapshot.decisions
        self.drawn.back(snapshot.drawn)
        for reference, state in reversed(self._changed[snapshot.changed :]):
            value = reference()
            if value is not None:
                _restore(value, state)
        del self._changed[snapshot.changed :]
        self.live.back(snapshot.live, self.arrays)


def _state(value: Any) -> tuple[Any, ...]:
    return (value.expr, value.depth) if isinstance(value, Lazy) else (value.base, value.index, value.depth)


def _restore(value: Any, state: tuple[Any, ...]) -> None:
    if isinstance(value, Lazy):
        value.expr, value.depth = state
    else:
        value.base, value.index, value.depth = state
