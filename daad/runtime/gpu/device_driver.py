"""The driver of NVIDIA GPUs, by its C interface: no package of CUDA is needed to call it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from functools import lru_cache
from typing import Any

from daad.errors import DeviceError
from daad.messages.sizes import readable

NAME = "libcuda.so.1"
CPU = 'use device="cpu"'
OUT_OF_MEMORY, NOT_INITIALIZED, STUB, NO_DEVICE = 2, 3, 34, 100
MISMATCHES = (803, 804)  # the driver in the kernel is another one than the library's

Pointer, Address = c_void_p, c_ulonglong
FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceTotalMem_v2": (POINTER(c_size_t), c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(Pointer), c_int),
    "cuCtxPushCurrent_v2": (Pointer,),
    "cuCtxPopCurrent_v2": (POINTER(Pointer),),
    "cuCtxGetCurrent": (POINTER(Pointer),),
    "cuCtxGetDevice": (POINTER(c_int),),
    "cuCtxSynchronize": (),
    "cuMemGetInfo_v2": (POINTER(c_size_t), POINTER(c_size_t)),
    "cuMemAlloc_v2": (POINTER(Address), c_size_t),
    "cuMemFree_v2": (Address,),
    "cuMemcpyHtoDAsync_v2": (Address, Pointer, c_size_t, Pointer),
    "cuMemcpyDtoHAsync_v2": (Pointer, Address, c_size_t, Pointer),
    "cuMemcpyDtoDAsync_v2": (Address, Address, c_size_t, Pointer),
    "cuPointerGetAttribute": (POINTER(c_int), c_int, Address),
    "cuStreamCreate": (POINTER(Pointer), c_uint),
    "cuStreamSynchronize": (Pointer,),
    "cuStreamWaitEvent": (Pointer, Pointer, c_uint),
    "cuEventCreate": (POINTER(Pointer), c_uint),
    "cuEventRecord": (Pointer, Pointer),
    "cuEventDestroy_v2": (Pointer,),
}
"""The functions that are called, with the types of their arguments; all give the number of an error, or 0."""


class Driver:
    """The loaded library, initialised."""

    def __init__(self) -> None:
        self._functions = _loaded()
        self("cuInit", 0)
        if not self.number("cuDeviceGetCount"):
            raise self.error(NO_DEVICE, "cuDeviceGetCount")
        self.version = self.number("cuDriverGetVersion")

    def __call__(self, function: str, *arguments: Any, wanted: int = 0) -> None:
        """Calls a function; raises what its error means. `wanted` are the bytes that it was to reserve."""
        code = self._functions[function](*arguments)
        if code:
            raise self.error(code, function, wanted)

    def number(self, function: str, *arguments: Any) -> int:
        """The whole number that a function gives by its first argument."""
        kind = FUNCTIONS[function][0]._type_
        found = kind()
        self(function, byref(found), *arguments)
        return int(found.value or 0)

    def error(self, code: int, function: str, wanted: int = 0) -> Exception:
        """What the number of an error means to a user; what none can foresee is a defect."""
        if code == OUT_OF_MEMORY:
            size = f" for {readable(wanted)}" if wanted else ""
            hint = f"Pass a smaller memory_limit, let go of arrays that lie there, or {CPU}."
            return DeviceError(f"The GPU has not enough memory left{size}.", hint=hint)
        known = SENTENCES.get(code)
        if known is not None:
            return DeviceError(known[0], hint=known[1])
        return RuntimeError(f"'{function}' of the GPU's driver failed: {self._told(code)} (error {code}).")

    def _told(self, code: int) -> str:
        text = c_char_p()
        self._functions["cuGetErrorString"](code, byref(text))
        return (text.value or b"unknown").decode(errors="replace")


_MISMATCH = "The driver of the GPU in the kernel is another one than its library."
SENTENCES: Mapping[int, tuple[str, str]] = {
    NO_DEVICE: ("There is no NVIDIA GPU that can be used.", f"See what CUDA_VISIBLE_DEVICES hides, or {CPU}."),
    STUB: (f"'{NAME}' stands for a driver at build time only.", f"Install the driver of the GPU, or {CPU}."),
    NOT_INITIALIZED: (
        "The GPU cannot be used in a process that was forked from one which had used it.",
        "Start processes by the method 'spawn'.",
    ),
    **dict.fromkeys(MISMATCHES, (_MISMATCH, f"Restart the machine, or {CPU}.")),
}


def _loaded() -> dict[str, Any]:
    try:
        library = ctypes.CDLL(NAME)
    except OSError:
        raise DeviceError(
            f"There is no driver for NVIDIA GPUs: '{NAME}' cannot be loaded.",
            hint=f"Install the driver of the GPU, or {CPU}.",
        ) from None
    found = {name: getattr(library, name, None) for name in FUNCTIONS}
    missing = sorted(name for name, function in found.items() if function is None)
    if missing:
        raise DeviceError(
            f"The driver of the GPU is too old: it has no '{missing[0]}'.", hint="Install a newer driver."
        )
    for name, function in found.items():
        function.argtypes, function.restype = FUNCTIONS[name], c_int  # type: ignore[union-attr]
    return found


@lru_cache(maxsize=1)
def driver() -> Driver:
    """The driver of this machine; raises DeviceError where there is none, or no GPU."""
    return Driver()
