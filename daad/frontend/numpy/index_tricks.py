"""What is written with brackets behind a name of NumPy: `np.mgrid[0:3, 0:4]`, `np.r_[x, 0.0]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.numpy.elementwise.ufuncs import elementwise
from daad.frontend.numpy.ranges_and_grids import arange, linspace
from daad.frontend.numpy.shapes.joining import joined, place_of
from daad.frontend.numpy.shapes.reshape import atleast, with_axes, without_axes
from daad.frontend.staging.boolean_masks import masked_shapes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.complex_numbers import is_complex, parts_in
from daad.frontend.staging.values import ArrayValue, Complex, cast
from daad.ir.affine import Affine


def _points(stage: Stage, key: Any) -> ArrayValue:
    """The numbers that a slice stands for; an imaginary step counts them."""
    start, stop, step = (0 if key.start is None else key.start), key.stop, key.step
    if isinstance(step, Complex):
        size = cast(elementwise(stage, np.hypot, step.parts).element(()), "int64")
        count = static(stage, stage.lazy((), np.int64, lambda _: size), "number of points")
        return stage.array(linspace(stage, start, stop, count))
    if isinstance(step, complex):
        return stage.array(linspace(stage, start, stop, int(abs(step))))
    return stage.array(arange(stage, start, stop, 1 if step is None else step))


def open_grid(stage: Stage, key: Any) -> Any:
    """`np.ogrid`: one array per axis, of extent 1 along the others."""
    if not isinstance(key, tuple | list):
        return _points(stage, key)
    others = [tuple(k for k in range(len(key)) if k != own) for own in range(len(key))]
    return tuple(with_axes(stage, _points(stage, part), rest) for part, rest in zip(key, others, strict=True))


def filled_grid(stage: Stage, key: Any) -> Any:
    """`np.mgrid`: the coordinates of all points."""
    if not isinstance(key, tuple | list):
        return _points(stage, key)
    axes = [_points(stage, part) for part in key]
    shape = tuple(points.shape[0] for points in axes)
    result = stage.allocate((Affine(len(axes)), *shape), np.result_type(*(points.dtype for points in axes)))
    for own, points in enumerate(axes):
        rest = tuple(k for k in range(len(axes)) if k != own)
        layer = without_axes(stage, place_of(stage, result, 0, Affine(own), Affine(1)), (0,))
        stage.store(layer, with_axes(stage, points, rest))  # type: ignore[arg-type]
    return result


def _part(stage: Stage, item: Any) -> ArrayValue:
    if isinstance(item, str):
        stage.refuse("Directives in 'np.r_' and 'np.c_' are not supported.", "Use 'np.concatenate' or 'np.stack'.")
    return _points(stage, item) if isinstance(item, slice) else stage.array(item)


def _by_parts(real: Callable[[Stage, tuple[Any, ...]], Any]) -> Callable[[Stage, Any], Any]:
    """What is joined, of the parts of complex numbers each by itself."""

    def of_any(stage: Stage, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        for shape in masked_shapes(items):
            stage.refuse_mask(shape)
        if not is_complex(items):
            return real(stage, items)
        pairs = [parts_in(stage, _part(stage, item) if isinstance(item, slice) else item) for item in items]
        return Complex(*(real(stage, part) for part in zip(*pairs, strict=True)))

    return of_any


@_by_parts
def rows(stage: Stage, key: tuple[Any, ...]) -> Any:
    """`np.r_`."""
    parts = [_part(stage, item) for item in key]
    return joined(stage, [atleast(1)(stage, part) for part in parts], 0)


@_by_parts
def columns(stage: Stage, key: tuple[Any, ...]) -> Any:
    """`np.c_`."""
    parts = [_part(stage, item) for item in key]
    grown = [with_axes(stage, part, tuple(range(part.ndim, 2))) for part in parts]
    return joined(stage, grown, grown[0].ndim - 1)


def same(_: Stage, key: Any) -> Any:
    """`np.s_`."""
    return key


SUBSCRIPTS: dict[Any, Callable[[Stage, Any], Any]] = {
    np.mgrid: filled_grid,
    np.ogrid: open_grid,
    np.r_: rows,
    np.c_: columns,
    np.s_: same,
}
