"""Sums, products, means and their like over any axes: an accumulator that is filled and then updated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of, dtype_of
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.numpy.elementwise.scalar_expressions import op, product
from daad.frontend.numpy.elementwise.ufuncs import at, elementwise, into, select
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.masked_shapes import count, numpy_axes, total
from daad.frontend.staging.values import ZERO, ArrayValue, Shape, View, cast
from daad.ir.affine import Affine
from daad.ir.nodes import Expr
from daad.ir.operations.updates import Combine

ONE = Affine(1)


def split_axes(value: ArrayValue, axes: Sequence[int]) -> tuple[Shape, Shape]:
    """The extents that stay and those that are reduced."""
    kept = tuple(e for k, e in enumerate(value.shape) if k not in axes)
    return kept, tuple(value.shape[k] for k in axes)


def _axes(stage: Stage, axis: Known, value: ArrayValue) -> tuple[int, ...]:
    """The own axes that an axis argument names; what a mask has selected is one axis of NumPy's."""
    if axis is None:
        return tuple(range(value.ndim))
    axes = numpy_axes(stage, value.shape)
    if not axes and axis in (0, -1):
        return ()
    starts = [sum(map(len, axes[:k])) for k in range(len(axes))]
    return tuple(starts[k] + i for k in axes_of(stage, axis, len(axes)) for i in range(len(axes[k])))


def merged(kept: Sequence[Any], reduced: Sequence[Any], axes: Sequence[int]) -> tuple[Any, ...]:
    """The index of the operand from the indices of both groups of axes."""
    rest, inner = iter(kept), dict(zip(axes, reduced, strict=True))
    return tuple(inner[k] if k in inner else next(rest) for k in range(len(kept) + len(reduced)))


def keep_axes(stage: Stage, result: ArrayValue, value: ArrayValue, axes: Sequence[int], keepdims: Known) -> ArrayValue:
    """`keepdims`: reduced axes stay with extent 1."""
    if not keepdims:
        return result
    shape = tuple(ONE if k in axes else e for k, e in enumerate(value.shape))
    return stage.reindexed(result, shape, lambda point: [i for k, i in enumerate(point) if k not in axes])


def accumulate(stage: Stage, value: ArrayValue, axes: Sequence[int], dtype: Any, start: Any, update: str) -> View:
    """`start`, then `update` with every element: order does not matter."""
    kept, reduced = split_axes(value, axes)
    result = stage.allocate(kept, dtype)
    stage.store(result, start if isinstance(start, ArrayValue) else stage.scalar(start, dtype))

    def build(point: Sequence[Affine]) -> Any:
        outer, inner = point[: len(kept)], point[len(kept) :]
        return [(result, outer, update, cast(value.element(merged(outer, inner, axes)), dtype))]

    stage.nest((*kept, *reduced), build)
    return result


def fold(
    stage: Stage, value: ArrayValue, axes: Sequence[int], dtype: Any, start: Any, step: Callable[[Expr, Expr], Expr]
) -> View:
    """`start`, then `step(result, element)` one after the other, in a loop for each reduced axis."""
    kept, reduced = split_axes(value, axes)
    result = stage.allocate(kept, dtype)
    stage.store(result, start if isinstance(start, ArrayValue) else stage.scalar(start, dtype))

    def build(inner: Sequence[Affine]) -> None:
        def assign(outer: Sequence[Affine]) -> Any:
            item = cast(value.element(merged(outer, inner, axes)), dtype)
            return [(result, outer, "=", step(result.element(outer), item))]

        stage.nest(kept, assign)

    nested(stage, reduced, build)
    return result


def nested(
    stage: Stage,
    extents: Sequence[Affine],
    body: Callable[[tuple[Affine, ...]], None],
    point: tuple[Affine, ...] = (),
) -> None:
    """Sequential loops around `body`, which is told the point."""
    if len(point) == len(extents):
        body(point)
        return
    with stage.loop("k", ZERO, extents[len(point)]) as variable:
        nested(stage, extents, body, (*point, variable))


def masked(stage: Stage, value: ArrayValue, where: Any, neutral: Any) -> ArrayValue:
    """The operand of a reduction with 'where': `neutral` outside of the mask."""
    if where is True:
        return value
    if stage.array(where).dtype.kind != "b":
        stage.refuse("The argument 'where' is no mask.", "Give truth values.")
    return select(stage, where, value, stage.scalar(neutral, value.dtype), value.dtype)


def finish(stage: Stage, result: ArrayValue, value: ArrayValue, axes: Sequence[int], keepdims: Known, out: Any) -> Any:
    """Gives the result its shape, or stores it in `out`."""
    shaped = keep_axes(stage, result, value, axes, keepdims)
    return shaped if out is None else into(stage, shaped, out)


