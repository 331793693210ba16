"""Other shapes of the same elements: views where NumPy gives views, whatever the memory order allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of, axis_of, extents, known_shape, static
from daad.frontend.numpy.shapes.index_digits import digit
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.memory_order import is_contiguous, memory_strides, numpys_strides
from daad.frontend.staging.values import (
    ONE,
    ZERO,
    ArrayValue,
    Lazy,
    Order,
    Shape,
    View,
    broadcast_index,
    is_one,
    own_axes,
)
from daad.frontend.unsupported import CHECK
from daad.ir.affine import Affine
from daad.ir.nodes import Index


def reshape_method(stage: Stage, a: Any, /, *shape: Any, order: Known = "C", copy: Known = None) -> Any:
    return reshape(stage, a, shape[0] if len(shape) == 1 else shape, order, copy=copy)


def reshape(stage: Stage, a: Any, /, shape: Any, order: Known = "C", *, copy: Known = None) -> Any:
    value = stage.array(a)
    if order not in ("C", "F", "A"):
        stage.refuse(f"'{order}' is no order of a reshape.", "Use 'C', 'F' or 'A'.")
    if order == "F" or (order == "A" and _is_fortran(stage, value)):
        turned = reshape_to(stage, transposed(stage, value), tuple(reversed(_as_tuple(shape))))
        result = transposed(stage, turned)
    else:
        result = reshape_to(stage, value, shape)
    if copy is False and isinstance(value, View) and not _is_place_in(stage, result, value):
        stage.refuse("A reshape without a copy is not possible here.", "Leave out 'copy'.")
    return stage.copy(result) if copy else result


def _is_place_in(stage: Stage, result: ArrayValue, value: View) -> bool:
    """Whether this is certainly a view in NumPy."""
    return isinstance(result, View) and result.base == value.base and value.base not in stage.unordered


def as_in_memory(stage: Stage, value: ArrayValue) -> np.ndarray:
    """An array of places in memory that NumPy has in the order of the value."""
    sizes = known_shape(stage, value)
    if isinstance(value, Lazy) and value.order is Order.CONTIGUOUS:
        return np.arange(prod(sizes)).reshape(sizes)
    if not isinstance(value, View) or value.base in stage.unordered:
        stage.refuse("How NumPy has the elements of this array in memory is not known.", "Give the order 'C' or 'F'.")
    strides = numpys_strides(value, stage)
    ends = [stride * (size - 1) for stride, size in zip(strides, sizes, strict=True) if size]
    memory = np.arange(sum(map(abs, ends)) + 1)
    start = -sum(end for end in ends if end < 0)
    bytes_ = [stride * memory.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(memory[start:], sizes, bytes_)


def _is_fortran(stage: Stage, value: ArrayValue) -> bool:
    """What the order 'A' means."""
    flags = as_in_memory(stage, value).flags
    return flags.f_contiguous and not flags.c_contiguous


def _in_memory_order(stage: Stage, value: ArrayValue) -> ArrayValue:
    """The axes as they run in memory: what the order 'K' reads."""
    stand_in = as_in_memory(stage, value)
    order = sorted(range(value.ndim), key=lambda k: -abs(stand_in.strides[k]))
    if not np.array_equal(stand_in.transpose(order).ravel(), stand_in.ravel("K")):
        stage.refuse("The order 'K' of an array that runs backwards is not supported.", "Give the order 'C' or 'F'.")
    shape = tuple(value.shape[k] for k in order)
    return stage.reindexed(value, shape, lambda point: [point[order.index(k)] for k in range(value.ndim)])


def _as_tuple(shape: Any) -> tuple[Any, ...]:
    return tuple(shape) if isinstance(shape, list | tuple | np.ndarray) else (shape,)


def transposed(stage: Stage, value: ArrayValue) -> ArrayValue:
    """All axes in reverse."""
    return stage.reindexed(value, value.shape[::-1], lambda point: point[::-1])


def reshape_to(stage: Stage, value: ArrayValue, shape: Any) -> ArrayValue:
    """The reshaped value: a view of the same memory if NumPy gives one, otherwise its elements."""
    wanted = _without_unknown(stage, value, extents(stage, shape))
    if wanted == value.shape:
        return stage.reindexed(value, wanted, lambda point: point)
    groups = _groups(stage, value.shape, wanted)
    merges = any(len(old) > 1 for old, _ in groups)
    if isinstance(value, View) and value.base not in stage.unordered and not _is_view(stage, value, wanted):
        value = elements(stage, value)
    if not isinstance(value, View) and merges:
        return _written(stage, value, wanted, groups)
    result = stage.reindexed(value, wanted, lambda point: _index(point, value.shape, wanted, groups))
    return doubted(stage, result) if merges else result


def elements(stage: Stage, value: ArrayValue) -> Lazy:
    """The value without its place."""
    return stage.lazy(value.shape, value.dtype, value.element, value.weak)


def doubted(stage: Stage, value: ArrayValue) -> ArrayValue:
    """A place that would be a copy in NumPy in one order of its array, and a view in another one."""
    if isinstance(value, View) and value.base in stage.unordered:
        value.doubt = value.serial
    return value


def _without_unknown(stage: Stage, value: ArrayValue, shape: Shape) -> Shape:
    """Replaces the -1."""
    if Affine(-1) not in shape:
        return shape
    known = prod(stage.known(extent) for extent in shape if extent != Affine(-1))
    rest = [e for e in value.shape if not is_one(e)]
    if known == 1 and len(rest) == 1:
        return tuple(rest[0] if extent == Affine(-1) else extent for extent in shape)
    size = prod(known_shape(stage, value))
    if known == 0 or size % known:
        stage.refuse(f"An array of {size} elements cannot be reshaped to ({', '.join(map(str, shape))}).", CHECK)
    return tuple(Affine(size // known) if extent == Affine(-1) else extent for extent in shape)


Group = tuple[tuple[int, ...], tuple[int, ...]]


def _groups(stage: Stage, old: Shape, new: Shape) -> list[Group]:
    """Runs of old axes and of new axes that hold the same number of elements; axes of one element are in none."""
    left = [k for k, e in enumerate(old) if not is_one(e)]
    right = [k for k, e in enumerate(new) if not is_one(e)]
    if [old[k] for k in left] == [new[k] for k in right]:
        return [((i,), (j,)) for i, j in zip(left, right, strict=True)]
    sizes_old, sizes_new = ([stage.known(e) for e in shape] for shape in (old, new))
    if prod(sizes_old) != prod(sizes_new):
        stage.refuse(f"An array of shape {tuple(sizes_old)} cannot be reshaped to {tuple(sizes_new)}.", CHECK)
    if not prod(sizes_old):
        return []
    return _matched(left, right, sizes_old, sizes_new)


def _matched(left: Sequence[int], right: Sequence[int], old: Sequence[int], new: Sequence[int]) -> list[Group]:
    groups: list[Group] = []
    i = j = 0
    while i < len(left):
        start, a, b = (i, j), old[left[i]], new[right[j]]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a, i = a * old[left[i]], i + 1
            else:
                b, j = b * new[right[j]], j + 1
        groups.append((tuple(left[start[0] : i]), tuple(right[start[1] : j])))
    return groups


def _index(point: Sequence[Affine], old: Shape, new: Shape, groups: Sequence[Group]) -> list[Index]:
    """The index into the old shape of a point of the new one."""
    index: list[Index] = [ZERO] * len(old)
    for sources, targets in groups:
        if len(sources) == len(targets) == 1:
            index[sources[0]] = point[targets[0]]
            continue
        flat = ZERO
        for target in targets:
            flat = flat * new[target].const + point[target]
        ranges = {name: (0, new[k].const - 1) for k in targets for name in point[k].names}
        stride = prod(old[k].const for k in sources)
        for source in sources:
            extent = old[source].const
            stride //= extent
            index[source] = digit(flat, stride, extent, ranges, is_first=source == sources[0])
    return index


def _written(stage: Stage, value: ArrayValue, shape: Shape, groups: Sequence[Group]) -> ArrayValue:
    """The value in memory: written in its new shape if the places are affine there."""
    turned = [(new, old) for old, new in groups]
    places = _index(own_axes(value.ndim), shape, value.shape, turned)
    if not all(isinstance(place, Affine) for place in places):
        flat = stage.place(value)
        return stage.reindexed(flat, shape, lambda point: _index(point, value.shape, shape, groups))
    result = stage.allocate(shape, value.dtype)

    def build(point: Sequence[Affine]) -> Any:
        return [(result, _index(point, shape, value.shape, turned), "=", value.element(point))]

    stage.nest(value.shape, build)
    return result


def _is_view(stage: Stage, value: View, shape: Shape) -> bool:
    """Whether NumPy's reshape shares memory: asked with an array of the same shape and strides."""
    if not all(extent.is_const for extent in (*value.shape, *shape)):
        return True
    sizes = tuple(extent.const for extent in value.shape)
    if not prod(sizes):
        return True
    strides = memory_strides(value, stage.arrays)
    stand_in = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), sizes, strides)
    try:
        stand_in.view().shape = tuple(extent.const for extent in shape)
    except AttributeError:
        return False
    return True


