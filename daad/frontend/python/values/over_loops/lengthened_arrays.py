"""Arrays that get as much longer in each iteration of a loop: while it is read, all of them lie in one array."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from daad.frontend.python.reading.environment import Change, Path
from daad.frontend.python.reading.fixpoint import name_of
from daad.frontend.python.reading.loop_plans import Growth, Plan
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.staging import container_items
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.lengthened import Room, prefix, room_behind
from daad.frontend.staging.values import ArrayValue, Complex
from daad.frontend.staging.variable_storage import LEAF, leaves, rebuild, skeleton_of
from daad.ir.affine import Affine


def learn(plan: Plan, change: Change) -> bool:
    """Whether a variable's array has got longer, as it will in each iteration of a loop that has more than a few."""
    before, after = change.before, change.after
    if plan.lengthened is None or plan.is_short or plan.period > 1 or change.path in plan.lengthened:
        return False
    if not all(isinstance(array, ArrayValue | Complex) for array in (before, after)):
        return False
    if isinstance(before, Complex) != isinstance(after, Complex):
        return False
    if before.dtype != after.dtype or before.ndim != after.ndim:
        return False
    longer = [(k, b - a) for k, (a, b) in enumerate(zip(before.shape, after.shape, strict=True)) if a != b]
    if len(longer) != 1 or not longer[0][1].is_const or longer[0][1].const <= 0:
        return False
    plan.lengthened[change.path] = Growth(longer[0][0], longer[0][1].const)
    return True


@dataclass(eq=False)
class Lengthened:
    """A variable that each iteration binds to a longer array; `held`: what it was bound to before the loop.

    `bases` are the arrays in which its numbers lie; they are those of a loop `around` if there is room in them.
    """

    plan: Plan
    growth: Growth
    holder: Any
    key: Any
    held: Any
    trips: Affine
    bases: tuple[str, ...]
    around: tuple[Room, ...]

    def begin(self, stage: Stage, passed: Affine) -> None:
        """The next iteration begins, after such a number of others."""
        start, most = self._extent(passed), self._extent(passed + 1)
        room = Room(self.growth.axis, start, most, len(stage.blocks))
        stage.rooms = {**stage.rooms, **dict.fromkeys(self.bases, room)}
        self._hold(self._value(stage, start))

    def end(self, stage: Stage, passed: Affine) -> None:
        """The variable's array goes where the next iteration finds it."""
        value = container_items.got(self.holder, self.key, MISSING)
        if skeleton_of(value) is not LEAF and type(value) is not type(self.held):
            raise Misused(self.plan)
        wanted = self._value(stage, self._extent(passed + 1))
        for place, one in zip(leaves(wanted), leaves(value), strict=True):
            if not isinstance(one, ArrayValue) or (one.shape, one.dtype) != (place.shape, place.dtype):
                raise Misused(self.plan)
            stage.rebind(place, one)
        self._hold(self.held)

    def leave(self, stage: Stage) -> None:
        """After the last iteration."""
        end = self._extent(self.trips)
        stage.rooms = {base: room for base, room in stage.rooms.items() if base not in self.bases}
        stage.rooms |= {b: replace(room, filled=end) for b, room in zip(self.bases, self.around, strict=False)}
        value = self._value(stage, end)
        self._hold(value)
        if self.around:
            return
        stage.homes -= {*self.bases}
        for place in leaves(value):
            if stage.provable(self.trips - 1):
                stage.unlink(place.base)
            stage.vacate(place, place)

    def _extent(self, passed: Affine) -> Affine:
        (first, *_) = leaves(self.held)
        extent: Affine = first.shape[self.growth.axis]
        return extent + passed * self.growth.each

    def _value(self, stage: Stage, extent: Affine) -> Any:
        views = (
            prefix(stage, b, o, self.growth.axis, extent) for b, o in zip(self.bases, leaves(self.held), strict=True)
        )
        return rebuild(skeleton_of(self.held), views)

    def _hold(self, value: Any) -> None:
        container_items.put(self.holder, self.key, value)


def enter(reader: Reader, plan: Plan, trips: Affine | None) -> list[Lengthened]:
    """The arrays that get longer in the loop, each with room for all of its iterations."""
    if not plan.lengthened:
        return []
    places = dict(reader.holders())
    if trips is None or plan.period > 1 or not reader.stage.provable(trips):
        raise Misused(plan)
    return [
        _entered(reader, plan, growth, (places.get(path[:-1]), path), trips) for path, growth in plan.lengthened.items()
    ]


def _entered(reader: Reader, plan: Plan, growth: Growth, at: tuple[Any, Path], trips: Affine) -> Lengthened:
    stage, (holder, path) = reader.stage, at
    key = path[-1]
    held = MISSING if holder is None else container_items.got(holder, key, MISSING)
    if not isinstance(held, ArrayValue | Complex) or (id(holder), key) in reader.cells:
        raise Misused(plan)
    reader.note_read((id(holder), key))
    parts, more = list(leaves(held)), trips * growth.each
    around = [room for part in parts if (room := room_behind(stage, part)) is not None]
    if len(around) == len(parts) and all(_fits(stage, room, growth, more) for room in around):
        bases = tuple(part.base for part in parts)
        return Lengthened(plan, growth, holder, key, held, trips, bases, tuple(around))
    bases = tuple(_copied(stage, part, growth.axis, more, name_of(path)) for part in parts)
    stage.homes |= {*bases}
    return Lengthened(plan, growth, holder, key, held, trips, bases, ())


def _fits(stage: Stage, room: Room, growth: Growth, more: Affine) -> bool:
    return room.axis == growth.axis and stage.provable(room.most - room.filled - more)


def _copied(stage: Stage, value: ArrayValue, axis: int, more: Affine, name: str) -> str:
    """An array that begins with the value's elements and has room for more."""
    shape = [extent + more if k == axis else extent for k, extent in enumerate(value.shape)]
    base = stage.allocate(shape, value.dtype, name).base
    stage.deposit(prefix(stage, base, value, axis, value.shape[axis]), value)
    stage.links |= {(base, base)}
    return base
