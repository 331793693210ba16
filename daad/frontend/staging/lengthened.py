"""Arrays that a loop makes longer, as `x = np.append(x, y)` does: all of them lie in one array, each behind the last.

No value that stands for one of them reads behind its own end, so what is put there shows in none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, own_axes
from daad.ir.affine import Affine


@dataclass(frozen=True)
class Room:
    """How far an array is filled along an axis in this iteration, and how far it may be: in blocks of this depth."""

    axis: int
    filled: Affine
    most: Affine
    depth: int


def prefix(stage: Stage, base: str, like: ArrayValue, axis: int, extent: Affine) -> View:
    """The first part of an array, which has the other extents of a value."""
    return stage.view(base, (*like.shape[:axis], extent, *like.shape[axis + 1 :]), own_axes(like.ndim))


def room_behind(stage: Stage, value: ArrayValue) -> Room | None:
    """The room behind a value that is all that an array holds by now."""
    room = stage.rooms.get(value.base) if isinstance(value, View) else None
    if room is None or len(stage.blocks) != room.depth or not isinstance(value, View):
        return None
    is_all = value.index == own_axes(value.ndim) and value.shape[room.axis] == room.filled
    return room if is_all else None


def lengthened(stage: Stage, parts: Sequence[ArrayValue], axis: int, dtype: np.dtype) -> View | None:
    """The parts one after the other, if there is room for the others behind the first one."""
    first, room = parts[0], room_behind(stage, parts[0])
    if room is None or room.axis != axis or first.dtype != dtype:
        return None
    assert isinstance(first, View), "there is room behind views only"
    end = sum((part.shape[axis] for part in parts[1:]), start=room.filled)
    if not stage.provable(room.most - end):
        return None
    start = room.filled
    for part in parts[1:]:
        place = stage.reindexed(
            first,
            part.shape,
            lambda point, s=start: [i + s if k == axis else i for k, i in enumerate(point)],  # type: ignore[misc]
        )
        assert isinstance(place, View), "a place in an array is a view"
        stage.put_behind(place, part)
        start = start + part.shape[axis]
    stage.rooms = {**stage.rooms, first.base: replace(room, filled=end)}
    return prefix(stage, first.base, first, axis, end)
