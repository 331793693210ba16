"""The GPUs of this machine: which one programs run on, and whether they can."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from ctypes import byref, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from functools import lru_cache

from daad.errors import DeviceError
from daad.messages.sizes import Bytes, readable
from daad.runtime.gpu.device_driver import CPU, Driver, driver

MAJOR, MINOR = 75, 76  # attributes: the version of a GPU's architecture
OLDEST = 75
"""The oldest architecture for which code can be made: as of CUDA 13."""


@dataclass(frozen=True)
class Card:
    """A GPU; `architecture` is 90 for what CUDA calls sm_90, `context` is the one that all libraries of a process
    share."""

    ordinal: int
    name: str
    architecture: int
    memory: Bytes
    context: int

    @contextlib.contextmanager
    def current(self) -> Iterator[Driver]:
        """Lets what this thread asks of the driver concern this GPU."""
        found, before = driver(), c_void_p()
        found("cuCtxPushCurrent_v2", self.context)
        try:
            yield found
        finally:
            found("cuCtxPopCurrent_v2", byref(before))

    def free_memory(self) -> int:
        """Bytes that are not in use."""
        free, total = c_size_t(), c_size_t()
        with self.current() as found:
            found("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def require_memory(self, wanted: int) -> None:
        """Raises DeviceError for a program that needs more than the whole memory."""
        if wanted > self.memory:
            raise DeviceError(
                f"A call holds {readable(wanted)}, and the memory of the GPU '{self.name}' is {readable(self.memory)}.",
                hint=f"Pass a memory_limit below that, or {CPU}.",
            )


def cards() -> list[Card]:
    """All GPUs; raises DeviceError where there is none."""
    return [card(ordinal) for ordinal in range(driver().number("cuDeviceGetCount"))]


@lru_cache
def card(ordinal: int) -> Card:
    """A GPU by the driver's number for it."""
    found = driver()
    device = found.number("cuDeviceGet", ordinal)
    name = ctypes.create_string_buffer(256)
    found("cuDeviceGetName", name, len(name), device)
    version = [found.number("cuDeviceGetAttribute", attribute, device) for attribute in (MAJOR, MINOR)]
    return Card(
        ordinal=ordinal,
        name=name.value.decode(errors="replace"),
        architecture=10 * version[0] + version[1],
        memory=Bytes(found.number("cuDeviceTotalMem_v2", device)),
        context=found.number("cuDevicePrimaryCtxRetain", device),
    )


def current_card() -> Card:
    """The GPU that another library has chosen in this thread, otherwise the first one; one that can be used."""
    found = driver()
    chosen = 0
    if found.number("cuCtxGetCurrent"):
        device = c_int()
        found("cuCtxGetDevice", byref(device))
        chosen = device.value
    known = card(chosen)
    if known.architecture < OLDEST:
        raise DeviceError(
            f"The GPU '{known.name}' is too old: sm_{known.architecture}, and programs need sm_{OLDEST}.",
            hint=f"{CPU[0].upper()}{CPU[1:]}.",
        )
    return known
