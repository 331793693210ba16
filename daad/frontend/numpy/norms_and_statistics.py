"""Norms, traces, covariances."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.spectral.singular import plain_norm
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of, known_shape
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import at, elementwise
from daad.frontend.numpy.reductions import (
    count_nonzero,
    element_count,
    quotient,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_sum,
)
from daad.frontend.numpy.shapes.axes import diagonal
from daad.frontend.numpy.shapes.joining import concatenate
from daad.frontend.numpy.shapes.reshape import broadcast, with_axes
from daad.frontend.numpy.tensor_products import matmul, outer_of, swapped
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.values import ZERO, ArrayValue, cast, index_of, is_staged, promote
from daad.ir.affine import Affine


def norm(stage: Stage, x: Any, ord: Known = None, axis: Known = None, keepdims: Known = False) -> Any:
    value = stage.array(x)
    value = converted(stage, value, promote(value, 1.0))
    places = axis
    is_matrix = ord is not None and (value.ndim if places is None else np.size(places)) == 2
    if is_matrix and ord != "fro":
        return _matrix_norm(stage, value, ord, (0, 1) if places is None else places, keepdims)
    if ord in (None, 2, "fro"):
        squares = elementwise(stage, np.square, (value,))
        return elementwise(stage, np.sqrt, (reduce_sum(stage, squares, places, keepdims=keepdims),))
    return _vector_norm(stage, value, ord, places, keepdims)


def _vector_norm(stage: Stage, value: ArrayValue, ord: Any, axis: Any, keepdims: Any) -> Any:
    size = elementwise(stage, np.absolute, (value,))
    if ord == math.inf:
        return reduce_max(stage, size, axis, keepdims=keepdims)
    if ord == -math.inf:
        return reduce_min(stage, size, axis, keepdims=keepdims)
    if ord == 0:
        return converted(stage, count_nonzero(stage, value, axis, keepdims=keepdims), value.dtype)
    if ord == 1:
        return reduce_sum(stage, size, axis, keepdims=keepdims)
    if not isinstance(ord, int | float):
        stage.refuse(f"'np.linalg.norm' with the order '{ord}' is not supported.", "Write the norm with 'np.sum'.")
    powers = elementwise(stage, np.power, (size, ord))
    return elementwise(stage, np.power, (reduce_sum(stage, powers, axis, keepdims=keepdims), 1.0 / ord))


def _matrix_norm(stage: Stage, value: ArrayValue, ord: Any, axes: Any, keepdims: Any) -> Any:
    if ord not in (1, -1, math.inf, -math.inf):
        stage.refuse(f"The matrix norm of order '{ord}' is not supported.", "Use 1, 2, 'fro', 'nuc' or infinity.")
    rows, columns = (k % value.ndim for k in axes)
    first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = reduce_sum(stage, elementwise(stage, np.absolute, (value,)), first, keepdims=True)
    return (reduce_max if ord > 0 else reduce_min)(stage, sums, (first, second), keepdims=keepdims)


def trace(
    stage: Stage,
    a: Any,
    offset: Known = 0,
    axis1: Known = 0,
    axis2: Known = 1,
    dtype: Known = None,
    out: Any = None,
) -> Any:
    return reduce_sum(stage, diagonal(stage, a, offset, axis1, axis2), -1, dtype, out)


def matrix_trace(stage: Stage, x: Any, /, *, offset: Known = 0, dtype: Known = None) -> Any:
    return trace(stage, x, offset, -2, -1, dtype)


def cov(
    stage: Stage,
    m: Any,
    y: Any = None,
    rowvar: Known = True,
    bias: Known = False,
    ddof: Known = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Known = None,
) -> Any:
    value = _variables(stage, m, rowvar, True)
    if y is not None:
        value = concatenate(stage, [value, _variables(stage, y, rowvar, False)])
    kind = np.result_type(value.dtype, np.float64) if dtype is None else dtype_of(stage, dtype)
    value = stage.place(converted(stage, value, kind))
    given = [stage.place(weights) for weights in (fweights, aweights) if weights is not None]
    if given:
        fewer = ddof if ddof is not None else int(not bias)
        return _matrix_or_number(stage, _weighted_covariance(stage, value, given, aweights is not None, fewer))
    mean = stage.place(reduce_mean(stage, value, 1, keepdims=True))
    centred = stage.place(elementwise(stage, np.subtract, (value, mean)))
    fewer = ddof if ddof is not None else int(not bias)
    count = max(stage.known(value.shape[1]) - fewer, 0)
    covariance = quotient(stage, matmul(stage, centred, swapped(stage, centred)), float(count))
    return _matrix_or_number(stage, covariance)


def _weighted_covariance(
    stage: Stage, value: ArrayValue, given: list[Any], is_relative: bool, fewer: int
) -> ArrayValue:
    """`given` are the weights of the observations, of which the last ones are no counts where `is_relative`."""

    def compute(ufunc: np.ufunc, *operands: Any) -> Any:
        return stage.place(elementwise(stage, ufunc, operands))

    weights = given[0] if len(given) == 1 else compute(np.multiply, *given)
    total = stage.place(reduce_sum(stage, weights))
    mean = compute(np.divide, reduce_sum(stage, compute(np.multiply, value, weights), 1, keepdims=True), total)
    centred = compute(np.subtract, value, mean)
    count = total
    if is_relative and fewer:
        squares = reduce_sum(stage, compute(np.multiply, weights, given[-1]))
        count = compute(np.subtract, total, compute(np.divide, compute(np.multiply, fewer, squares), total))
    elif fewer:
        count = compute(np.subtract, total, fewer)
    scaled = compute(np.multiply, centred, weights)
    return compute(np.divide, matmul(stage, scaled, swapped(stage, centred)), count)


def _matrix_or_number(stage: Stage, covariance: Any) -> Any:
    return covariance if covariance.shape[0].const != 1 else stage.reindexed(covariance, (), lambda _: (ZERO, ZERO))


def _variables(stage: Stage, m: Any, rowvar: Any, is_first: bool) -> ArrayValue:
    """The observations of each variable as a row; a vector is one variable, and so is a row that is added to others."""
    value = stage.array(m)
    if value.ndim < 2:
        return with_axes(stage, value, tuple(range(2 - value.ndim)))
    is_row = not is_first and stage.known(value.shape[0]) == 1
    return value if rowvar or is_row else swapped(stage, value)


def corrcoef(stage: Stage, x: Any, y: Any = None, rowvar: Known = True, *, dtype: Known = None) -> Any:
    covariance = stage.place(cov(stage, x, y, rowvar, dtype=dtype))
    if not covariance.ndim:
        return elementwise(stage, np.divide, (covariance, covariance))
    deviations = stage.place(elementwise(stage, np.sqrt, (diagonal(stage, covariance),)))
    return elementwise(stage, np.divide, (covariance, outer_of(stage, np.multiply, deviations, deviations)))


def average(
    stage: Stage, a: Any, axis: Known = None, weights: Any = None, returned: Known = False, *, keepdims: Known = False
) -> Any:
    value = stage.array(a)
    if weights is None:
        mean = reduce_mean(stage, value, axis, keepdims=keepdims)
        count = stage.array(element_count(stage, value, axis)).element(())
        return (mean, stage.lazy(mean.shape, mean.dtype, lambda _: cast(count, mean.dtype))) if returned else mean
    scale = stage.place(weights)
    if scale.shape != value.shape:
        scale = _along(stage, scale, axis, value)
    weighted = elementwise(stage, np.multiply, (value, scale))
    kind = np.result_type(value.dtype, scale.dtype, *([np.float64] if value.dtype.kind in "iub" else []))
    summed = reduce_sum(stage, weighted, axis, kind, keepdims=keepdims)
    weight = reduce_sum(stage, scale, axis, kind, keepdims=keepdims)
    mean = quotient(stage, summed, weight)
    return (mean, weight) if returned else mean


def _along(stage: Stage, weights: ArrayValue, axis: Any, value: ArrayValue) -> Any:
    """Weights of some axes, in the order in which they are named, as an array of the operand's shape."""
    axes = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
    named = [axis_of(stage, k, value.ndim) for k in axes]
    if [value.shape[k] for k in named] != list(weights.shape):
        stage.refuse("The weights do not fit to the array.", "Give weights of the array's shape, or of the axes.")
    return stage.reindexed(weights, value.shape, lambda point: [point[k] for k in named])


