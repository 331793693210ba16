"""Complex arrays of the user's as the arrays of pairs of real numbers that compiled code takes, in the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.runtime.gpu.device_array import DeviceArray


def is_complex(value: Any) -> bool:
    """Whether the value is a complex number, or an array of them."""
    if isinstance(value, np.ndarray | DeviceArray):
        return bool(value.dtype.kind == "c")
    return isinstance(value, complex | np.complexfloating)


def parts(value: Any) -> Any:
    """Real and imaginary parts along one more axis, the last one: a view of an array."""
    if isinstance(value, DeviceArray):
        return value.pairs()
    array = np.asarray(value)
    real = array.real
    return np.lib.stride_tricks.as_strided(real, (*array.shape, 2), (*array.strides, real.itemsize))


def joined(pairs: Any) -> Any:
    """The complex array in the same memory, which is contiguous."""
    if isinstance(pairs, DeviceArray):
        return pairs.joined()
    return pairs.view(np.result_type(pairs.dtype, np.complex64)).reshape(pairs.shape[:-1])


def taken(value: Any) -> Any:
    """What compiled code takes for an argument."""
    return parts(value) if is_complex(value) else value