def ravel(stage: Stage, a: Any, order: Known = "C") -> Any:
    value = stage.array(a)
    if order not in ("C", "F", "A", "K"):
        stage.refuse(f"There is no order '{order}'.", "Use 'C', 'F', 'A' or 'K'.")
    if order == "K":
        value = _in_memory_order(stage, value)
    elif order == "F" or (order == "A" and _is_fortran(stage, value)):
        value = transposed(stage, value)
    if isinstance(value, View) and value.base not in stage.unordered and not is_contiguous(value, stage):
        value = elements(stage, value)
    return doubted(stage, reshape_to(stage, value, (-1,)))


def flatten(stage: Stage, a: Any, order: Known = "C") -> Any:
    return stage.copy(ravel(stage, a, order))


def squeeze(stage: Stage, a: Any, axis: Known = None) -> Any:
    value = stage.array(a)
    if axis is None:
        axes = tuple(k for k, extent in enumerate(value.shape) if stage.known(extent) == 1)
    else:
        axes = axes_of(stage, axis, value.ndim)
    for k in axes:
        if stage.known(value.shape[k]) != 1:
            stage.refuse(f"Axis {k} has {value.shape[k]} elements: only axes of one element can be squeezed.", CHECK)
    return without_axes(stage, value, axes)


def without_axes(stage: Stage, value: ArrayValue, axes: Sequence[int]) -> ArrayValue:
    """The value without these axes of one element."""
    shape = tuple(e for k, e in enumerate(value.shape) if k not in axes)

    def index(point: Sequence[Affine]) -> list[Affine]:
        rest = iter(point)
        return [ZERO if k in axes else next(rest) for k in range(value.ndim)]

    return stage.reindexed(value, shape, index)


