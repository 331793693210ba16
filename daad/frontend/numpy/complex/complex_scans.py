"""Running products and extremes of complex numbers, and what is left of them at the end: loops in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy import newer_functions
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of, axis_of
from daad.frontend.numpy.complex.complex_products import in_type
from daad.frontend.numpy.complex.complex_ufuncs import elementwise, stored, write
from daad.frontend.numpy.elementwise.scalar_expressions import const, op
from daad.frontend.numpy.reductions import keep_axes, merged, split_axes
from daad.frontend.numpy.scans import argmax, first_slice
from daad.frontend.numpy.shapes.joining import joined
from daad.frontend.numpy.shapes.reshape import ravel
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, Complex
from daad.ir.affine import Affine
from daad.ir.nodes import Expr


def running(stage: Stage, ufunc: np.ufunc, value: Complex, axis: int) -> Complex:
    """Every element joined with the result before it."""
    kind = value.real.dtype
    result = Complex(*(stage.allocate(value.shape, kind) for _ in range(2)))
    extent = value.shape[axis]
    if extent != ZERO:
        write(stage, _slice(stage, result, axis, ZERO), _slice(stage, value, axis, ZERO))
    with stage.loop("k", Affine(1), extent) as place:
        pair = _slice(stage, result, axis, place - 1), _slice(stage, value, axis, place)
        write(stage, _slice(stage, result, axis, place), elementwise(stage, ufunc, pair))
    return result


def _slice(stage: Stage, value: Complex, axis: int, place: Affine) -> Complex:
    shape, _ = split_axes(value.real, (axis,))
    parts = (stage.reindexed(p, shape, lambda point: merged(point, (place,), (axis,))) for p in value.parts)
    return Complex(*parts)


def _flat(stage: Stage, value: Complex) -> Complex:
    return Complex(*(ravel(stage, part) for part in value.parts))


def accumulated(ufunc: np.ufunc, axis: int | None) -> Callable[..., Any]:
    """`ufunc.accumulate`, and functions that go along another axis where none is given."""
    usual = axis

    def call(stage: Stage, a: Any, axis: Known = usual, dtype: Known = None, out: Any = None) -> Any:
        value = in_type(stage, a, dtype)
        value, axis = (_flat(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
        result = running(stage, ufunc, value, axis)
        return result if out is None else stored(stage, result, out)

    return call


def cumulative_product(
    stage: Stage,
    x: Any,
    /,
    *,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    include_initial: Known = False,
) -> Any:
    result = accumulated(np.multiply, None)(stage, x, axis, dtype)
    if include_initial:
        place, shape = first_slice(stage, axis, result)
        kind = result.real.dtype
        start = complex_numbers.both(stage, shape, kind, lambda _: (const(1, kind), const(0, kind)))
        pairs = zip(start.parts, result.parts, strict=True)
        result = Complex(*(joined(stage, [first, part], place) for first, part in pairs))
    return result if out is None else stored(stage, result, out)


def extremum(ufunc: np.ufunc, axis: int | None) -> Callable[..., Any]:
    """The largest or smallest number along axes, in the order of the real parts."""
    usual = axis

    def call(stage: Stage, a: Any, axis: Known = usual, out: Any = None, keepdims: Known = False) -> Any:
        value = complex_numbers.copied(stage, complex_numbers.paired(stage, a))
        axes = axes_of(stage, axis, value.ndim)
        whole, result = value, value
        if any(extent == ZERO for extent in split_axes(value.real, axes)[1]):
            stage.refuse("An extremum of no elements is not defined.", "Check the shapes.")
        for place in reversed(axes):
            result = _slice(stage, running(stage, ufunc, result, place), place, result.shape[place] - 1)
        result = Complex(*(keep_axes(stage, part, whole.real, axes, keepdims) for part in result.parts))
        return complex_numbers.copied(stage, result) if out is None else stored(stage, result, out)

    return call


def position(ufunc: np.ufunc, first: Callable[..., Any]) -> Callable[..., Any]:
    """Where the extremum, or the first NaN, stands first."""
    among = extremum(ufunc, None)

    def call(stage: Stage, a: Any, axis: Known = None, out: Any = None, *, keepdims: Known = False) -> Any:
        value = complex_numbers.copied(stage, complex_numbers.paired(stage, a))
        best = among(stage, value, axis, keepdims=True)
        tests = elementwise(stage, np.equal, (value, best)), elementwise(stage, np.isnan, (value,))

        def holds(point: Sequence[Affine]) -> Expr:
            return op("logical_or", "bool", *(test.element(point) for test in tests))

        return first(stage, stage.lazy(value.shape, np.bool_, holds), axis, out, keepdims=keepdims)

    return call


EXPLICIT: dict[Any, Callable[..., Any]] = {
    np.multiply.accumulate: accumulated(np.multiply, 0),
    **dict.fromkeys((np.cumprod, "cumprod"), accumulated(np.multiply, None)),
    newer_functions.cumulative_prod: cumulative_product,
    **{ufunc.accumulate: accumulated(ufunc, 0) for ufunc in (np.maximum, np.minimum, np.fmax, np.fmin)},
    **{ufunc.reduce: extremum(ufunc, 0) for ufunc in (np.maximum, np.minimum, np.fmax, np.fmin)},
    **dict.fromkeys((np.max, np.amax, "max"), extremum(np.maximum, None)),
    **dict.fromkeys((np.min, np.amin, "min"), extremum(np.minimum, None)),
    **dict.fromkeys((np.argmax, "argmax"), position(np.maximum, argmax)),
    **dict.fromkeys((np.argmin, "argmin"), position(np.minimum, argmax)),
}
"""By functions and methods."""
