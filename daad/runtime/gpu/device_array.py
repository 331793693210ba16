"""Arrays on a GPU: what NumPy's are to compiled code, and what other libraries can take over without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.runtime.gpu import dlpack
from daad.runtime.gpu.cards import Card
from daad.runtime.gpu.device_memory import copy, fill, read, reserve, wait


class DeviceArray:
    """An array in C order in the memory of a GPU; `owner` keeps the memory.

    Other libraries take it by `from_dlpack` or `__cuda_array_interface__`; what is asked of it is done when a call
    returns, so that nobody has to wait for it. `np.asarray` makes a copy in the memory of the CPU.
    """

    def __init__(
        self, shape: tuple[int, ...], dtype: Any, address: int, card: Card, owner: Any, is_writable: bool = True
    ) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.address, self.card, self.owner = address, card, owner
        self.is_writable = is_writable
        self.came_from: Any = None

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: Any, card: Card) -> DeviceArray:
        """One of any content."""
        block = reserve(card, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
        return DeviceArray(shape, dtype, block.address, card, block)

    @staticmethod
    def of(array: Any, card: Card) -> DeviceArray:
        """A copy of an array of NumPy's, or of a number."""
        plain = np.ascontiguousarray(array).reshape(np.shape(array))
        made = DeviceArray.empty(plain.shape, plain.dtype, card)
        fill(card, made.address, plain)
        wait(card)
        return made

    @property
    def origin(self) -> Any:
        """The array of another library that it was taken over from; itself where there is none."""
        return self if self.came_from is None else self.came_from

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def copy(self) -> DeviceArray:
        """Another one with the same content."""
        made = DeviceArray.empty(self.shape, self.dtype, self.card)
        made[...] = self
        return made

    def numpy(self) -> np.ndarray:
        """A copy that is NumPy's."""
        found = np.empty(self.shape, self.dtype)
        read(self.card, self.address, found)
        wait(self.card)
        return found

    def overlaps(self, other: DeviceArray) -> bool:
        """Whether they have memory in common."""
        first, last = sorted((self, other), key=lambda array: array.address)
        return bool(self.size and other.size) and last.address < first.address + first.nbytes

    def pairs(self) -> DeviceArray:
        """Real and imaginary parts along one more axis, the last one, in the same memory."""
        real = np.empty((), self.dtype).real.dtype
        return DeviceArray((*self.shape, 2), real, self.address, self.card, self, self.is_writable)

    def joined(self) -> DeviceArray:
        """The complex array of such pairs, in the same memory."""
        whole = np.result_type(self.dtype, np.complex64)
        return DeviceArray(self.shape[:-1], whole, self.address, self.card, self, self.is_writable)

    def __getitem__(self, place: Any) -> DeviceArray:
        """Itself: nothing else is asked of one without axes."""
        if place not in ((), ...):
            raise TypeError("Arrays on a GPU have no parts; a library such as CuPy takes them over by 'from_dlpack'.")
        return self

    def __setitem__(self, place: Any, value: Any) -> None:
        """The whole content of another one."""
        source = value if isinstance(value, DeviceArray) else DeviceArray.of(np.asarray(value, self.dtype), self.card)
        if self[place].shape != source.shape or self.dtype != source.dtype:
            raise ValueError("Arrays on a GPU take what has their shape and dtype only.")
        copy(self.card, self.address, source.address, self.nbytes)
        wait(self.card)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("What lies on a GPU cannot be had without a copy.")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __repr__(self) -> str:
        return f"DeviceArray({self.numpy()!r}, on '{self.card.name}')"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address if self.size else 0, not self.is_writable),
            "strides": None,
            "version": 3,
            "stream": None,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.KIND, self.card.ordinal

    def __dlpack__(self, *, stream: Any = None, **asked: Any) -> Any:
        return dlpack.capsule(self, self.shape, self.dtype, self.address, self.__dlpack_device__())
