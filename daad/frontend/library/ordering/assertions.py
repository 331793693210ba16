"""`np.testing`: what programs check of their own arrays. An error where it does not hold, nothing otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def _require(holds: Any, err_msg: str) -> None:
    assert np.all(holds), err_msg or "Arrays are not as they are said to be"


def _require_shapes(x: Array, y: Array, err_msg: str, strict: bool = False) -> None:
    if strict or (np.ndim(x) and np.ndim(y)):
        _require(np.shape(x) == np.shape(y), err_msg)
    _require(not strict or x.dtype == y.dtype, err_msg)


def _is_nan(x: Array) -> Array:
    return np.isnan(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)


def equal_arrays(
    actual: Array, desired: Array, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    x, y = np.asarray(actual), np.asarray(desired)
    _require_shapes(x, y, err_msg, strict)
    _require((x == y) | (_is_nan(x) & _is_nan(y)), err_msg)


def equal(actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Of arrays and numbers, and of containers with them, item for item."""
    if isinstance(desired, dict):
        _require(isinstance(actual, dict) and len(actual) == len(desired), err_msg)
        for key in desired:
            _require(key in actual, err_msg)
            equal(actual[key], desired[key], err_msg, verbose)
    elif isinstance(desired, list | tuple) and isinstance(actual, list | tuple):
        _require(len(actual) == len(desired), err_msg)
        for k in range(len(desired)):
            equal(actual[k], desired[k], err_msg, verbose)
    elif isinstance(desired, str | None) or isinstance(actual, str | None):
        _require(actual == desired, err_msg)
    else:
        equal_arrays(actual, desired, err_msg, verbose, strict=strict)
        if np.ndim(actual) == np.ndim(desired) == 0 and not np.iscomplexobj(actual):
            _require((actual != 0) | (np.signbit(actual) == np.signbit(desired)), err_msg)


def all_close(
    actual: Array,
    desired: Array,
    rtol: float = 1e-7,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
    *,
    strict: bool = False,
) -> None:
    x, y = np.asarray(actual), np.asarray(desired)
    _require_shapes(x, y, err_msg, strict)
    _require(np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan), err_msg)


def _almost(decimals: int, factor: float) -> Callable[..., None]:
    """As many decimals are the same."""

    def almost(actual: Any, desired: Any, decimal: int = decimals, err_msg: str = "", verbose: bool = True) -> None:
        x, y = np.asarray(actual), np.asarray(desired)
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            raise ValueError("Decimals of complex numbers are not supported: take 'assert_allclose'")
        _require_shapes(x, y, err_msg)
        near = (np.abs(x - y) < factor * 10.0 ** (-decimal)) | (x == y)
        _require(near | (_is_nan(x) & _is_nan(y)), err_msg)

    return almost


def less(x: Array, y: Array, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    x, y = np.asarray(x), np.asarray(y)
    _require_shapes(x, y, err_msg, strict)
    _require((x < y) | (_is_nan(x) & _is_nan(y)), err_msg)


def holds(val: Any, msg: str = "") -> None:
    _require(bool(val), msg)


TESTING: dict[str, Callable[..., Any]] = {
    "assert_": holds,
    "assert_allclose": all_close,
    "assert_almost_equal": _almost(7, 1.5),
    "assert_array_almost_equal": _almost(6, 1.5),
    "assert_array_equal": equal_arrays,
    "assert_array_less": less,
    "assert_equal": equal,
}