def polyval(stage: Stage, p: Any, x: Any) -> Any:
    """Horner's rule."""
    coefficients = stage.array(p)
    if coefficients.ndim != 1:
        stage.refuse("'np.polyval' needs a vector of coefficients.", "Write Horner's rule in a loop.")
    result: Any = 0
    for number in range(stage.known(coefficients.shape[0])):
        item = stage.reindexed(coefficients, (), lambda _, k=number: (Affine(k),))  # type: ignore[misc]
        result = elementwise(stage, np.add, (elementwise(stage, np.multiply, (result, x)), item)) if number else item
    whole = broadcast(stage, stage.array(result), stage.array(x).shape)
    return stage.copy(converted(stage, whole, promote(whole, stage.array(x))))


def bincount(stage: Stage, x: Any, /, weights: Any = None, minlength: Known = 0) -> Any:
    numbers = stage.array(x)
    values = stage.array(1 if weights is None else weights)
    is_paired = weights is None or values.shape == numbers.shape
    if numbers.ndim != 1 or not (is_paired or known_shape(stage, values) == known_shape(stage, numbers)):
        stage.refuse("'np.bincount' takes a row of integers, and as many weights.", "Check the shapes.")
    length = max(minlength, 0 if is_staged(x) or not np.size(x) else int(np.max(x)) + 1)
    if is_staged(x) and not minlength and Affine(0) not in numbers.shape:
        largest = assumed(stage, reduce_max(stage, numbers), "The length of 'np.bincount'")
        if largest is None:
            stage.refuse("The length of 'np.bincount' depends on data.", "Give 'minlength', or use 'np.add.at'.")
        length = largest + 1
    kind = np.dtype(np.int64 if weights is None else np.float64)
    result = stage.allocate((Affine(length),), kind)
    stage.store(result, stage.scalar(0, kind))

    def build(point: Any) -> Any:
        return [(result, (index_of(cast(numbers.element(point), "int64")),), "+=", cast(at(values, point), kind))]

    stage.nest(numbers.shape, build)
    return result


def vector_norm(stage: Stage, a: Any, /, *, axis: Known = None, keepdims: Known = False, ord: Known = 2) -> Any:
    value = stage.array(a)
    value = converted(stage, value, promote(value, 1.0))
    if ord == 2:
        return norm(stage, value, None, axis, keepdims)
    return _vector_norm(stage, value, ord, axis, keepdims)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    plain_norm: norm,
    np.linalg.vector_norm: vector_norm,
    np.trace: trace,
    np.average: average,
    np.polyval: polyval,
    np.bincount: bincount,
    np.linalg.trace: matrix_trace,
    np.cov: cov,
    np.corrcoef: corrcoef,
}
METHODS: dict[str, Callable[..., Any]] = {"trace": trace}
