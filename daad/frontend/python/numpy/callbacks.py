"""NumPy functions that call functions of the program: `call(function, *args)` reads one in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.python.numpy.arguments import axis_of, extents, known_shape
from daad.frontend.python.numpy.axes import permuted
from daad.frontend.python.numpy.constructors import converted
from daad.frontend.python.numpy.coordinates import coordinate
from daad.frontend.python.numpy.joins import concatenate
from daad.frontend.python.numpy.reshape import reshape_to, with_axes
from daad.frontend.python.numpy.ufuncs import select
from daad.frontend.python.stage import Stage
from daad.frontend.python.values import ArrayValue
from daad.program.affine import Affine

Call = Callable[..., Any]
Callback = Callable[[Stage, Call, Sequence[Any], Mapping[str, Any]], Any]


def fromfunction(stage: Stage, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    function, shape = args[:2]
    sizes = extents(stage, shape)
    kind = kwargs.get("dtype", args[2] if len(args) > 2 else float)
    rest = {name: value for name, value in kwargs.items() if name not in ("dtype", "like")}
    points = [converted(stage, coordinate(stage, sizes, k), kind) for k in range(len(sizes))]
    return call(function, *points, **rest)


def piecewise(stage: Stage, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Every function is computed everywhere, and taken where its condition holds."""
    x, conditions, functions, *rest = args
    value = stage.array(x)
    masks = list(conditions) if isinstance(conditions, list | tuple) else [conditions]
    results = [call(f, value, *rest, **kwargs) if callable(f) else f for f in functions]
    has_default = len(results) == len(masks) + 1
    result = stage.array(results.pop() if has_default else stage.scalar(0, value.dtype))
    for mask, piece in zip(masks, results, strict=True):
        result = select(stage, mask, piece, result, value.dtype)
    return converted(stage, result, value.dtype)


def apply_along_axis(stage: Stage, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The function of each vector along an axis, one after the other."""
    function, axis, array, *rest = args
    value = stage.array(array)
    place = axis_of(stage, axis, value.ndim)
    order = [k for k in range(value.ndim) if k != place]
    turned = permuted(stage, value, [*order, place])
    sizes = known_shape(stage, turned)[:-1]
    results = [
        stage.place(call(function, _vector(stage, turned, point), *rest, **kwargs)) for point in np.ndindex(*sizes)
    ]
    whole = concatenate(stage, [with_axes(stage, result, (0,)) for result in results])
    inner = whole.shape[1:]
    back = reshape_to(stage, whole, (*sizes, *(stage.known(extent) for extent in inner)))
    moved = list(range(len(sizes)))
    moved[place:place] = range(len(sizes), len(sizes) + len(inner))
    return permuted(stage, back, moved)


def apply_over_axes(stage: Stage, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The function along one axis after the other; axes that it takes away are there again."""
    function, a, axes = args
    value = stage.array(a)
    for axis in axes if isinstance(axes, list | tuple | np.ndarray) else [axes]:
        place = axis_of(stage, axis, value.ndim)
        result = stage.array(call(function, value, place))
        value = with_axes(stage, result, (place,)) if result.ndim == value.ndim - 1 else result
    return value


def _vector(stage: Stage, value: ArrayValue, point: Sequence[int]) -> ArrayValue:
    index = tuple(map(Affine, point))
    return stage.reindexed(value, value.shape[-1:], lambda own: (*index, *own))


CALLBACKS: dict[Callable[..., Any], Callback] = {
    np.fromfunction: fromfunction,
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
}