def sum_type(stage: Stage, value: ArrayValue, dtype: Any) -> np.dtype[Any]:
    """The type that NumPy accumulates in."""
    return np.add.reduce(np.zeros(1, value.dtype)).dtype if dtype is None else dtype_of(stage, dtype)


def reduce_sum(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = 0,
    where: Any = True,
) -> Any:
    value = masked(stage, stage.array(a), where, 0)
    axes, kind = _axes(stage, axis, value), sum_type(stage, value, dtype)
    return finish(stage, accumulate(stage, value, axes, kind, _start(stage, initial), "+="), value, axes, keepdims, out)


def _start(stage: Stage, initial: Any) -> Any:
    return stage.array(initial) if isinstance(initial, ArrayValue) else initial


def reduce_prod(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = 1,
    where: Any = True,
) -> Any:
    value = masked(stage, stage.array(a), where, 1)
    axes, kind = _axes(stage, axis, value), sum_type(stage, value, dtype)
    return finish(stage, fold(stage, value, axes, kind, _start(stage, initial), product), value, axes, keepdims, out)


def reduce_any(
    stage: Stage, a: Any, axis: Known = None, out: Any = None, keepdims: Known = False, *, where: Any = True
) -> Any:
    return _truth(stage, a, axis, out, keepdims, where, False, "max=")


def reduce_all(
    stage: Stage, a: Any, axis: Known = None, out: Any = None, keepdims: Known = False, *, where: Any = True
) -> Any:
    return _truth(stage, a, axis, out, keepdims, where, True, "min=")


def python_truth(stage: Stage, value: Any) -> Any:
    """A truth value as Python's own."""
    return stage.lazy((), bool, value.element, weak=True) if isinstance(value, ArrayValue) else bool(value)


def _truth(stage: Stage, a: Any, axis: Known, out: Any, keepdims: Known, where: Any, start: bool, update: str) -> Any:
    value = masked(stage, truth(stage, stage.array(a)), where, start)
    axes = _axes(stage, axis, value)
    if out is None and not keepdims and len(axes) == value.ndim and Affine(0) in value.shape:
        return np.bool_(start)  # of no elements: known, and so is which branch is taken
    return finish(stage, accumulate(stage, value, axes, np.bool_, start, update), value, axes, keepdims, out)


def truth(stage: Stage, value: ArrayValue) -> ArrayValue:
    """The array of the elements' truth values."""
    if value.dtype.kind == "b":
        return value
    return stage.lazy(value.shape, np.bool_, lambda point: cast(value.element(point), "bool"))


def count_nonzero(stage: Stage, a: Any, axis: Known = None, *, keepdims: Known = False) -> Any:
    return reduce_sum(stage, truth(stage, stage.array(a)), axis, keepdims=keepdims)


def mean_type(stage: Stage, value: ArrayValue, dtype: Any) -> np.dtype[Any]:
    """Means of integers are float64."""
    if dtype is None:
        return value.dtype if value.dtype.kind == "f" else np.dtype(np.float64)
    kind = dtype_of(stage, dtype)
    if kind.kind != "f":
        stage.refuse("A mean or variance in integers is not supported.", "Round the result.")
    return kind


def reduce_mean(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    *,
    where: Any = True,
) -> Any:
    value = stage.array(a)
    kind = mean_type(stage, value, dtype)
    summed = reduce_sum(stage, value, axis, kind, None, keepdims, where=where)
    number = element_count(stage, value, axis, keepdims, where)
    mean = quotient(stage, summed, number)
    return mean if out is None else into(stage, mean, out)


def element_count(stage: Stage, value: ArrayValue, axis: Any, keepdims: Any = False, where: Any = True) -> Any:
    """How many elements each result of a reduction is made of: an int, or staged where masks or loops decide."""
    if where is not True:
        mask = stage.array(where)
        whole = stage.lazy(value.shape, np.bool_, lambda p: cast(at(mask, p), "bool"))
        return reduce_sum(stage, whole, axis, keepdims=keepdims)
    _, reduced = split_axes(value, _axes(stage, axis, value))
    form = total(reduced)
    if is_masked(reduced) or form is not None:
        return count(stage, reduced)
    counts = [stage.array(stage.affine(extent)).element(()) for extent in reduced]
    whole_count = counts[0]
    for factor in counts[1:]:
        whole_count = op("multiply", "int64", whole_count, factor)
    return stage.lazy((), np.int64, lambda _: whole_count, weak=True)


def quotient(stage: Stage, value: ArrayValue, count: Any) -> ArrayValue:
    """`value / count`, in the type of `value`."""
    divisor = stage.array(count)

    def build(point: Sequence[Affine]) -> Expr:
        below = cast(at(divisor, point), value.dtype)
        return op("divide", value.dtype, value.element(point), below)

    return stage.lazy(value.shape, value.dtype, build)


