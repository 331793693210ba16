"""Arrays of other libraries on the stand-in of a GPU: by DLPack, as torch, CuPy and JAX have it, or by the interface of
CUDA's arrays alone."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np

from daad.runtime.gpu import dlpack
from daad.runtime.gpu.cards import card
from daad.runtime.gpu.device_array import DeviceArray


class Tensor:
    """A library's array; `strides` are counted in elements, `waited` are the streams that were given."""

    def __init__(self, array: Any, strides: tuple[int, ...] | None = None) -> None:
        self.held = array if isinstance(array, DeviceArray) else DeviceArray.of(np.asarray(array), card(0))
        self.strides = strides
        self.waited: list[Any] = []

    @staticmethod
    def from_dlpack(array: Any) -> Tensor:
        assert array.__dlpack_device__() == (dlpack.KIND, 0)
        taken = dlpack.Taken(array.__dlpack__(stream=1))
        return Tensor(DeviceArray(taken.shape, taken.dtype, taken.address, card(0), taken))

    def numpy(self) -> np.ndarray:
        return self.held.numpy()

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.KIND, 0

    def __dlpack__(self, *, stream: Any = None) -> Any:
        self.waited.append(stream)
        held = self.held
        made = dlpack.capsule(self, held.shape, held.dtype, held.address, self.__dlpack_device__())
        if self.strides is not None:
            self.kept = (ctypes.c_int64 * len(self.strides))(*self.strides)
            dlpack.Managed.from_address(dlpack._pointer(made, dlpack.NAME)).tensor.strides = self.kept
        return made

    def __array_namespace__(self) -> Any:
        return SimpleNamespace(from_dlpack=Tensor.from_dlpack)


class Interfaced:
    """One that has the interface alone."""

    def __init__(self, array: Any, stream: int | None = None, is_read_only: bool = False) -> None:
        self.held = DeviceArray.of(np.asarray(array), card(0))
        found = self.held.__cuda_array_interface__
        self.__cuda_array_interface__ = {**found, "stream": stream, "data": (self.held.address, is_read_only)}
