"""Arrays whose elements follow from their index: ranges, grids, identity matrices, triangles."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of, extents, static
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.scalar_expressions import const, op, where
from daad.frontend.numpy.elementwise.ufuncs import at, elementwise
from daad.frontend.numpy.shapes.axes import diagonal, diagonal_of
from daad.frontend.numpy.shapes.joining import place_of
from daad.frontend.numpy.shapes.reshape import broadcast, elements, ravel, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.values import ZERO, ArrayValue, View, affine_of, cast, expr_of, is_staged, promote
from daad.ir.affine import Affine
from daad.ir.nodes import Expr


def counted(stage: Stage, extent: Affine, start: Affine = ZERO, step: int = 1) -> ArrayValue:
    """The integers `start + step * index`."""
    return stage.lazy((extent,), np.int64, lambda point: expr_of(point[0] * step + start))


def arange(stage: Stage, start: Any = None, stop: Any = None, step: Any = 1, dtype: Known = None) -> Any:
    start, stop = (0, start) if stop is None else (0 if start is None else start, stop)
    if stop is None:
        stage.refuse("A range needs an end.", "Give 'stop'.")
    kind = None if dtype is None else dtype_of(stage, dtype)
    if (kind is None or kind.kind in "fiu") and any(_is_of_data(end) for end in (start, stop, step)):
        found = _range_of_data(stage, start, stop, step, kind if kind is not None and kind.kind in "iu" else None)
        return found if kind is None else converted(stage, found, kind)
    step = static(stage, step, "step of a range")
    first, last = affine_of(start), affine_of(stop)
    if first is not None and last is not None and isinstance(step, int | np.integer):
        value = counted(stage, _range_extent(stage, first, last, int(step)), first, int(step))
        return value if dtype is None else converted(stage, value, dtype_of(stage, dtype))
    return _float_range(stage, start, static(stage, stop, "end of a range"), step, dtype)


def _range_extent(stage: Stage, first: Affine, last: Affine, step: int) -> Affine:
    if abs(step) == 1 and stage.provable((last - first) * step):
        return (last - first) * step
    return Affine(max(0, ceil((stage.known(last) - stage.known(first)) / step)))


def _is_of_data(end: Any) -> bool:
    return isinstance(end, ArrayValue) and end.ndim == 0 and end.dtype.kind == "f"


def _range_of_data(stage: Stage, start: Any, stop: Any, step: Any, whole: Any) -> ArrayValue:
    """As many elements as there are in this call, `start + index * ((start + step) - start)` as NumPy computes them:
    with the first two as numbers of the `whole` dtype, if that is given."""
    begin, end, by = (stage.array(given) for given in (start, stop, step))
    kind = np.result_type(begin.dtype, end.dtype, by.dtype)
    begin, end, by = (converted(stage, given, kind) for given in (begin, end, by))
    span = elementwise(stage, np.divide, (elementwise(stage, np.subtract, (end, begin)), by))
    steps = elementwise(stage, np.add, (elementwise(stage, np.ceil, (span,)), _is_first(stage, span, begin, end)))
    count = converted(stage, steps, np.dtype(np.int64))
    size = assumed(stage, count, "The length of a range")
    if size is None:
        stage.refuse("The length of a range depends on data.", "Use numbers that are known before the run.")
    second: ArrayValue = elementwise(stage, np.add, (begin, by))
    if whole is not None:
        kind, begin, second = whole, converted(stage, begin, whole), converted(stage, second, whole)
    width = elementwise(stage, np.subtract, (second, begin))
    limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    for bound, limit in ((np.minimum, limits.max), (np.maximum, limits.min)):
        width = elementwise(stage, bound, (width, limit))
    number = converted(stage, counted(stage, Affine(max(size, 0))), kind)
    return elementwise(stage, np.add, (begin, elementwise(stage, np.multiply, (number, width))))


def _is_first(stage: Stage, span: Any, begin: Any, end: Any) -> Any:
    """Whether an infinite step away from the start leaves that alone."""
    is_zero = elementwise(stage, np.equal, (span, 0.0))
    is_positive = elementwise(stage, np.greater, (elementwise(stage, np.divide, (1.0, span)), 0.0))
    is_elsewhere = elementwise(stage, np.not_equal, (begin, end))
    return elementwise(
        stage, np.logical_and, (elementwise(stage, np.logical_and, (is_zero, is_positive)), is_elsewhere)
    )


def _float_range(stage: Stage, start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    """The length is NumPy's, the elements are `start + index * step`."""
    begin = static(stage, start, "start of a range")
    values = np.arange(begin, stop, step, dtype=dtype)
    if values.dtype.kind != "f":
        return stage.constant(values)
    kind = dtype_of(stage, values.dtype)
    width = const(kind.type(begin + step) - kind.type(begin), kind)
    ahead = const(begin, kind)
    return stage.lazy(
        (Affine(len(values)),),
        kind,
        lambda point: op("add", kind, ahead, op("multiply", kind, cast(expr_of(point[0]), kind), width)),
    )


