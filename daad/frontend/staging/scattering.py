"""Places that keys select in an array are written: at once, or one after the other where the key has indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daad.frontend.staging import indexing
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Block
from daad.frontend.staging.indexing import Gathered, Part
from daad.frontend.staging.overwriting import refuse_overwritten
from daad.frontend.staging.values import ArrayValue, Lazy, View, broadcast_index
from daad.ir.affine import Affine
from daad.ir.nodes import Index


def write_at(stage: Stage, array: ArrayValue, key: tuple[Any, ...], value: Any) -> None:
    """`array[key] = value` for real numbers."""
    array, key = indexing.by_truth_value(stage, array, key)
    parts = indexing.parts_of(stage, array, key)
    forget_masks(stage, key)
    write_parts(stage, array, parts, value)


def write_parts(stage: Stage, array: ArrayValue, parts: Sequence[Part], value: Any) -> None:
    if any(isinstance(part, Gathered) for part in parts):
        rank = len(indexing.gathered_shape(stage, parts)[0])
        scatter(stage, array, parts, _without_surplus(stage, stage.array(value), rank))
    else:
        place = indexing.place(stage, array, parts)
        value = _without_surplus(stage, value, place.ndim)
        refuse_overwritten(stage, place, value)
        stage.store(place, value)


def _without_surplus(stage: Stage, value: Any, rank: int) -> Any:
    """What is assigned may have more leading axes of length 1 than its place."""
    surplus = value.ndim - rank if isinstance(value, ArrayValue) else 0
    if surplus <= 0 or any(extent != Affine(1) for extent in value.shape[:surplus]):
        return value
    return stage.reindexed(value, value.shape[surplus:], lambda point: (*(Affine(0),) * surplus, *point))


def forget_masks(stage: Stage, key: tuple[Any, ...]) -> None:
    """A mask that is written through is not needed again as a value."""
    for component in key:
        if isinstance(component, Lazy) and component.dtype.kind == "b":
            stage.forget(component)


def scatter(stage: Stage, array: ArrayValue, parts: Sequence[Part], value: ArrayValue) -> None:
    """`array[indices] = value`: element by element in order, so that the last of equal indices wins."""
    if not isinstance(array, View):
        stage.refuse("A value that is no array in memory is written.", "Make an array of it first.")
    shape, front, inner = indexing.gathered_shape(stage, parts)
    stage.require_broadcast(value.shape, shape)
    if array.base in value.reads() or (isinstance(value, View) and value.base == array.base):
        read, value = value, stage.copy(value)
        stage.forget(read)
    stage.settle_readers(array.base, (value,))
    _Scatter(stage, array, parts, value, shape, front, len(inner)).write_from([])


@dataclass(frozen=True)
class _Scatter:
    """`array[parts] = value`, where the index arrays' axes are `rank` ones behind the first `front` ones of `shape`."""

    stage: Stage
    array: View
    parts: Sequence[Part]
    value: ArrayValue
    shape: Sequence[Affine]
    front: int
    rank: int

    def write_from(self, outer: list[Affine]) -> None:
        """One element of the index arrays after the other, of those that begin with `outer`."""
        stage = self.stage
        if len(outer) < self.rank:
            extent = stage.masks.full(self.shape)[self.front + len(outer)]
            if extent == Affine(1):
                self.write_from([*outer, Affine(0)])
                return
            with stage.loop("k", Affine(0), extent) as variable:
                self.write_from([*outer, variable])
            return
        holds = stage.masks.condition(self.shape[self.front : self.front + self.rank], outer)
        if holds is None:
            self._write_at(outer)
            return
        with stage.block() as block:
            self._write_at(outer)
        stage.branch(holds, block, Block())

    def _write_at(self, outer: Sequence[Affine]) -> None:
        """What the index arrays' element at `outer` selects."""
        stage, value, front = self.stage, self.value, self.front
        rest = (*self.shape[:front], *self.shape[front + len(outer) :])

        def whole(point: Sequence[Index]) -> list[Index]:
            return [*point[:front], *outer, *point[front:]]

        def place_of(point: Sequence[Index]) -> Sequence[Index]:
            return indexing.gathered_index(stage, self.parts, whole(point))

        place = stage.reindexed(self.array, rest, place_of)
        assert isinstance(place, View), "one element of a scatter is a place"
        stage.store(place, stage.lazy(rest, value.dtype, lambda p: value.element(broadcast_index(value, whole(p)))))
