"""`reduce`, `accumulate` and `outer` of the ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.python.numpy.products import outer_of
from daad.frontend.python.numpy.reductions import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from daad.frontend.python.numpy.scans import ufunc_scan
from daad.frontend.python.numpy.ufuncs import RULES, into
from daad.frontend.python.stage import Stage

REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: reduce_sum,
    np.multiply: reduce_prod,
    np.maximum: reduce_max,
    np.minimum: reduce_min,
    np.logical_or: reduce_any,
    np.logical_and: reduce_all,
}
TYPED = (np.add, np.multiply)
SCANS = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or)


def _reduce(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(
        stage: Stage, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any
    ) -> Any:
        options = rest | ({"dtype": dtype} if ufunc in TYPED else {})
        return REDUCTIONS[ufunc](stage, array, axis, out=out, keepdims=keepdims, **options)

    return call


def _accumulate(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        return ufunc_scan(stage, ufunc, array, axis, dtype, out)

    return call


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(stage: Stage, A: Any, B: Any, /, out: Any = None) -> Any:
        value = outer_of(stage, ufunc, stage.array(A), stage.array(B))
        return value if out is None else into(stage, value, out)

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{ufunc.reduce: _reduce(ufunc) for ufunc in REDUCTIONS},
    **{ufunc.accumulate: _accumulate(ufunc) for ufunc in SCANS},
    **{ufunc.outer: _outer(ufunc) for ufunc in RULES if ufunc.nin == 2},
}
