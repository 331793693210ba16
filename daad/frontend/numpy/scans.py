"""Running sums and extremes, positions of extremes: loops in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy._core import multiarray

from daad.frontend.numpy import newer_functions
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of
from daad.frontend.numpy.elementwise.scalar_expressions import const, op, where
from daad.frontend.numpy.elementwise.ufuncs import RULES, into
from daad.frontend.numpy.reductions import keep_axes, merged, nested, split_axes, sum_type
from daad.frontend.numpy.shapes.joining import joined
from daad.frontend.numpy.shapes.reshape import ravel
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, ArrayValue, Complex, Shape, cast, expr_of
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float
from daad.ir.nodes import Expr

COMPILED_INTERP = tuple(getattr(multiarray, name) for name in ("interp", "interp_complex"))
"""What NumPy's own `interp` calls."""
TRUTH = (np.logical_and, np.logical_or)
EXTREMA = (np.maximum, np.minimum)
FEW = 64  # sorted numbers that are compared one by one, many at a time


def scan(stage: Stage, value: ArrayValue, axis: int, dtype: Any, step: Callable[[Expr, Expr], Expr]) -> ArrayValue:
    """Every element joined with the result before it by `step`."""
    result = stage.allocate(value.shape, dtype)
    kept, (extent,) = split_axes(value, (axis,))

    def assign(place: Affine, is_first: bool) -> Callable[[Sequence[Affine]], Any]:
        def build(outer: Sequence[Affine]) -> Any:
            index = merged(outer, (place,), (axis,))
            item = cast(value.element(index), dtype)
            before = merged(outer, (place - 1,), (axis,))
            return [(result, index, "=", item if is_first else step(result.element(before), item))]

        return build

    if extent != ZERO:
        stage.nest(kept, assign(ZERO, True))
    with stage.loop("k", Affine(1), extent) as place:
        stage.nest(kept, assign(place, False))
    return result


def _cumulated(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, a: Any, axis: Known = None, dtype: Known = None, out: Any = None) -> Any:
        return ufunc_scan(stage, ufunc, a, axis, dtype, out)

    return call


