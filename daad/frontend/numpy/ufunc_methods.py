"""`reduce`, `reduceat`, `accumulate` and `outer` of the ufuncs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of, axis_of, dtype_of
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import RULES, into
from daad.frontend.numpy.reductions import (
    keep_axes,
    merged,
    nested,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    split_axes,
)
from daad.frontend.numpy.scans import joined_type, ufunc_scan
from daad.frontend.numpy.shapes.joining import stack, window
from daad.frontend.numpy.tensor_products import outer_of
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, cast
from daad.ir.affine import Affine

REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: reduce_sum,
    np.multiply: reduce_prod,
    np.maximum: reduce_max,
    np.minimum: reduce_min,
    np.logical_or: reduce_any,
    np.logical_and: reduce_all,
}
TYPED = (np.add, np.multiply)
TRUTHS = (np.logical_or, np.logical_and)


def _reduce(ufunc: np.ufunc) -> Callable[..., Any]:
    reduction = REDUCTIONS[ufunc]
    start = ufunc.identity

    def typed(
        stage: Stage,
        array: Any,
        axis: Known = 0,
        dtype: Known = None,
        out: Any = None,
        keepdims: Known = False,
        initial: Any = start,
        where: Any = True,
    ) -> Any:
        if ufunc in TYPED:
            return reduction(stage, array, axis, dtype, out, keepdims, initial, where)
        value = array if dtype is None else converted(stage, stage.array(array), dtype_of(stage, dtype))
        return reduction(stage, value, axis, out, keepdims, initial, where)

    def logical(
        stage: Stage, array: Any, axis: Known = 0, out: Any = None, keepdims: Known = False, where: Any = True
    ) -> Any:
        return reduction(stage, array, axis, out, keepdims, where=where)

    return logical if ufunc in TRUTHS else typed


def _accumulate(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, array: Any, axis: Known = 0, dtype: Known = None, out: Any = None) -> Any:
        return ufunc_scan(stage, ufunc, array, axis, dtype, out)

    return call


def _in_order(ufunc: np.ufunc) -> Callable[..., Any]:
    """The reduction by a ufunc whose order may count: one element after the other, from its identity if it has one."""

    def call(
        stage: Stage, array: Any, axis: Known = 0, dtype: Known = None, out: Any = None, keepdims: Known = False
    ) -> Any:
        value = stage.place(array)
        axes = axes_of(stage, axis, value.ndim)
        if ufunc.identity is None and len(axes) > 1:
            found = value
            for along in sorted(axes, reverse=True):
                found = call(stage, found, along, dtype)
            whole = keep_axes(stage, found, value, axes, keepdims)
            return whole if out is None else into(stage, whole, out)
        kind = joined_type(stage, ufunc, value, dtype)
        kept, reduced = split_axes(value, axes)
        if any(stage.known(extent) < 1 for extent in reduced) or not axes:
            stage.refuse(f"'np.{ufunc.__name__}.reduce' of no elements is not supported.", "Check the shapes.")
        result = stage.allocate(kept, kind)

        def step(inner: Sequence[Affine], before: Callable[[Sequence[Affine]], Any] | None) -> None:
            def assign(outer: Sequence[Affine]) -> Any:
                item = cast(value.element(merged(outer, inner, axes)), kind)
                found = item if before is None else RULES[ufunc]([before(outer), item], kind.name)
                return [(result, outer, "=", found)]

            stage.nest(kept, assign)

        if ufunc.identity is None:
            step((ZERO,) * len(axes), None)
        else:
            stage.store(result, stage.scalar(ufunc.identity, kind))
        rest = reduced if ufunc.identity is not None else None
        if rest is None:
            with stage.loop("k", Affine(1), reduced[0]) as place:
                step((place,), result.element)
        else:
            nested(stage, rest, lambda inner: step(inner, result.element))
        whole = keep_axes(stage, result, value, axes, keepdims)
        return whole if out is None else into(stage, whole, out)

    return call


def _reduceat(ufunc: np.ufunc) -> Callable[..., Any]:
    whole = _reduce(ufunc)

    def call(stage: Stage, array: Any, indices: Known, axis: Known = 0, dtype: Known = None, out: Any = None) -> Any:
        value = stage.array(array)
        along = axis_of(stage, 0 if axis is None else axis[0] if isinstance(axis, tuple) else axis, value.ndim)
        size = stage.known(value.shape[along])
        starts = [operator.index(place) for place in indices]
        if not starts or not all(0 <= place < size for place in starts):
            stage.refuse(
                f"'np.{ufunc.__name__}.reduceat' needs indices, all in the range of an axis of size {size}.",
                "Give places of the axis.",
            )
        ends = [b if a < b else a + 1 for a, b in pairwise(starts)]
        parts = [
            window(stage, value, along, Affine(a), Affine(b - a)) for a, b in zip(starts, [*ends, size], strict=True)
        ]
        options = {} if dtype is None else {"dtype": dtype}
        found = stack(stage, [whole(stage, part, along, **options) for part in parts], along)
        return found if out is None else into(stage, found, out)

    return call


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, A: Any, B: Any, /, *, out: Any = None) -> Any:
        value = outer_of(stage, ufunc, stage.array(A), stage.array(B))
        return value if out is None else into(stage, value, out)

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{ufunc.reduce: _reduce(ufunc) for ufunc in REDUCTIONS},
    **{ufunc.reduceat: _reduceat(ufunc) for ufunc in REDUCTIONS if ufunc not in TRUTHS},
    **{ufunc.reduce: _in_order(ufunc) for ufunc in RULES if ufunc.nin == 2 and ufunc not in REDUCTIONS},
    **{ufunc.accumulate: _accumulate(ufunc) for ufunc in RULES if ufunc.nin == 2},
    **{ufunc.outer: _outer(ufunc) for ufunc in RULES if ufunc.nin == 2},
}
