"""Joining and splitting arrays; a join is a local array whose parts are stored one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of, static
from daad.frontend.numpy.calling.numpy_errors import FAILS_TOO
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import into
from daad.frontend.numpy.shapes.axes import moveaxis
from daad.frontend.numpy.shapes.reshape import atleast, broadcast_to, ravel, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.lengthened import prefix, room_behind
from daad.frontend.staging.values import ZERO, ArrayValue, View, affine_of, promote
from daad.frontend.unsupported import CHECK
from daad.ir.affine import Affine


def window(stage: Stage, value: ArrayValue, axis: int, start: Affine, extent: Affine, step: int = 1) -> ArrayValue:
    """`extent` elements along one axis, from `start` in steps; a view of a view."""
    shape = (*value.shape[:axis], extent, *value.shape[axis + 1 :])
    return stage.reindexed(
        value, shape, lambda point: [i * step + start if k == axis else i for k, i in enumerate(point)]
    )


def place_of(stage: Stage, value: ArrayValue, axis: int, start: Affine, extent: Affine, step: int = 1) -> View:
    """The same as a place to write."""
    part = window(stage, value, axis, start, extent, step)
    assert isinstance(part, View), "a window of a local array is a view"
    return part


def joined(stage: Stage, parts: Sequence[ArrayValue], axis: int, dtype: Any = None) -> View:
    """The parts one after the other along an axis."""
    first = parts[0]
    for part in parts:
        same = part.ndim == first.ndim and all(
            k == axis or stage.same_extent(a, b) for k, (a, b) in enumerate(zip(part.shape, first.shape, strict=True))
        )
        if not same:
            stage.refuse(
                "Only arrays of the same shape, but for the axis along which they are joined, can be joined.", CHECK
            )
    kind = np.result_type(*(part.dtype for part in parts)) if dtype is None else np.dtype(dtype)
    longer = _lengthened(stage, parts, axis, kind)
    if longer is not None:
        return longer
    parts = stage.runs(parts, axis)
    starts = list(accumulate((part.shape[axis] for part in parts), initial=ZERO))
    result = stage.allocate((*first.shape[:axis], starts[-1], *first.shape[axis + 1 :]), kind)
    for part, start in zip(parts, starts, strict=False):
        stage.store(place_of(stage, result, axis, start, part.shape[axis]), part)
    return result


def _lengthened(stage: Stage, parts: Sequence[ArrayValue], axis: int, dtype: np.dtype) -> View | None:
    """The parts one after the other, if there is room for the others behind the first one."""
    first, *others = parts
    room = room_behind(stage, first)
    if room is None or room.axis != axis or first.dtype != dtype:
        return None
    assert isinstance(first, View), "there is room behind views only"
    starts = list(accumulate((part.shape[axis] for part in others), initial=room.filled))
    if not stage.provable(room.most - starts[-1]):
        return None
    for part, start in zip(others, starts, strict=False):
        stage.put_behind(place_of(stage, first, axis, start, part.shape[axis]), part)
    stage.rooms = {**stage.rooms, first.base: replace(room, filled=starts[-1])}
    return prefix(stage, first.base, first, axis, starts[-1])


def items_of(stage: Stage, arrays: Any) -> list[ArrayValue]:
    """The operands of a join: a list of arrays, or the rows of an array."""
    if isinstance(arrays, list | tuple):
        return [stage.array(item) for item in arrays]
    whole = stage.array(arrays)
    if not whole.ndim:
        stage.refuse("A number is no sequence of arrays.", "Pass a list of arrays.")
    return [
        stage.reindexed(whole, whole.shape[1:], lambda point, k=k: (Affine(k), *point))  # type: ignore[misc]
        for k in range(stage.known(whole.shape[0]))
    ]


def concatenate(
    stage: Stage,
    arrays: Any,
    /,
    axis: Known = 0,
    out: Any = None,
    *,
    dtype: Known = None,
    casting: Known = "same_kind",
) -> Any:
    parts = items_of(stage, arrays)
    if axis is None:
        dtype = promote(*parts) if dtype is None else dtype
        parts, axis = [ravel(stage, part) for part in parts], 0
    if any(part.ndim == 0 for part in parts):
        stage.refuse("Scalars cannot be concatenated.", "Put the scalar into a list.")
    kind = None if dtype is None else dtype_of(stage, dtype)
    if kind is not None and not all(np.can_cast(part.dtype, kind, casting) for part in parts):
        stage.refuse(f"These arrays cannot be joined as '{kind}'.", "Convert them.")
    result = joined(stage, parts, axis_of(stage, axis, parts[0].ndim), kind)
    return result if out is None else into(stage, result, out, casting=casting)


def stack(
    stage: Stage,
    arrays: Any,
    axis: Known = 0,
    out: Any = None,
    *,
    dtype: Known = None,
    casting: Known = "same_kind",
) -> Any:
    parts = items_of(stage, arrays)
    if any(part.ndim != parts[0].ndim for part in parts):
        raise ValueError("all input arrays must have the same shape")
    place = axis_of(stage, axis, parts[0].ndim + 1)
    grown = [with_axes(stage, part, (place,)) for part in parts]
    return concatenate(stage, grown, place, out, dtype=dtype, casting=casting)


def hstack(stage: Stage, tup: Any, *, dtype: Known = None, casting: Known = "same_kind") -> Any:
    parts = [atleast(1)(stage, part) for part in items_of(stage, tup)]
    return concatenate(stage, parts, 0 if parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def vstack(stage: Stage, tup: Any, *, dtype: Known = None, casting: Known = "same_kind") -> Any:
    grown = [atleast(2)(stage, part) for part in items_of(stage, tup)]
    return concatenate(stage, grown, 0, dtype=dtype, casting=casting)


def dstack(stage: Stage, tup: Any) -> Any:
    return concatenate(stage, [atleast(3)(stage, part) for part in items_of(stage, tup)], 2)


def column_stack(stage: Stage, tup: Any) -> Any:
    parts = items_of(stage, tup)
    columns = [with_axes(stage, ravel(stage, part), (1,)) if part.ndim < 2 else part for part in parts]
    return concatenate(stage, columns, 1)


def append(stage: Stage, arr: Any, values: Any, axis: Known = None) -> Any:
    """A number counts as an array of it."""
    pair = [[one] if axis is None and not np.ndim(one) else one for one in (arr, values)]
    return concatenate(stage, [stage.array(one) for one in pair], axis)


def block(stage: Stage, arrays: Any) -> Any:
    if not isinstance(arrays, list):
        return stage.copy(stage.array(arrays))
    return _block(stage, arrays, _depth(arrays))


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _block(stage: Stage, arrays: Any, depth: int) -> ArrayValue:
    if depth == 0:
        return stage.array(arrays)
    parts = [_block(stage, item, depth - 1) for item in arrays]
    rank = max(depth, *(part.ndim for part in parts))
    grown = [with_axes(stage, part, tuple(range(rank - part.ndim))) for part in parts]
    return joined(stage, grown, rank - depth)


def insert(stage: Stage, arr: Any, obj: Any, values: Any, axis: Known = None) -> Any:
    value = stage.array(arr)
    value, axis = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    place = static(stage, obj, "place of an insertion")
    if not isinstance(place, int):
        return _inserted(stage, value, place, stage.array(values), axis)
    size = stage.known(value.shape[axis])
    place = place + size if place < 0 else place
    new = converted(stage, stage.array(values), value.dtype)
    new = moveaxis(stage, with_axes(stage, new, tuple(range(value.ndim - new.ndim))), 0, axis)
    sizes = [stage.known(extent) for extent in (*value.shape[:axis], new.shape[axis], *value.shape[axis + 1 :])]
    new = broadcast_to(stage, new, tuple(sizes))
    before = window(stage, value, axis, ZERO, Affine(place))
    return joined(stage, [before, new, window(stage, value, axis, Affine(place), Affine(size - place))], axis)


def _inserted(stage: Stage, value: ArrayValue, places: Any, values: ArrayValue, axis: int) -> ArrayValue:
    """Rows put before several places; as many as are given, if there is one place."""
    size = stage.known(value.shape[axis])
    new = converted(stage, values, value.dtype)
    new = with_axes(stage, new, tuple(range(value.ndim - new.ndim)))
    try:
        wanted = len(np.insert(np.zeros(size), places, 0.0)) - size
        count = stage.known(new.shape[axis]) if np.size(places) == 1 else wanted
        order = np.insert(np.arange(size), places, size + np.arange(count))
    except (IndexError, ValueError) as error:
        stage.refuse(f"{FAILS_TOO}: {str(error).rstrip('.')}.", "Give places of the axis.")
    sizes = [stage.known(extent) for extent in value.shape]
    new = broadcast_to(stage, new, (*sizes[:axis], count, *sizes[axis + 1 :]))
    both = joined(stage, [value, new], axis)
    runs = np.split(order, np.flatnonzero(np.diff(order) != 1) + 1)
    parts = [window(stage, both, axis, Affine(int(run[0])), Affine(len(run))) for run in runs if len(run)]
    return joined(stage, parts, axis) if parts else value


def delete(stage: Stage, arr: Any, obj: Any, axis: Known = None) -> Any:
    value = stage.array(arr)
    value, axis = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    size = stage.known(value.shape[axis])
    place = affine_of(obj)
    if place is not None and stage.provable(place) and stage.provable(size - 1 - place):
        before = window(stage, value, axis, ZERO, place)
        return joined(stage, [before, window(stage, value, axis, place + 1, size - 1 - place)], axis)
    places = static(stage, obj, "place of a deletion")
    is_mask = isinstance(obj, ArrayValue) and obj.dtype.kind == "b"
    rest = np.delete(np.arange(size), np.asarray(places, bool) if is_mask else places)
    runs = np.split(rest, np.flatnonzero(np.diff(rest) != 1) + 1)
    parts = [window(stage, value, axis, Affine(int(run[0])), Affine(len(run))) for run in runs if len(run)]
    return joined(stage, parts or [window(stage, value, axis, ZERO, ZERO)], axis)


def split(stage: Stage, ary: Any, indices_or_sections: Any, axis: Known = 0) -> Any:
    return _split(stage, np.split, ary, indices_or_sections, axis)


def array_split(stage: Stage, ary: Any, indices_or_sections: Any, axis: Known = 0) -> Any:
    return _split(stage, np.array_split, ary, indices_or_sections, axis)


def _split(stage: Stage, function: Callable[..., Any], ary: Any, sections: Any, axis: Any) -> list[ArrayValue]:
    value = stage.array(ary)
    place = axis_of(stage, axis, value.ndim)
    parted = 0 if function is np.array_split and isinstance(ary, list | tuple) else place
    numbers = np.arange(stage.known(value.shape[parted]))
    try:
        runs = function(numbers, static(stage, sections, "number of parts"))
    except ValueError as error:
        stage.refuse(f"The array cannot be split: {error}.", CHECK)
    return [window(stage, value, place, Affine(int(run[0]) if len(run) else 0), Affine(len(run))) for run in runs]


def _split_along(axis: int) -> Callable[..., Any]:
    def call(stage: Stage, ary: Any, indices_or_sections: Any) -> Any:
        value = stage.array(ary)
        return split(stage, value, indices_or_sections, 0 if axis == 1 and value.ndim == 1 else axis)

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.concatenate: concatenate,
    np.stack: stack,
    np.hstack: hstack,
    np.vstack: vstack,
    np.dstack: dstack,
    np.column_stack: column_stack,
    np.append: append,
    np.block: block,
    np.insert: insert,
    np.delete: delete,
    np.split: split,
    np.array_split: array_split,
    np.hsplit: _split_along(1),
    np.vsplit: _split_along(0),
    np.dsplit: _split_along(2),
}