def ufunc_scan(stage: Stage, ufunc: np.ufunc, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    """`ufunc.accumulate`; `axis` None is the flattened array."""
    value = stage.array(a)
    value, axis = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    kind = scan_type(stage, ufunc, value, dtype)
    result = scan(stage, value, axis, kind, lambda before, item: RULES[ufunc]([before, item], kind.name))
    return result if out is None else into(stage, result, out)


def scan_type(stage: Stage, ufunc: np.ufunc, value: ArrayValue, dtype: Any) -> np.dtype[Any]:
    """The type that a running ufunc is computed in."""
    if ufunc in (np.add, np.multiply):
        return sum_type(stage, value, dtype)
    if ufunc in TRUTH:
        if dtype not in (None, bool, np.bool_):
            stage.refuse("Logical functions in another dtype are not supported.", "Convert the result.")
        return np.dtype(bool)
    if ufunc in EXTREMA:
        return value.dtype if dtype is None else dtype_of(stage, dtype)
    return joined_type(stage, ufunc, value, dtype)


def joined_type(stage: Stage, ufunc: np.ufunc, value: ArrayValue, dtype: Any) -> np.dtype[Any]:
    """As NumPy has it of one element."""
    asked = None if dtype is None else dtype_of(stage, dtype)
    return dtype_of(stage, ufunc.accumulate(np.ones(1, value.dtype), dtype=asked).dtype)


def first_slice(stage: Stage, axis: int | None, value: ArrayValue | Complex) -> tuple[int, Shape]:
    """The axis, and the shape of what stands before a running result along it."""
    place = 0 if axis is None else axis_of(stage, axis, value.ndim)
    return place, (*value.shape[:place], Affine(1), *value.shape[place + 1 :])


def _cumulative(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(
        stage: Stage,
        x: Any,
        /,
        *,
        axis: Known = None,
        dtype: Known = None,
        out: Any = None,
        include_initial: Known = False,
    ) -> Any:
        if not include_initial:
            return ufunc_scan(stage, ufunc, x, axis, dtype, out)
        found = stage.place(ufunc_scan(stage, ufunc, x, axis, dtype, None))
        place, shape = first_slice(stage, axis, found)
        start = stage.lazy(shape, found.dtype, lambda _: const(ufunc.identity, found.dtype))
        whole = joined(stage, [start, found], place)
        return whole if out is None else into(stage, whole, out)

    return call


def _position(better: str) -> Callable[..., Any]:
    def call(stage: Stage, a: Any, axis: Known = None, out: Any = None, *, keepdims: Known = False) -> Any:
        value = stage.place(a)
        axes = tuple(range(value.ndim)) if axis is None else (axis_of(stage, axis, value.ndim),)
        if any(extent == ZERO for extent in split_axes(value, axes)[1]):
            stage.refuse("The position of an extremum among no elements is not defined.", "Check the shapes.")
        result = _located(stage, value, axes, better)
        shaped = keep_axes(stage, result, value, axes, keepdims)
        return shaped if out is None else into(stage, shaped, out)

    return call


def _located(stage: Stage, value: ArrayValue, axes: Sequence[int], better: str) -> ArrayValue:
    """The flat position, within the axes, of the first element that is better than all before."""
    kept, reduced = split_axes(value, axes)
    sizes = [1] if len(axes) == 1 else [stage.known(extent) for extent in reduced]
    position = stage.allocate(kept, np.int64)
    stage.store(position, stage.scalar(0, np.int64))

    def step(inner: tuple[Affine, ...]) -> None:
        flat = ZERO
        for size, number in zip(sizes, inner, strict=True):
            flat = flat * size + number

        def assign(outer: Sequence[Affine]) -> Any:
            before = position.element(outer)
            best = value.element(merged(outer, _digits(before, sizes), axes))
            wins = _wins(better, value.element(merged(outer, inner, axes)), best)
            return [(position, outer, "=", where(wins, expr_of(flat), before))]

        stage.nest(kept, assign)

    nested(stage, reduced, step)
    return position


def _wins(better: str, item: Expr, best: Expr) -> Expr:
    """Whether an element is better than the best before; the first NaN is better than all."""
    if not is_float(item.dtype):
        return op(better, "bool", item, best)
    beaten = op(f"{BEATEN[better]}_equal", "bool", item, best)
    return op("logical_and", "bool", op("logical_not", "bool", beaten), op("equal", "bool", best, best))


def _digits(flat: Expr, sizes: Sequence[int]) -> list[Expr]:
    """The index along each axis from a flat position."""
    if len(sizes) == 1:
        return [flat]
    strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    return [
        op("remainder", "int64", op("floor_divide", "int64", flat, const(stride, "int64")), const(size, "int64"))
        for stride, size in zip(strides, sizes, strict=True)
    ]


def count_below(
    stage: Stage, sorted_values: ArrayValue, values: ArrayValue, side: str, falls: Expr | None = None
) -> ArrayValue:
    """How many of the sorted numbers are smaller than each value ('right': or equal); NaN is larger than all.

    Where the scalar `falls` holds, the largest comes first.
    """
    table = stage.place(sorted_values)
    items = stage.place(values) if values.ndim else values
    result = stage.allocate(items.shape, np.int64)
    stage.store(result, stage.scalar(0, np.int64))
    kind = np.result_type(table.dtype, items.dtype)
    extent = stage.known(table.shape[0])

    def is_below(place: Affine | Expr, point: Sequence[Affine]) -> Expr:
        return _is_below(cast(table.element((place,)), kind), cast(items.element(point), kind), side)

    def from_either_end(place: Expr, point: Sequence[Affine]) -> Expr:
        if falls is None:
            return is_below(place, point)
        return is_below(where(falls, op("subtract", "int64", const(extent - 1, "int64"), place), place), point)

    if extent > FEW:
        _halve(stage, result, extent, from_either_end)
        return result

    def build(point: Sequence[Affine]) -> Any:
        outer, place = point[: items.ndim], point[items.ndim]
        return [(result, outer, "+=", cast(is_below(place, outer), "int64"))]

    stage.nest((*items.shape, *table.shape), build)
    return result


def _is_below(number: Expr, value: Expr, side: str) -> Expr:
    found = op("less" if side == "left" else "less_equal", "bool", number, value)
    if not is_float(value.dtype):
        return found
    last = op("isnan", "bool", value)
    if side == "left":
        last = op("logical_and", "bool", last, op("equal", "bool", number, number))
    return op("logical_or", "bool", found, last)


def _halve(stage: Stage, result: ArrayValue, extent: int, is_below: Callable[[Any, Sequence[Affine]], Expr]) -> None:
    """The number of sorted places that are below, by steps of 2^k, …, 4, 2, 1 from 0: as long as the last is below."""
    most = extent.bit_length() - 1

    def step(inner: tuple[Affine, ...]) -> None:
        size = op("left_shift", "int64", const(1, "int64"), expr_of(most - inner[0]))

        def assign(point: tuple[Affine, ...]) -> Any:
            reached = op("add", "int64", result.element(point), size)
            last = op("subtract", "int64", reached, const(1, "int64"))
            is_there = op("less_equal", "bool", reached, const(extent, "int64"))
            goes_on = where(is_there, is_below(last, point), const(False, "bool"))
            return [(result, point, "=", where(goes_on, reached, result.element(point)))]

        stage.nest(result.shape, assign)

    nested(stage, (Affine(most + 1),), step)


def searchsorted(stage: Stage, a: Any, v: Any, side: Known = "left", sorter: Any = None) -> Any:
    if side not in ("left", "right"):
        stage.refuse(f"There is no side '{side}'.", "Use 'left' or 'right'.")
    values = stage.array(a)
    if sorter is not None:
        places, items = stage.array(sorter), stage.place(values)
        values = stage.lazy(places.shape, items.dtype, lambda point: items.element((places.element(point),)))
    return count_below(stage, values, stage.array(v), side)


def digitize(stage: Stage, x: Any, bins: Any, right: Known = False) -> Any:
    edges, points = stage.place(bins), stage.array(x)
    side, extent = "left" if right else "right", stage.known(edges.shape[0])
    if extent < 2:
        return count_below(stage, edges, points, side)
    first, last = (edges.element((Affine(k),)) for k in (0, extent - 1))
    falls = op("greater", "bool", first, last)
    count = count_below(stage, edges, points, side, falls)

    def build(point: Sequence[Affine]) -> Expr:
        below = count.element(point)
        return where(falls, op("subtract", "int64", const(extent, "int64"), below), below)

    return stage.lazy(count.shape, np.int64, build)


BEATEN = {"greater": "less", "less": "greater"}
argmax, argmin = _position("greater"), _position("less")
cumsum, cumprod = _cumulated(np.add), _cumulated(np.multiply)

IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.cumsum: cumsum,
    np.cumprod: cumprod,
    newer_functions.cumulative_sum: _cumulative(np.add),
    newer_functions.cumulative_prod: _cumulative(np.multiply),
    np.argmax: argmax,
    np.argmin: argmin,
    np.searchsorted: searchsorted,
    np.digitize: digitize,
}
METHODS: dict[str, Callable[..., Any]] = {
    "cumsum": cumsum,
    "cumprod": cumprod,
    "argmax": argmax,
    "argmin": argmin,
    "searchsorted": searchsorted,
}