def with_axes(stage: Stage, value: ArrayValue, axes: Sequence[int]) -> ArrayValue:
    """The value with new axes of one element at these places of the result."""
    rest = iter(value.shape)
    shape = tuple(ONE if k in axes else next(rest) for k in range(value.ndim + len(axes)))
    return stage.reindexed(value, shape, lambda point: [i for k, i in enumerate(point) if k not in axes])


def expand_dims(stage: Stage, a: Any, axis: Known) -> Any:
    value = stage.array(a)
    count = len(axis) if isinstance(axis, list | tuple) else 1
    return with_axes(stage, value, axes_of(stage, axis, value.ndim + count))


def atleast(rank: int) -> Callable[..., Any]:
    """`np.atleast_1d` and its like."""

    def call(stage: Stage, *arrays: Any) -> Any:
        results = tuple(_grown(stage, stage.array(value), rank) for value in arrays)
        return results[0] if len(results) == 1 else results

    return call


def _grown(stage: Stage, value: ArrayValue, rank: int) -> ArrayValue:
    if value.ndim >= rank:
        return value
    if rank == 3 and value.ndim > 0:
        return with_axes(stage, value, (0, 2) if value.ndim == 1 else (2,))
    return with_axes(stage, value, tuple(range(rank - value.ndim)))