def linspace(
    stage: Stage,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Known = True,
    retstep: Known = False,
    dtype: Known = None,
    axis: Known = 0,
) -> Any:
    count = _count_of_points(stage, num)
    divisions = count - 1 if endpoint else count
    ends = [stage.array(end) for end in (start, stop)]
    kind = np.dtype(promote(*ends, 1.0))
    lower, upper = (converted(stage, end, kind) for end in ends)
    span = elementwise(stage, np.subtract, (upper, lower))
    step = elementwise(stage, np.divide, (span, float(divisions))) if divisions else stage.scalar(np.nan)
    exact = _needs_last(start, stop, count, divisions, endpoint)
    place = axis_of(stage, axis, span.ndim + 1)

    def build(point: Sequence[Affine]) -> Expr:
        number, outer = point[place], (*point[:place], *point[place + 1 :])
        below, width, above = (at(part, outer) for part in (lower, step, upper))
        if not divisions:
            return below
        value = op("add", kind, below, op("multiply", kind, cast(expr_of(number), kind), width))
        return where(op("equal", "bool", expr_of(number), const(divisions, "int64")), above, value) if exact else value

    shape = (*span.shape[:place], Affine(count), *span.shape[place:])
    values: ArrayValue = stage.lazy(shape, kind, build)
    if dtype is not None:
        wanted = dtype_of(stage, dtype)
        values = elementwise(stage, np.floor, (values,)) if wanted.kind in "iu" else values
        values = converted(stage, values, wanted)
    return (values, step) if retstep else values


def _count_of_points(stage: Stage, num: Any) -> int:
    """As Python counts, whatever type of integer it is given in."""
    try:
        count = operator.index(static(stage, num, "number of points"))
    except TypeError as error:
        stage.refuse("The number of points is no integer.", "Write int(...).", error)
    if count < 0:
        stage.refuse("The number of points is negative.", "Ask for at least one point.")
    return count


def _needs_last(start: Any, stop: Any, count: int, divisions: int, endpoint: Any) -> bool:
    """Whether the formula misses the last point by rounding, which NumPy sets to `stop`."""
    if not endpoint or count < 2:
        return False
    if is_staged((start, stop)) or np.ndim(start) or np.ndim(stop):
        return True
    return bool(divisions * ((float(stop) - float(start)) / divisions) + float(start) != float(stop))


def logspace(
    stage: Stage,
    start: Any,
    stop: Any,
    num: Known = 50,
    endpoint: Known = True,
    base: Any = 10.0,
    dtype: Known = None,
    axis: Known = 0,
) -> Any:
    if stage.array(base).ndim and axis != 0:
        stage.refuse("'np.logspace' of several bases along another axis is not supported.", "Move the axis.")
    values = elementwise(stage, np.power, (base, linspace(stage, start, stop, num, endpoint, axis=axis)))
    return values if dtype is None else converted(stage, values, dtype_of(stage, dtype))


