"""NumPy functions that call functions of the program: `call(function, *args)` reads one in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Binding, Known
from daad.frontend.numpy.calling.call_arguments import axis_of, extents, known_shape, public_name
from daad.frontend.numpy.creation import converted, filled
from daad.frontend.numpy.elementwise.selection import truths
from daad.frontend.numpy.elementwise.ufuncs import select
from daad.frontend.numpy.ranges_and_grids import coordinate
from daad.frontend.numpy.shapes.axes import permuted
from daad.frontend.numpy.shapes.joining import concatenate
from daad.frontend.numpy.shapes.reshape import reshape_to, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.indexing import item
from daad.frontend.staging.iterables import static_items
from daad.frontend.staging.scattering import write_at
from daad.frontend.staging.values import ArrayValue
from daad.ir.affine import Affine

Call = Callable[..., Any]
Callback = Callable[[Stage, Call, Sequence[Any], Mapping[str, Any]], Any]


def fromfunction(stage: Stage, call: Call, function: Any, shape: Any, *, dtype: Known = float, **kwargs: Any) -> Any:
    sizes = extents(stage, shape)
    points = [converted(stage, coordinate(stage, sizes, k), dtype) for k in range(len(sizes))]
    return call(function, *points, **kwargs)


def piecewise(stage: Stage, call: Call, x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function is called with the elements of which its condition holds."""
    value = stage.array(x)
    masks = [truths(stage, mask) for mask in _conditions(stage, value, condlist)]
    functions = static_items(stage, funclist) if isinstance(funclist, ArrayValue) else list(funclist)
    if len(functions) == len(masks) + 1:
        holds = reduce(lambda one, other: select(stage, one, True, other, bool), masks)
        masks.append(select(stage, holds, False, True, bool))
    if len(functions) != len(masks):
        stage.refuse(
            f"'np.piecewise' has {len(masks)} conditions and {len(functions)} functions.",
            "Give a function for each condition, and at most one more for what is left.",
        )
    result = filled(stage, value.shape, value.dtype, stage.scalar(0, value.dtype))
    for mask, function in zip(masks, functions, strict=True):
        found = call(function, item(stage, value, (mask,)), *args, **kw) if callable(function) else function
        write_at(stage, result, (mask,), found)
    return stage.boxed(result)


def _conditions(stage: Stage, value: ArrayValue, condlist: Any) -> list[Any]:
    """What NumPy takes for one condition, and for several."""
    if isinstance(condlist, ArrayValue | np.ndarray):
        several = condlist.ndim > 1 or (condlist.ndim == 1 and not value.ndim)
        return list(static_items(stage, stage.array(condlist))) if several else [condlist]
    if not isinstance(condlist, list | tuple) or not condlist:
        return [condlist]
    is_array = isinstance(condlist[0], list | np.ndarray)
    is_array |= isinstance(condlist[0], ArrayValue) and bool(condlist[0].ndim or condlist[0].boxed)
    return list(condlist) if is_array or not value.ndim else [stage.array(list(condlist))]


def apply_along_axis(stage: Stage, call: Call, func1d: Any, axis: Known, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The function of each vector along an axis, one after the other."""
    value = stage.array(arr)
    place = axis_of(stage, axis, value.ndim)
    order = [k for k in range(value.ndim) if k != place]
    turned = permuted(stage, value, [*order, place])
    sizes = known_shape(stage, turned)[:-1]
    results = [
        stage.place(call(func1d, _vector(stage, turned, point), *args, **kwargs)) for point in np.ndindex(*sizes)
    ]
    whole = concatenate(stage, [with_axes(stage, result, (0,)) for result in results])
    inner = whole.shape[1:]
    back = reshape_to(stage, whole, (*sizes, *(stage.known(extent) for extent in inner)))
    moved = list(range(len(sizes)))
    moved[place:place] = range(len(sizes), len(sizes) + len(inner))
    return permuted(stage, back, moved)


def apply_over_axes(stage: Stage, call: Call, func: Any, a: Any, axes: Known) -> Any:
    """The function along one axis after the other; axes that it takes away are there again."""
    value = stage.array(a)
    for axis in axes if isinstance(axes, list | tuple | np.ndarray) else [axes]:
        place = axis_of(stage, axis, value.ndim)
        result = stage.array(call(func, value, place))
        value = with_axes(stage, result, (place,)) if result.ndim == value.ndim - 1 else result
    return value


def _vector(stage: Stage, value: ArrayValue, point: Sequence[int]) -> ArrayValue:
    index = tuple(map(Affine, point))
    return stage.reindexed(value, value.shape[-1:], lambda own: (*index, *own))


def _bound(function: Callable[..., Any], implementation: Callable[..., Any]) -> Callback:
    binding = Binding(public_name(function), function, implementation, leading=2)

    def handle(stage: Stage, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        given = binding.given(stage, tuple(args), kwargs)
        return implementation(stage, call, *given.args, **given.kwargs)

    return handle


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.fromfunction: fromfunction,
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
}
CALLBACKS: dict[Callable[..., Any], Callback] = {
    function: _bound(function, implementation) for function, implementation in IMPLEMENTATIONS.items()
}
