"""Views with other axes, or with the elements of an axis in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy import newer_functions
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of, axis_of, static
from daad.frontend.numpy.shapes.reshape import transposed
from daad.frontend.numpy.tensor_products import swapped
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue
from daad.ir.affine import Affine


def permuted(stage: Stage, value: ArrayValue, order: Sequence[int]) -> ArrayValue:
    """Axis k of the result is axis `order[k]`."""
    shape = tuple(value.shape[k] for k in order)
    return stage.reindexed(value, shape, lambda point: [point[order.index(k)] for k in range(value.ndim)])


def transpose(stage: Stage, a: Any, axes: Known = None) -> Any:
    value = stage.array(a)
    if axes is None:
        return transposed(stage, value)
    return permuted(stage, value, _permutation(stage, axes, value.ndim))


def _permutation(stage: Stage, axes: Any, rank: int) -> list[int]:
    named = static(stage, axes, "axes")
    order = [axis_of(stage, k, rank) for k in (named if isinstance(named, list | tuple | np.ndarray) else (named,))]
    if sorted(order) != list(range(rank)):
        stage.refuse("The axes of a transposition must name each axis once.", "Name each axis once.")
    return order


def transpose_method(stage: Stage, a: Any, *axes: Any) -> Any:
    return transpose(stage, a, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None)


def matrix_transpose(stage: Stage, a: Any, /) -> Any:
    return swapped(stage, stage.array(a))


def swapaxes(stage: Stage, a: Any, axis1: Known, axis2: Known) -> Any:
    value = stage.array(a)
    order = list(range(value.ndim))
    first, second = axis_of(stage, axis1, value.ndim), axis_of(stage, axis2, value.ndim)
    order[first], order[second] = second, first
    return permuted(stage, value, order)


def moveaxis(stage: Stage, a: Any, source: Known, destination: Known) -> Any:
    value = stage.array(a)
    sources, targets = (
        [axis_of(stage, k, value.ndim) for k in (places if isinstance(places, list | tuple) else [places])]
        for places in (source, destination)
    )
    order = [k for k in range(value.ndim) if k not in sources]
    for target, moved in sorted(zip(targets, sources, strict=True)):
        order.insert(target, moved)
    return permuted(stage, value, order)


def rollaxis(stage: Stage, a: Any, axis: Known, start: Known = 0) -> Any:
    value = stage.array(a)
    moved, before = axis_of(stage, axis, value.ndim), start
    before = before + value.ndim if before < 0 else before
    order = [k for k in range(value.ndim) if k != moved]
    order.insert(before - (moved < before), moved)
    return permuted(stage, value, order)


def flip(stage: Stage, m: Any, axis: Known = None) -> Any:
    value = stage.array(m)
    axes = axes_of(stage, axis, value.ndim)
    if not value.shape:
        return stage.number(value)

    def index(point: Sequence[Affine]) -> list[Affine]:
        pairs = enumerate(zip(point, value.shape, strict=True))
        return [extent - 1 - i if k in axes else i for k, (i, extent) in pairs]

    return stage.reindexed(value, value.shape, index)


def fliplr(stage: Stage, m: Any) -> Any:
    return flip(stage, m, 1)


def flipud(stage: Stage, m: Any) -> Any:
    return flip(stage, m, 0)


def rot90(stage: Stage, m: Any, k: Known = 1, axes: Known = (0, 1)) -> Any:
    value = stage.array(m)
    first, second = (axis_of(stage, axis, value.ndim) for axis in axes)
    turns = k % 4
    if turns == 0:
        return stage.reindexed(value, value.shape, lambda point: point)
    if turns == 2:
        return flip(stage, value, (first, second))
    if turns == 1:
        return swapaxes(stage, flip(stage, value, second), first, second)
    return flip(stage, swapaxes(stage, value, first, second), second)


def diagonal(stage: Stage, a: Any, offset: Known = 0, axis1: Known = 0, axis2: Known = 1) -> Any:
    """To be read."""
    return stage.read_only(diagonal_of(stage, a, offset, axis1, axis2))


def diagonal_of(stage: Stage, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ArrayValue:
    """The elements of a diagonal, behind all other axes."""
    value, shift = stage.array(a), offset
    rows, columns = axis_of(stage, axis1, value.ndim), axis_of(stage, axis2, value.ndim)
    length = diagonal_length(stage, value.shape[rows], value.shape[columns], shift)
    shape = (*(e for k, e in enumerate(value.shape) if k not in (rows, columns)), length)

    def index(point: Sequence[Affine]) -> list[Affine]:
        rest = iter(point[:-1])
        own = {rows: point[-1] + max(-shift, 0), columns: point[-1] + max(shift, 0)}
        return [own[k] if k in own else next(rest) for k in range(value.ndim)]

    return stage.reindexed(value, shape, index)


def diagonal_length(stage: Stage, rows: Affine, columns: Affine, offset: int) -> Affine:
    """How many elements the diagonal has."""
    a, b = rows - max(-offset, 0), columns - max(offset, 0)
    if a == b:
        return a
    return Affine(max(min(stage.known(a), stage.known(b)), 0))


def unstack(stage: Stage, x: Any, /, *, axis: Known = 0) -> Any:
    value = moveaxis(stage, x, axis, 0)
    return tuple(
        stage.reindexed(value, value.shape[1:], lambda point, k=k: (Affine(k), *point))  # type: ignore[misc]
        for k in range(stage.known(value.shape[0]))
    )


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.transpose: transpose,
    np.matrix_transpose: matrix_transpose,
    np.linalg.matrix_transpose: matrix_transpose,
    np.swapaxes: swapaxes,
    np.moveaxis: moveaxis,
    np.rollaxis: rollaxis,
    np.flip: flip,
    np.fliplr: fliplr,
    np.flipud: flipud,
    np.rot90: rot90,
    np.diagonal: diagonal,
    newer_functions.unstack: unstack,
}
METHODS: dict[str, Callable[..., Any]] = {
    "transpose": transpose_method,
    "swapaxes": swapaxes,
    "diagonal": diagonal,
}