def broadcast_to(stage: Stage, array: Any, shape: Any) -> Any:
    value, wanted = stage.array(array), extents(stage, shape)
    stage.require_broadcast(value.shape, wanted)
    return stage.read_only(broadcast(stage, value, wanted))


def broadcast(stage: Stage, value: ArrayValue, shape: Shape) -> ArrayValue:
    """The value repeated to a shape that it fits into; not to be written."""
    return stage.reindexed(value, shape, lambda point: broadcast_index(value, point))


def broadcast_arrays(stage: Stage, *args: Any) -> Any:
    arrays = [stage.array(value) for value in args]
    shape = stage.broadcast(*(value.shape for value in arrays))
    return tuple(broadcast(stage, value, shape) for value in arrays)


def sliding_windows(stage: Stage, x: Any, window_shape: Any, axis: Known = None, *, writeable: Known = False) -> Any:
    """All windows as a view: their first elements along the axes of `x`, then the places in the window."""
    value = stage.place(x)
    lengths = extents(stage, window_shape)
    named = range(value.ndim) if axis is None else (axis if isinstance(axis, list | tuple) else (axis,))
    axes = [axis_of(stage, item, value.ndim) for item in named]
    if len(axes) != len(lengths):
        stage.refuse(f"{len(lengths)} lengths of windows are given for {len(axes)} axes.", "Give one for each axis.")
    shape = list(value.shape)
    for own, length in zip(axes, lengths, strict=True):
        shape[own] = shape[own] - length + 1
    if not all(stage.provable(form) for form in (*lengths, *shape)):
        stage.refuse("A window is larger than the array, or negative.", "Check the shapes of the arguments.")

    def index(point: Sequence[Affine]) -> list[Affine]:
        found = list(point[: value.ndim])
        for own, place in zip(axes, point[value.ndim :], strict=True):
            found[own] = found[own] + place
        return found

    windows = stage.reindexed(value, (*shape, *lengths), index)
    return windows if writeable else stage.read_only(windows)


def merge_pairs(stage: Stage, value: ArrayValue) -> ArrayValue:
    """Axes 0 and 1, 2 and 3, … become one each."""
    shape = tuple(
        Affine(stage.known(outer) * stage.known(inner))
        for outer, inner in zip(value.shape[::2], value.shape[1::2], strict=True)
    )
    return reshape_sizes(stage, value, shape)


def reshape_sizes(stage: Stage, value: ArrayValue, shape: Shape) -> ArrayValue:
    """A reshape to known extents."""
    return reshape_to(stage, value, tuple(extent.const for extent in shape))


def resize(stage: Stage, a: Any, new_shape: Any) -> Any:
    value = reshape_to(stage, stage.array(a), (-1,))
    shape = static(stage, new_shape, "shape")
    size, old = prod(_as_tuple(shape)), stage.known(value.shape[0])
    result = stage.allocate((Affine(size),), value.dtype)
    if not old:
        stage.store(result, stage.scalar(0, value.dtype))
        return reshape_to(stage, result, shape)
    for start in range(0, size, old):
        count = Affine(min(old, size - start))
        part = stage.reindexed(result, (count,), lambda p, start=start: (p[0] + start,))  # type: ignore[misc]
        assert isinstance(part, View), "part of a local array"
        stage.store(part, stage.reindexed(value, (count,), lambda point: point))
    return reshape_to(stage, result, shape)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.reshape: reshape,
    np.ravel: ravel,
    np.squeeze: squeeze,
    np.expand_dims: expand_dims,
    np.atleast_1d: atleast(1),
    np.atleast_2d: atleast(2),
    np.atleast_3d: atleast(3),
    np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays,
    np.resize: resize,
    np.lib.stride_tricks.sliding_window_view: sliding_windows,
}
METHODS: dict[str, Callable[..., Any]] = {
    "reshape": reshape_method,
    "ravel": ravel,
    "flatten": flatten,
    "squeeze": squeeze,
}
