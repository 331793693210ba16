"""`reduce`, `accumulate` and `outer` of the ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import dtype_of
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import RULES, into
from daad.frontend.numpy.reductions import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from daad.frontend.numpy.scans import ufunc_scan
from daad.frontend.numpy.tensor_products import outer_of
from daad.frontend.staging.builder import Stage

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
SCANS = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or)


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


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, A: Any, B: Any, /, *, out: Any = None) -> Any:
        value = outer_of(stage, ufunc, stage.array(A), stage.array(B))
        return value if out is None else into(stage, value, out)

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{ufunc.reduce: _reduce(ufunc) for ufunc in REDUCTIONS},
    **{ufunc.accumulate: _accumulate(ufunc) for ufunc in SCANS},
    **{ufunc.outer: _outer(ufunc) for ufunc in RULES if ufunc.nin == 2},
}