def geomspace(
    stage: Stage,
    start: Any,
    stop: Any,
    num: Known = 50,
    endpoint: Known = True,
    dtype: Known = None,
    axis: Known = 0,
) -> Any:
    """Of negative numbers, too: with the sign of the first one."""
    num = _count_of_points(stage, num)
    ends = [stage.array(end) for end in (start, stop)]
    kind = np.dtype(promote(*ends, np.float64(1)))
    first, last = (converted(stage, end, kind) for end in ends)
    sign = elementwise(stage, np.sign, (first,))
    powers = [elementwise(stage, np.log10, (elementwise(stage, np.divide, (end, sign)),)) for end in (first, last)]
    values = logspace(stage, powers[0], powers[1], num, endpoint, axis=axis)
    place = axis_of(stage, axis, values.ndim)
    signs = with_axes(stage, stage.spread(sign, values.shape), (place,)) if sign.ndim == values.ndim - 1 else sign
    found = stage.place(elementwise(stage, np.multiply, (values, signs)))
    rest = (*values.shape[:place], *values.shape[place + 1 :])
    exact = [(first, 0)][:num] + [(last, num - 1)] * (num > 1 and bool(endpoint))
    for end, number in exact:  # not as powers of their logarithms
        row = with_axes(stage, broadcast(stage, end, rest), (place,))
        stage.store(place_of(stage, found, place, Affine(number), Affine(1)), row)
    return found if dtype is None else converted(stage, found, dtype_of(stage, dtype))


def _offset(stage: Stage, k: Any) -> Affine:
    offset = static(stage, k, "offset of a diagonal")
    if not isinstance(offset, int | np.integer):
        stage.refuse("The offset of a diagonal is no integer.", "Use 'int(...)'.")
    return Affine(int(offset))


def eye(stage: Stage, N: Any, M: Any = None, k: Any = 0, dtype: Known = float) -> Any:
    rows, columns, shift = *extents(stage, (N, N if M is None else M)), _offset(stage, k)
    kind = dtype_of(stage, dtype)
    return stage.lazy((rows, columns), kind, lambda p: _choice("equal", p[1] - shift, p[0], const(1, kind)))


def identity(stage: Stage, n: Any, dtype: Known = None) -> Any:
    return eye(stage, n, dtype=dtype)


def _choice(name: str, a: Affine, b: Affine, then: Expr, orelse: Expr | None = None) -> Expr:
    """`then` where the comparison of two affine forms holds, otherwise zero."""
    condition = op(name, "bool", expr_of(a), expr_of(b))
    return where(condition, then, const(0, then.dtype) if orelse is None else orelse)


def tri(stage: Stage, N: Any, M: Any = None, k: Any = 0, dtype: Known = float) -> Any:
    rows, columns, shift = *extents(stage, (N, N if M is None else M)), _offset(stage, k)
    kind = dtype_of(stage, dtype)
    return stage.lazy((rows, columns), kind, lambda p: _choice("less_equal", p[1] - shift, p[0], const(1, kind)))


def _matrix(stage: Stage, m: Any) -> ArrayValue:
    value = stage.array(m)
    if value.ndim < 2:
        stage.refuse("A triangle of something else than a matrix is not supported.", "Pass a matrix.")
    return value


def tril(stage: Stage, m: Any, k: Any = 0) -> Any:
    value, shift = _matrix(stage, m), _offset(stage, k)
    return stage.lazy(value.shape, value.dtype, lambda p: _choice("less_equal", p[-1] - shift, p[-2], value.element(p)))


def triu(stage: Stage, m: Any, k: Any = 0) -> Any:
    value, shift = _matrix(stage, m), _offset(stage, k)
    return stage.lazy(
        value.shape, value.dtype, lambda p: _choice("greater_equal", p[-1] - shift, p[-2], value.element(p))
    )


