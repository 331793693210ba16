"""Differences between neighbours, gradients on grids, integrals, convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import elementwise
from daad.frontend.numpy.reductions import reduce_sum
from daad.frontend.numpy.shapes.axes import flip
from daad.frontend.numpy.shapes.joining import joined, place_of, window
from daad.frontend.numpy.shapes.reshape import broadcast, ravel, with_axes
from daad.frontend.numpy.tensor_products import Factor, contract
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, ArrayValue
from daad.frontend.unsupported import CHECK
from daad.ir.affine import Affine

ONE, TWO = Affine(1), Affine(2)


def diff(stage: Stage, a: Any, n: Known = 1, axis: Known = -1, prepend: Any = None, append: Any = None) -> Any:
    value = stage.array(a)
    if n < 0:
        stage.refuse("The order of a difference is negative.", "Use 'np.cumsum'.")
    if n == 0:
        return value
    place = axis_of(stage, axis, value.ndim)
    ends = [_border(stage, end, value, place) for end in (prepend, append)]
    if any(ends):
        value = joined(stage, [part for part in (ends[0], value, ends[1]) if part is not None], place)
    ufunc = np.not_equal if value.dtype.kind == "b" else np.subtract
    for _ in range(n):
        value = stage.place(value)
        extent = ZERO if value.shape[place] == ZERO else value.shape[place] - 1
        parts = window(stage, value, place, ONE, extent), window(stage, value, place, ZERO, extent)
        value = elementwise(stage, ufunc, parts)
    return value


def _border(stage: Stage, end: Any, value: ArrayValue, axis: int) -> ArrayValue | None:
    if end is None:
        return None
    border = stage.array(end)
    if border.ndim:
        return border
    return broadcast(stage, border, (*value.shape[:axis], ONE, *value.shape[axis + 1 :]))


def ediff1d(stage: Stage, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    value = ravel(stage, ary)
    middle = diff(stage, value)
    ends = [None if end is None else ravel(stage, end) for end in (to_begin, to_end)]
    parts = [part for part in (ends[0], middle, ends[1]) if part is not None]
    return middle if len(parts) == 1 else joined(stage, parts, 0, middle.dtype)


def gradient(stage: Stage, f: Any, *varargs: Any, axis: Known = None, edge_order: Known = 1) -> Any:
    """Along each axis in the order in which they are named."""
    value = stage.place(f)
    named = range(value.ndim) if axis is None else axis if isinstance(axis, list | tuple) else (axis,)
    axes = [axis_of(stage, k, value.ndim) for k in named]
    is_one = len(varargs) == 1 and not stage.array(varargs[0]).ndim
    spacings = varargs * len(axes) if is_one else varargs or (1.0,) * len(axes)
    if len(spacings) != len(axes):
        stage.refuse(
            f"'np.gradient' needs one spacing, or one for each of {len(axes)} axes, got {len(spacings)}.", CHECK
        )
    value = value if value.dtype.kind == "f" else stage.place(converted(stage, value, np.float64))
    if edge_order not in (1, 2):
        stage.refuse("'np.gradient' knows the orders 1 and 2 at the edges.", "Use 'edge_order' 1 or 2.")
    pairs = zip(axes, spacings, strict=True)
    results = tuple(_gradient(stage, value, k, stage.array(spacing), edge_order) for k, spacing in pairs)
    return results[0] if len(results) == 1 else results


def _gradient(stage: Stage, value: ArrayValue, axis: int, spacing: ArrayValue, order: int) -> ArrayValue:
    """Central differences inside, one-sided ones at both ends."""
    if spacing.ndim and not stage.same_extent(spacing.shape[0], value.shape[axis]):
        stage.refuse("There are not as many points as elements along the axis.", CHECK)
    if spacing.ndim and spacing.dtype.kind != "f":
        spacing = stage.place(converted(stage, spacing, np.float64))
    result = stage.allocate(value.shape, value.dtype)
    extent = value.shape[axis]
    inner = extent - 2

    def part(start: Affine, count: Affine) -> ArrayValue:
        return window(stage, value, axis, start, count)

    central = _uneven if spacing.ndim else _even
    neighbours = part(ZERO, inner), part(ONE, inner), part(TWO, inner)
    stage.store(place_of(stage, result, axis, ONE, inner), central(stage, neighbours, spacing, value.ndim - axis))
    for end, step in ((ZERO, 1), (extent - 1, -1)):
        points = [part(end + k * step, ONE) for k in range(order + 1)]
        widths = [_width(stage, spacing, end + k * step, step) for k in range(order if spacing.ndim else 1)]
        stage.store(place_of(stage, result, axis, end, ONE), _one_sided(stage, points, widths))
    return result


def _even(stage: Stage, points: Sequence[ArrayValue], spacing: ArrayValue, _: int) -> ArrayValue:
    difference = elementwise(stage, np.subtract, (points[2], points[0]))
    return elementwise(
        stage, np.divide, (difference, elementwise(stage, np.multiply, (2.0, spacing), weak=spacing.weak))
    )


def _uneven(stage: Stage, points: Sequence[ArrayValue], spacing: ArrayValue, depth: int) -> ArrayValue:
    """The second-order formula for widths `h` before and `k` after: weights -k/h(h+k), (k-h)/hk, h/k(h+k)."""
    place = stage.place(spacing)
    width = elementwise(stage, np.subtract, (window(stage, place, 0, ONE, place.shape[0] - 1), _head(stage, place)))
    widths = stage.place(width)
    count = widths.shape[0] - 1
    h, k = (with_axes(stage, window(stage, widths, 0, start, count), tuple(range(1, depth))) for start in (ZERO, ONE))

    def combined(ufunc: np.ufunc, *operands: Any) -> ArrayValue:
        return elementwise(stage, ufunc, operands)

    whole = combined(np.add, h, k)
    first = combined(np.divide, combined(np.negative, k), combined(np.multiply, h, whole))
    middle = combined(np.divide, combined(np.subtract, k, h), combined(np.multiply, h, k))
    last = combined(np.divide, h, combined(np.multiply, k, whole))
    terms = [combined(np.multiply, w, p) for w, p in zip((first, middle, last), points, strict=True)]
    return combined(np.add, combined(np.add, terms[0], terms[1]), terms[2])


def _head(stage: Stage, value: ArrayValue) -> ArrayValue:
    return window(stage, value, 0, ZERO, value.shape[0] - 1)


def _width(stage: Stage, spacing: ArrayValue, end: Affine, step: int) -> ArrayValue:
    """The signed distance from a point to the next one from the end."""
    if not spacing.ndim:
        return elementwise(stage, np.multiply, (spacing, float(step)), weak=spacing.weak)
    edges = [stage.reindexed(spacing, (), lambda _, k=k: (k,)) for k in (end + step, end)]  # type: ignore[misc]
    return elementwise(stage, np.subtract, edges)


def _one_sided(stage: Stage, points: Sequence[ArrayValue], widths: Sequence[ArrayValue]) -> ArrayValue:
    """Of three points by widths `h`, `k`: weights -(2h+k)/h(h+k), (h+k)/hk, -h/k(h+k)."""
    width = widths[0]
    if len(points) == 2:
        return _slope(stage, points, width)
    if len(widths) == 2:
        slopes = [_slope(stage, points[k : k + 2], widths[k]) for k in (0, 1)]
        bend = elementwise(stage, np.subtract, (slopes[0], slopes[1]))
        part = elementwise(stage, np.divide, (width, elementwise(stage, np.add, widths)))
        return elementwise(stage, np.add, (slopes[0], elementwise(stage, np.multiply, (part, bend))))
    weights = (-1.5, 2.0, -0.5)
    terms = [elementwise(stage, np.multiply, (w, p)) for w, p in zip(weights, points, strict=True)]
    total = elementwise(stage, np.add, (elementwise(stage, np.add, (terms[0], terms[1])), terms[2]))
    return elementwise(stage, np.divide, (total, width))


def _slope(stage: Stage, points: Sequence[ArrayValue], width: ArrayValue) -> ArrayValue:
    return elementwise(stage, np.divide, (elementwise(stage, np.subtract, (points[1], points[0])), width))


def trapezoid(stage: Stage, y: Any, x: Any = None, dx: Any = 1.0, axis: Known = -1) -> Any:
    value = stage.place(y)
    place = axis_of(stage, axis, value.ndim)
    extent = value.shape[place] - 1
    width: Any = dx
    if x is not None:
        points = stage.array(x)
        width = diff(stage, points, axis=axis if points.ndim > 1 else -1)
        width = with_axes(stage, width, tuple(range(1, value.ndim - place))) if points.ndim == 1 else width
    ends = window(stage, value, place, ONE, extent), window(stage, value, place, ZERO, extent)
    area = elementwise(stage, np.multiply, (width, elementwise(stage, np.add, ends)))
    return reduce_sum(stage, elementwise(stage, np.divide, (area, 2.0)), axis)


def _vector(stage: Stage, value: Any) -> ArrayValue:
    vector = stage.place(value)
    if vector.ndim > 1:
        stage.refuse("Only vectors can be convolved.", "Convolve row by row.")
    return vector if vector.ndim else with_axes(stage, vector, (0,))


def convolve(stage: Stage, a: Any, v: Any, mode: Known = "full") -> Any:
    first, second = (_vector(stage, value) for value in (a, v))
    if stage.known(first.shape[0]) < stage.known(second.shape[0]):
        first, second = second, first
    return _convolved(stage, first, flip(stage, second), mode)


def correlate(stage: Stage, a: Any, v: Any, mode: Known = "valid") -> Any:
    first, second = (_vector(stage, value) for value in (a, v))
    if stage.known(first.shape[0]) < stage.known(second.shape[0]):
        return flip(stage, _convolved(stage, second, first, mode))
    return _convolved(stage, first, second, mode)


def _convolved(stage: Stage, long: ArrayValue, short: ArrayValue, mode: str) -> ArrayValue:
    """`r[i] += long[i + k - shift] * short[k]`: over the padded array unless only whole overlaps count."""
    n, m = stage.known(long.shape[0]), stage.known(short.shape[0])
    if mode not in ("valid", "same", "full") or not m:
        stage.refuse(f"Vectors cannot be convolved with mode '{mode}'.", "Use 'full', 'same' or 'valid'.")
    before = {"valid": 0, "same": m // 2, "full": m - 1}[mode]
    extent = {"valid": n - m + 1, "same": n, "full": n + m - 1}[mode]
    kind = np.result_type(long.dtype, short.dtype)
    padded = long
    if mode != "valid":
        padded = stage.allocate((Affine(extent + m - 1),), kind)
        stage.store(padded, stage.scalar(0, kind))
        stage.store(place_of(stage, padded, 0, Affine(before), Affine(n)), long)
    windows = stage.reindexed(padded, (Affine(extent), Affine(m)), lambda p: (p[0] + p[1],))
    return contract(stage, (Factor(windows, ("i", "k")), Factor(short, ("k",))), ("i",), kind)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.diff: diff,
    np.ediff1d: ediff1d,
    np.gradient: gradient,
    np.trapezoid: trapezoid,
    np.convolve: convolve,
    np.correlate: correlate,
}
