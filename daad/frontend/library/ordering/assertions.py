"""`np.testing`: what programs check of their own arrays. An error where it does not hold, nothing otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def _require(holds: Any, told: str) -> None:
    assert np.all(holds), told


def _told(err_msg: str, verbose: bool) -> str:
    """The message, for which NumPy formats the values if it is to be `verbose`."""
    return (err_msg or "Arrays are not as they are said to be") + ("; their values are not shown" if verbose else "")


def _require_shapes(x: Array, y: Array, told: str, strict: bool = False) -> None:
    if strict or (np.ndim(x) and np.ndim(y)):
        _require(np.shape(x) == np.shape(y), told)
    _require(not strict or x.dtype == y.dtype, told)


def _is_nan(x: Array) -> Array:
    return np.isnan(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)


def equal_arrays(
    actual: Array, desired: Array, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    x, y, told = np.asarray(actual), np.asarray(desired), _told(err_msg, verbose)
    _require_shapes(x, y, told, strict)
    _require((x == y) | (_is_nan(x) & _is_nan(y)), told)


def equal(actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Of arrays and numbers, and of containers with them, item for item."""
    told = _told(err_msg, verbose)
    if isinstance(desired, dict):
        _require(isinstance(actual, dict) and len(actual) == len(desired), told)
        for key in desired:
            _require(key in actual, told)
            equal(actual[key], desired[key], err_msg, verbose)
    elif isinstance(desired, list | tuple) and isinstance(actual, list | tuple):
        _require(len(actual) == len(desired), told)
        for k in range(len(desired)):
            equal(actual[k], desired[k], err_msg, verbose)
    elif isinstance(desired, str | None) or isinstance(actual, str | None):
        _require(actual == desired, told)
    else:
        equal_arrays(actual, desired, err_msg, verbose, strict=strict)
        if np.ndim(actual) == np.ndim(desired) == 0 and not np.iscomplexobj(actual):
            _require((actual != 0) | (np.signbit(actual) == np.signbit(desired)), told)


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
    x, y, told = np.asarray(actual), np.asarray(desired), _told(err_msg, verbose)
    _require_shapes(x, y, told, strict)
    _require(np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan), told)


def _almost(decimals: int, factor: float) -> Callable[..., None]:
    """As many decimals are the same."""

    def almost(actual: Any, desired: Any, decimal: int = decimals, err_msg: str = "", verbose: bool = True) -> None:
        x, y, told = np.asarray(actual), np.asarray(desired), _told(err_msg, verbose)
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            raise ValueError("Decimals of complex numbers are not supported: take 'assert_allclose'")
        _require_shapes(x, y, told)
        near = (np.abs(x - y) < factor * 10.0 ** (-decimal)) | (x == y)
        _require(near | (_is_nan(x) & _is_nan(y)), told)

    return almost


def less(x: Array, y: Array, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    x, y, told = np.asarray(x), np.asarray(y), _told(err_msg, verbose)
    _require_shapes(x, y, told, strict)
    _require((x < y) | (_is_nan(x) & _is_nan(y)), told)


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