def diag(stage: Stage, v: Any, k: Any = 0) -> Any:
    value, shift = stage.array(v), static(stage, k, "offset of a diagonal")
    if value.ndim == 2:
        return diagonal(stage, value, shift)
    extent = value.shape[0] + abs(shift)
    result = stage.allocate((extent, extent), value.dtype)
    stage.store(result, stage.scalar(0, value.dtype))
    place = diagonal_of(stage, result, shift)
    assert isinstance(place, View), "the diagonal of a local array is a view"
    stage.store(place, value)
    return result


def diagflat(stage: Stage, v: Any, k: Any = 0) -> Any:
    return diag(stage, ravel(stage, v), k)


def vander(stage: Stage, x: Any, N: Known = None, increasing: Known = False) -> Any:
    value = stage.place(x)
    columns = stage.known(value.shape[0]) if N is None else N
    kind = np.promote_types(value.dtype, int)
    result = stage.allocate((value.shape[0], Affine(columns)), kind)
    for power in range(columns):
        column = Affine(power if increasing else columns - 1 - power)
        place = stage.reindexed(result, value.shape, lambda p, column=column: (p[0], column))  # type: ignore[misc]
        assert isinstance(place, View), "columns of a local array are views"
        stage.store(place, elementwise(stage, np.power, (converted(stage, value, kind), power)))
    return result


def meshgrid(stage: Stage, *xi: Any, copy: Known = True, sparse: Known = False, indexing: Known = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        stage.refuse(f"There is no indexing '{indexing}'.", "Use 'xy' or 'ij'.")
    if not copy and not sparse:
        stage.refuse("Grids whose elements share memory are not supported.", "Leave out 'copy', or ask for 'sparse'.")
    arrays = [ravel(stage, x) for x in xi]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = tuple(arrays[k].shape[0] for k in order)
    grids = []
    for number, value in enumerate(arrays):
        own = order.index(number)
        size = tuple(Affine(1) if sparse and k != own else e for k, e in enumerate(shape))
        grid = stage.reindexed(value, size, lambda p, own=own: (p[own],))  # type: ignore[misc]
        grids.append(elements(stage, grid) if copy else grid)
    return grids if sparse and not copy else tuple(grids)


def open_mesh(stage: Stage, *args: Any) -> Any:
    """`np.ix_`: rows and columns by their numbers."""
    arrays = [stage.array(a) for a in args]
    if any(a.ndim != 1 or a.dtype.kind == "b" for a in arrays):
        stage.refuse("'np.ix_' takes vectors of numbers here.", "Use 'np.flatnonzero' for a mask.")
    return meshgrid(stage, *arrays, sparse=True, indexing="ij")


def indices(stage: Stage, dimensions: Any, dtype: Known = int, sparse: Known = False) -> Any:
    shape = extents(stage, dimensions)
    kind = dtype_of(stage, dtype)
    grids = [stage.lazy(shape, kind, lambda p, k=k: cast(expr_of(p[k]), kind)) for k in range(len(shape))]  # type: ignore[misc]
    if sparse:
        own = [tuple(e if i == k else Affine(1) for i, e in enumerate(shape)) for k in range(len(shape))]
        return tuple(stage.reindexed(grid, size, lambda p: p) for grid, size in zip(grids, own, strict=True))
    result = stage.allocate((Affine(len(shape)), *shape), kind)
    for number, grid in enumerate(grids):
        place = stage.reindexed(result, shape, lambda p, k=number: (Affine(k), *p))  # type: ignore[misc]
        assert isinstance(place, View), "part of a local array is a view"
        stage.store(place, grid)
    return result


def coordinate(stage: Stage, shape: Sequence[Affine], number: int) -> ArrayValue:
    """The index along one axis, as an array of that shape."""
    return stage.lazy(shape, np.int64, lambda point: expr_of(point[number]))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.arange: arange,
    np.linspace: linspace,
    np.logspace: logspace,
    np.geomspace: geomspace,
    np.eye: eye,
    np.identity: identity,
    np.tri: tri,
    np.tril: tril,
    np.triu: triu,
    np.diag: diag,
    np.diagflat: diagflat,
    np.vander: vander,
    np.meshgrid: meshgrid,
    np.ix_: open_mesh,
    np.indices: indices,
}
