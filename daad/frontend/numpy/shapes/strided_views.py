"""Where elements lie in memory: `.strides`, and windows that `as_strided` makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import known_shape, static
from daad.frontend.numpy.shapes.reshape import reshape_to
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.memory_order import memory_strides
from daad.frontend.staging.values import ZERO, ArrayValue, View, own_axes
from daad.ir.affine import Affine
from daad.ir.nodes import Load


def strides(stage: Stage, a: Any) -> tuple[int, ...]:
    """Bytes between neighbours along each axis."""
    view = _in_memory(stage, stage.array(a))
    known_shape(stage, view)
    return tuple(stride * view.dtype.itemsize for stride in memory_strides(view, stage.arrays))


def _in_memory(stage: Stage, value: ArrayValue) -> View:
    if not isinstance(value, View) or value.base in stage.unordered | stage.interleaved:
        stage.refuse("Where the elements of this array lie in memory is not known.", "Make it with 'np.array' first.")
    assert isinstance(value, View), "all else is refused"
    return value


def as_strided(stage: Stage, x: Any, shape: Any = None, strides: Known = None, *, writeable: Known = True) -> Any:
    """The elements at these distances behind the first one; where they share memory with each other, to be read."""
    if not isinstance(writeable, bool | np.bool_):
        stage.refuse("'writeable' is no truth value.", "Pass True or False.")
    view = _in_memory(stage, stage.array(x))
    steps = memory_strides(view, stage.arrays) if strides is None else _in_elements(stage, strides, view.dtype.itemsize)
    sizes = known_shape(stage, view) if shape is None else tuple(map(int, static(stage, shape, "shape")))
    if len(sizes) != len(steps):
        stage.refuse("'as_strided' is given a shape and strides of different lengths.", "Give a stride for each axis.")
    memory, first = _memory(stage, view)
    ends = [(size - 1) * step for size, step in zip(sizes, steps, strict=True)]
    low, high = first + sum(min(end, 0) for end in ends), first + sum(max(end, 0) for end in ends)
    is_inside = stage.provable(low) and stage.provable(memory.shape[0] - 1 - high)
    if not is_inside or 0 in sizes:
        stage.refuse("'as_strided' leaves the array.", "Use 'sliding_window_view'.")

    def place(point: Sequence[Affine]) -> list[Affine]:
        return [sum((i * step for i, step in zip(point, steps, strict=True)), first)]

    found = stage.reindexed(memory, tuple(map(Affine, sizes)), place)
    return found if writeable else stage.read_only(found)


def _memory(stage: Stage, view: View) -> tuple[View, Affine]:
    """All elements of the array that the view is one of, in a row, and where its first element is among them."""
    sizes = stage.arrays[view.base].shape
    whole = stage.view(view.base, tuple(map(Affine, sizes)), own_axes(len(sizes)), False, view.doubt, view.fixed)
    load = view.element((ZERO,) * view.ndim)
    assert isinstance(load, Load), "an element of a view is in memory"
    first = ZERO
    for place, extent in zip(load.index, sizes, strict=True):
        if not isinstance(place, Affine):
            stage.refuse("Data decide where the first element of 'as_strided' lies.", "Use 'sliding_window_view'.")
        first = first * extent + place
    row = reshape_to(stage, whole, (-1,))
    assert isinstance(row, View), "a whole array lies in a row"
    return row, first


def _in_elements(stage: Stage, given: Any, itemsize: int) -> tuple[int, ...]:
    found = tuple(map(int, static(stage, given, "strides")))
    if any(stride % itemsize for stride in found):
        stage.refuse("A stride is no multiple of the size of an element.", "Use 'sliding_window_view'.")
    return tuple(stride // itemsize for stride in found)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {np.lib.stride_tricks.as_strided: as_strided}
