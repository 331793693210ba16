"""Arrays that a loop makes longer, as `x = np.append(x, y)` does: all of them lie in one array, from its beginning.

No value that stands for one of them reads behind its own end, so what is put there shows in none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

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
