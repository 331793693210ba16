"""A program for GPUs as a shared library with a manifest; loaded and called by ctypes."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_int, c_longlong, c_void_p
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from daad.errors import DeviceError
from daad.runtime.gpu.cards import Card
from daad.runtime.gpu.device_driver import CPU, OUT_OF_MEMORY, driver
from daad.runtime.library import LIBRARY, checksum, sealed, unsealed

TOO_OLD = (35, 222)  # the driver, for the runtime that is linked in, or for the code
NO_CODE = 209


@dataclass(frozen=True)
class Argument:
    """An array that a library takes, or a number; `place` is where a call has it: ("array", 2), ("integer", 0).

    `comes_in`, `goes_out`: whether it is read, and whether it is written.
    """

    place: tuple[str, int]
    comes_in: bool
    goes_out: bool


@dataclass(frozen=True, kw_only=True)
class DeviceManifest:
    """How to call a library: its arguments in order, and the bytes of memory that it reserves itself."""

    scratch_bytes: int
    arguments: tuple[Argument, ...]
    checksums: Mapping[str, str]

    def dump(self, key: str) -> str:
        """As JSON, for the entry of this key."""
        return sealed(key, asdict(self))

    @staticmethod
    def parse(text: str, key: str) -> DeviceManifest:
        """From JSON; raises ValueError, KeyError or TypeError if it is not one, or of another key."""
        content: dict[str, Any] = unsealed(text, key)
        arguments = [
            Argument((a["place"][0], a["place"][1]), a["comes_in"], a["goes_out"]) for a in content["arguments"]
        ]
        return DeviceManifest(**{**content, "arguments": tuple(arguments)})


class DeviceLibrary:
    """The loaded library; each GPU that it is used on has an `Opened` of its own."""

    def __init__(self, folder: Path, manifest: DeviceManifest) -> None:
        self.manifest = manifest
        loaded = ctypes.CDLL(str(folder / LIBRARY))
        self.open, self.run, self.status = loaded.daad_open, loaded.daad_run, loaded.daad_status
        self.close, self._told = loaded.daad_close, loaded.daad_error
        self.open.argtypes = (POINTER(c_void_p),)
        self.run.argtypes = (c_void_p, POINTER(c_void_p), c_void_p)
        self.status.argtypes = (c_void_p, POINTER(c_longlong))
        self.close.argtypes, self.close.restype = (c_void_p,), None
        self._told.argtypes, self._told.restype = (c_int,), c_char_p

    @staticmethod
    def read(folder: Path, text: str, key: str) -> DeviceLibrary | None:
        """That of a folder with this manifest; None if that is of other files."""
        manifest = DeviceManifest.parse(text, key)
        is_whole = all(checksum(folder / name) == known for name, known in manifest.checksums.items())
        return DeviceLibrary(folder, manifest) if is_whole else None

    def require(self, code: int) -> None:
        """Raises what the number of an error means."""
        if not code:
            return
        told = (self._told(code) or b"").decode(errors="replace")
        if code == OUT_OF_MEMORY:
            raise driver().error(code, "daad_open", self.manifest.scratch_bytes)
        if code in TOO_OLD:
            raise DeviceError("The driver of the GPU is older than nvcc.", hint=f"Update the driver, or {CPU}.")
        if code == NO_CODE:
            hint = "Leave out the variable DAAD_CUDA_ARCH, or name the architecture of the GPU in it."
            raise DeviceError("The program was compiled for another architecture than that of the GPU.", hint=hint)
        raise RuntimeError(f"A program on the GPU failed: {told} (error {code}).")


class Opened:
    """The state of a library on a GPU: the memory that it has reserved; freed with the object."""

    def __init__(self, library: DeviceLibrary, card: Card) -> None:
        self.library, self.card = library, card
        self._state = c_void_p()
        with card.current():
            code = library.open(ctypes.byref(self._state))
        if code:
            self.close()
            library.require(code)

    def run(self, pointers: Any, stream: int) -> list[int]:
        """Runs on the GPU's arrays; what its checks found, when all is done."""
        found = (c_longlong * 4)()
        with self.card.current():
            self.library.require(self.library.run(self._state, pointers, stream))
            self.library.require(self.library.status(self._state, found))
        return [*found]

    def close(self) -> None:
        """Gives the memory back."""
        state, self._state = self._state, c_void_p()
        if state:
            with self.card.current():
                self.library.close(state)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # when Python ends, the driver may have ended before
            self.close()
