"""Arrays of other libraries that lie on a GPU: taken over without a copy, and results as arrays of the same library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.runtime.gpu import dlpack
from daad.runtime.gpu.cards import Card, card
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.gpu.device_memory import stream_of, wait_for_stream

HERE = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None), list, tuple, dict)
ORDINAL_OF_POINTER = 9
CONTIGUOUS = "Pass one in C order, such as its 'contiguous()' or 'ascontiguousarray' makes."

MAKERS: Mapping[str, Callable[[Any, DeviceArray], Any]] = {
    "torch": lambda library, array: library.from_dlpack(array),
    "cupy": lambda library, array: library.from_dlpack(array),
    "jax": lambda library, array: library.numpy.from_dlpack(array),
    "jaxlib": lambda _, array: sys.modules["jax"].numpy.from_dlpack(array),
    "numba": lambda library, array: library.cuda.as_cuda_array(array),
}
UNCHANGING = ("jax", "jaxlib")
"""Libraries whose arrays nobody may write."""


def is_on_gpu(value: Any) -> bool:
    """Whether a value is an array in the memory of a GPU."""
    if isinstance(value, HERE):
        return False
    if isinstance(value, DeviceArray):
        return True
    try:
        if hasattr(type(value), "__dlpack_device__"):
            return int(value.__dlpack_device__()[0]) in (dlpack.KIND, dlpack.MANAGED)
        return hasattr(value, "__cuda_array_interface__")
    except (TypeError, ValueError, RuntimeError, BufferError):
        return False


def taken(name: str, value: Any) -> DeviceArray:
    """The array in its own memory, in C order; what is still being computed in it is waited for on the GPU."""
    if isinstance(value, DeviceArray):
        return value
    found = _by_dlpack(name, value) if hasattr(type(value), "__dlpack_device__") else _by_interface(value)
    array, strides = found
    wanted = np.empty(0, array.dtype).itemsize * np.cumprod([1, *array.shape[:0:-1]])[::-1]
    is_contiguous = strides is None or all(
        s == w for s, w, n in zip(strides, wanted, array.shape, strict=True) if n > 1
    )
    if array.size and not is_contiguous:
        raise BadArgument(f"The argument '{name}' is an array on a GPU that is not in C order.", hint=CONTIGUOUS)
    array.came_from = value
    return array


def _by_dlpack(name: str, value: Any) -> tuple[DeviceArray, tuple[int, ...] | None]:
    where = card(int(value.__dlpack_device__()[1]))
    try:
        held = dlpack.Taken(value.__dlpack__(stream=stream_of(where)))
    except (ValueError, RuntimeError, BufferError) as error:
        hint = "Pass an array of numbers that needs no gradient of its own, such as 'x.detach()'."
        raise BadArgument(f"The argument '{name}' cannot be taken over: {str(error).rstrip('.')}.", hint=hint) from None
    is_writable = library_of(value) not in UNCHANGING
    array = DeviceArray(held.shape, held.dtype, held.address, where, (held, value), is_writable)
    strides = None if held.strides is None else tuple(held.dtype.itemsize * stride for stride in held.strides)
    return array, strides


def _by_interface(value: Any) -> tuple[DeviceArray, tuple[int, ...] | None]:
    told = value.__cuda_array_interface__
    address, is_read_only = told["data"]
    where = _card_of(address)
    if told.get("stream") is not None:
        wait_for_stream(where, int(told["stream"]))
    array = DeviceArray(tuple(told["shape"]), told["typestr"], int(address or 0), where, value, not is_read_only)
    return array, told.get("strides")


def _card_of(address: int) -> Card:
    first = card(0)
    if not address:
        return first
    with first.current() as found:
        return card(found.number("cuPointerGetAttribute", ORDINAL_OF_POINTER, address))


def library_of(value: Any) -> str:
    """The name of the package that an array's class comes from."""
    return type(value).__module__.partition(".")[0]


def given_back(array: DeviceArray, like: Any) -> Any:
    """A result as an array of the library that another one comes from; daad's own where that has no way to take it."""
    if isinstance(like, DeviceArray):
        return array
    name = library_of(like)
    make = MAKERS.get(name)
    if make is not None:
        return make(sys.modules[name], array)
    if hasattr(type(like), "__array_namespace__"):
        return like.__array_namespace__().from_dlpack(array)
    return array
