"""Reductions that leave NaN out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import elementwise, into, select
from daad.frontend.numpy.reductions import (
    correction_of,
    deviation_by,
    mean_type,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from daad.frontend.numpy.scans import argmax, argmin, cumprod, cumsum
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue


def _extreme_without_nan(reduction: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    """A reduction that leaves NaN out; an extremum of nothing else is NaN."""

    def call(
        stage: Stage,
        a: Any,
        axis: Known = None,
        out: Any = None,
        keepdims: Known = False,
        initial: Any = MISSING,
        where: Any = True,
    ) -> Any:
        value = stage.place(a)
        found = reduction(stage, _filled(stage, value, neutral), axis, None, keepdims, where=where)
        if found.dtype.kind == "f":
            known = reduce_any(stage, _is_number(stage, value), axis, keepdims=keepdims, where=where)
            found = select(stage, known, found, stage.scalar(math.nan, found.dtype), found.dtype)
        if initial is not MISSING and found.dtype.kind != "f":
            initial = converted(stage, stage.array(initial), found.dtype)
        if initial is not MISSING:
            found = elementwise(stage, np.fmax if neutral < 0 else np.fmin, (found, initial))
        return found if out is None else into(stage, found, out)

    return call


def _is_number(stage: Stage, value: ArrayValue) -> ArrayValue:
    return elementwise(stage, np.logical_not, (elementwise(stage, np.isnan, (value,)),))


def _count(stage: Stage, value: ArrayValue, axis: Any, keepdims: Any, where: Any) -> Any:
    """How many numbers that are no NaN each result of a reduction is made of."""
    return reduce_sum(stage, _is_number(stage, value), axis, keepdims=keepdims, where=where)


def nanprod(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = 1,
    where: Any = True,
) -> Any:
    return reduce_prod(stage, _filled(stage, a, 1.0), axis, dtype, out, keepdims, initial, where)


def _cumulated_without_nan(function: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    def call(stage: Stage, a: Any, axis: Known = None, dtype: Known = None, out: Any = None) -> Any:
        return function(stage, _filled(stage, a, neutral), axis, dtype, out)

    return call


def _position_without_nan(function: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    def call(stage: Stage, a: Any, axis: Known = None, out: Any = None, *, keepdims: Known = False) -> Any:
        return function(stage, _filled(stage, a, neutral), axis, out, keepdims=keepdims)

    return call


def _filled(stage: Stage, a: Any, neutral: float) -> ArrayValue:
    value = stage.array(a)
    if value.dtype.kind != "f":
        return value
    nan = elementwise(stage, np.isnan, (value,))
    return select(stage, nan, stage.scalar(neutral, value.dtype), value, value.dtype)


def nansum(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    initial: Any = 0,
    where: Any = True,
) -> Any:
    return reduce_sum(stage, _filled(stage, a, 0.0), axis, dtype, out, keepdims, initial, where)


def nanmean(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    out: Any = None,
    keepdims: Known = False,
    *,
    where: Any = True,
) -> Any:
    value = stage.place(a)
    kind = mean_type(stage, value, dtype)
    count = _count(stage, value, axis, keepdims, where)
    total = nansum(stage, value, axis, kind, None, keepdims, where=where)
    mean = elementwise(stage, np.divide, (total, converted(stage, count, kind)))
    return mean if out is None else into(stage, mean, out)


def nanvar(
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
    kind = mean_type(stage, value, dtype)
    middle = nanmean(stage, value, axis, kind, keepdims=True, where=where) if mean is None else mean
    centred: ArrayValue = elementwise(stage, np.subtract, (value, stage.place(middle)))
    if value.dtype.kind == "f":
        centred = converted(stage, centred, value.dtype)
    squares = elementwise(stage, np.square, (centred,))
    known = select(stage, _is_number(stage, value), squares, stage.scalar(0.0, squares.dtype), squares.dtype)
    total = reduce_sum(stage, known, axis, kind, None, keepdims, where=where)
    number = converted(stage, _count(stage, value, axis, keepdims, where), kind)
    below = elementwise(stage, np.subtract, (number, float(correction_of(stage, ddof, correction))))
    is_enough = elementwise(stage, np.greater, (below, 0.0))
    below = select(stage, is_enough, below, stage.scalar(math.nan, kind), kind)
    variance = elementwise(stage, np.divide, (total, below))
    return variance if out is None else into(stage, variance, out)


nanstd = deviation_by(nanvar, _count)
nanmax = _extreme_without_nan(reduce_max, -math.inf)
nanmin = _extreme_without_nan(reduce_min, math.inf)

IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.nansum: nansum,
    np.nanmean: nanmean,
    np.nanvar: nanvar,
    np.nanstd: nanstd,
    np.nanprod: nanprod,
    np.nancumsum: _cumulated_without_nan(cumsum, 0.0),
    np.nancumprod: _cumulated_without_nan(cumprod, 1.0),
    np.nanargmax: _position_without_nan(argmax, -math.inf),
    np.nanargmin: _position_without_nan(argmin, math.inf),
    np.nanmax: nanmax,
    np.nanmin: nanmin,
}