def reduce_var(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    ddof: Known = 0,
    keepdims: Known = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Known = MISSING,
) -> Any:
    value: ArrayValue = stage.place(a)
    kind = mean_type(stage, value, dtype)
    middle = reduce_mean(stage, value, axis, kind, keepdims=True, where=where) if mean is None else mean
    centred = elementwise(stage, np.subtract, (value, stage.place(middle)))
    squares = reduce_sum(stage, elementwise(stage, np.square, (centred,)), axis, kind, keepdims=keepdims, where=where)
    number = element_count(stage, value, axis, keepdims, where)
    fewer = correction_of(stage, ddof, correction)
    variance = quotient(stage, squares, degrees_of_freedom(stage, number, fewer))
    return variance if out is None else into(stage, variance, out)


def correction_of(stage: Stage, ddof: Any, correction: Any) -> Any:
    """How many elements do not count in a variance, under either name."""
    fewer = ddof if correction is MISSING else correction
    if not isinstance(fewer, int | float | np.number) or (correction is not MISSING and ddof != 0):
        stage.refuse("The correction of a variance is not one number.", "Give 'ddof' alone.")
    return fewer


def degrees_of_freedom(stage: Stage, number: Any, fewer: Any) -> Any:
    """What a sum of squares is divided by: not less than zero."""
    if isinstance(number, int):
        return max(number - fewer, 0)
    return elementwise(stage, np.maximum, (elementwise(stage, np.subtract, (number, fewer)), 0))


def deviation_by(variance: Callable[..., Any], counted: Callable[..., Any]) -> Callable[..., Any]:
    """The handler of the deviation that goes with a variance; `counted` says how many elements each result is of."""

    def call(
        stage: Stage,
        a: Any,
        axis: Known = None,
        dtype: Known = None,
        out: Any = None,
        ddof: Known = 0,
        keepdims: Known = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: Known = MISSING,
    ) -> Any:
        value = stage.place(a)
        options = {"where": where, "mean": mean, "correction": correction}
        squared = variance(stage, value, axis, dtype, None, ddof, keepdims, **options)
        number = counted(stage, value, axis, keepdims, where) if mean is None else 0
        deviation = root_of(stage, squared, number)
        return deviation if out is None else into(stage, deviation, out)

    return call


reduce_std = deviation_by(reduce_var, element_count)


def root_of(stage: Stage, variance: ArrayValue, number: Any) -> ArrayValue:
    """The deviation; that of one value is zero, or NaN, whatever the value: there the variance is taken as it is."""
    root = elementwise(stage, np.sqrt, (variance,))
    if isinstance(number, int):
        return variance if number == 1 else root
    return select(stage, elementwise(stage, np.equal, (number, 1)), variance, root, variance.dtype)


def ptp(stage: Stage, a: Any, axis: Known = None, out: Any = None, keepdims: Known = False) -> Any:
    from_place = stage.place(a)
    largest = reduce_max(stage, from_place, axis, keepdims=keepdims)
    result = elementwise(stage, np.subtract, (largest, reduce_min(stage, from_place, axis, keepdims=keepdims)))
    return result if out is None else into(stage, result, out)


def _extreme(
    stage: Stage,
    a: Any,
    axis: Known,
    out: Any,
    keepdims: Known,
    initial: Any,
    where: Any,
    combine: Combine,
) -> Any:
    whole = stage.array(a)
    value = masked(stage, whole, where, combine.neutral(whole.dtype.name))
    axes = _axes(stage, axis, value)
    if initial is None and any(extent == ZERO for extent in split_axes(value, axes)[1]):
        stage.refuse("The maximum or minimum of no elements is not defined.", "Give 'initial'.")
    start = combine.neutral(value.dtype.name) if initial is None else _start(stage, initial)
    return finish(stage, accumulate(stage, value, axes, value.dtype, start, combine.sign), value, axes, keepdims, out)


def reduce_max(
    stage: Stage,
    a: Any,
    axis: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return _extreme(stage, a, axis, out, keepdims, initial, where, Combine.MAXIMUM)


def reduce_min(
    stage: Stage,
    a: Any,
    axis: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return _extreme(stage, a, axis, out, keepdims, initial, where, Combine.MINIMUM)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: reduce_sum,
    np.prod: reduce_prod,
    np.any: reduce_any,
    np.all: reduce_all,
    np.count_nonzero: count_nonzero,
    np.mean: reduce_mean,
    np.var: reduce_var,
    np.std: reduce_std,
    np.ptp: ptp,
    np.max: reduce_max,
    np.amax: reduce_max,
    np.min: reduce_min,
    np.amin: reduce_min,
}
METHODS: dict[str, Callable[..., Any]] = {
    "sum": reduce_sum,
    "prod": reduce_prod,
    "any": reduce_any,
    "all": reduce_all,
    "mean": reduce_mean,
    "var": reduce_var,
    "std": reduce_std,
    "max": reduce_max,
    "min": reduce_min,
}
