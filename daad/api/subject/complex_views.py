"""Complex arrays of the user's as the arrays of pairs of real numbers that compiled code takes, in the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_complex(value: Any) -> bool:
    """Whether the value is a complex number, or an array of them."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "c")
    return isinstance(value, complex | np.complexfloating)


def parts(value: Any) -> np.ndarray:
    """Real and imaginary parts along one more axis, the last one: a view of an array."""
    array = np.asarray(value)
    real = array.real
    return np.lib.stride_tricks.as_strided(real, (*array.shape, 2), (*array.strides, real.itemsize))


def joined(pairs: np.ndarray) -> np.ndarray:
    """The complex array in the same memory, which is contiguous."""
    return pairs.view(np.result_type(pairs.dtype, np.complex64)).reshape(pairs.shape[:-1])


def taken(value: Any) -> Any:
    """What compiled code takes for an argument."""
    return parts(value) if is_complex(value) else value
