"""Differences between neighbours, gradients on grids, integrals, convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.fence import CHECK
from daad.frontend.python.numpy.arguments import axes_of, axis_of, static
from daad.frontend.python.numpy.axes import flip
from daad.frontend.python.numpy.constructors import converted
from daad.frontend.python.numpy.joins import joined, place_of, window
from daad.frontend.python.numpy.products import Factor, contract
from daad.frontend.python.numpy.reductions import reduce_sum
from daad.frontend.python.numpy.reshape import broadcast, ravel, with_axes
from daad.frontend.python.numpy.ufuncs import elementwise
from daad.frontend.python.stage import Stage
from daad.frontend.python.values import ZERO, ArrayValue
from daad.program.affine import Affine

ONE, TWO = Affine(1), Affine(2)


def diff(stage: Stage, a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    value = stage.array(a)
    place = axis_of(stage, axis, value.ndim)
    ends = [_border(stage, end, value, place) for end in (prepend, append)]
    if any(ends):
        value = joined(stage, [part for part in (ends[0], value, ends[1]) if part is not None], place)
    ufunc = np.not_equal if value.dtype.kind == "b" else np.subtract
    for _ in range(static(stage, n, "order of the difference")):
        value = stage.place(value)
        extent = value.shape[place] - 1
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
    middle = diff(stage, ravel(stage, ary))
    ends = [None if end is None else ravel(stage, end) for end in (to_begin, to_end)]
    parts = [part for part in (ends[0], middle, ends[1]) if part is not None]
    return middle if len(parts) == 1 else joined(stage, parts, 0, middle.dtype)


def gradient(stage: Stage, f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    value = stage.place(f)
    axes = axes_of(stage, axis, value.ndim)
    spacings = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(spacings) != len(axes):
        stage.refuse(
            f"'np.gradient' needs one spacing, or one for each of {len(axes)} axes, got {len(spacings)}.", CHECK
        )
    value = value if value.dtype.kind == "f" else stage.place(converted(stage, value, np.float64))
    order = static(stage, edge_order, "order at the edges")
    pairs = zip(axes, spacings, strict=True)
    results = tuple(_gradient(stage, value, k, stage.array(spacing), order) for k, spacing in pairs)
    return results[0] if len(results) == 1 else results


def _gradient(stage: Stage, value: ArrayValue, axis: int, spacing: ArrayValue, order: int) -> ArrayValue:
    """Central differences inside, one-sided ones at both ends."""
    if spacing.ndim and order != 1:
        stage.refuse("'np.gradient' on uneven points with 'edge_order' 2 is not supported.", "Use edge_order=1.")
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
        width = _width(stage, spacing, end, step)
        stage.store(place_of(stage, result, axis, end, ONE), _one_sided(stage, points, width, step))
    return result


def _even(stage: Stage, points: Sequence[ArrayValue], spacing: ArrayValue, depth: int) -> ArrayValue:
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
    """The signed distance from an end to its neighbour."""
    if not spacing.ndim:
        return elementwise(stage, np.multiply, (spacing, float(step)), weak=spacing.weak)
    edges = [stage.reindexed(spacing, (), lambda _, k=k: (k,)) for k in (end + step, end)]  # type: ignore[misc]
    return elementwise(stage, np.subtract, edges)


def _one_sided(stage: Stage, points: Sequence[ArrayValue], width: ArrayValue, step: int) -> ArrayValue:
    if len(points) == 2:
        return elementwise(stage, np.divide, (elementwise(stage, np.subtract, (points[1], points[0])), width))
    weights = (-1.5, 2.0, -0.5)
    terms = [elementwise(stage, np.multiply, (w, p)) for w, p in zip(weights, points, strict=True)]
    total = elementwise(stage, np.add, (elementwise(stage, np.add, (terms[0], terms[1])), terms[2]))
    return elementwise(stage, np.divide, (total, width))


def trapezoid(stage: Stage, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
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


def convolve(stage: Stage, a: Any, v: Any, mode: Any = "full") -> Any:
    first, second = (_vector(stage, value) for value in (a, v))
    if stage.known(first.shape[0]) < stage.known(second.shape[0]):
        first, second = second, first
    return _convolved(stage, first, flip(stage, second), mode)


def correlate(stage: Stage, a: Any, v: Any, mode: Any = "valid") -> Any:
    first, second = (_vector(stage, value) for value in (a, v))
    if stage.known(first.shape[0]) < stage.known(second.shape[0]):
        return flip(stage, _convolved(stage, second, first, mode))
    return _convolved(stage, first, second, mode)


def _convolved(stage: Stage, long: ArrayValue, short: ArrayValue, mode: str) -> ArrayValue:
    """`r[i] += long[i + k - shift] * short[k]`: over the padded array unless only whole overlaps count."""
    n, m = stage.known(long.shape[0]), stage.known(short.shape[0])
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
