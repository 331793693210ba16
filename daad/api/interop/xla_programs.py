"""Compiled programs that XLA calls without Python: each with its own library, in the table of `xla_code`."""

from __future__ import annotations

import ctypes
import hashlib
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import numpy as np

from daad.api.call import marshalling
from daad.api.call.specialization import Specialised
from daad.api.interop.xla_code import CODE, MOST
from daad.codegen.compilation import writable_folder
from daad.codegen.device import Device
from daad.codegen.library_build import build
from daad.errors import BadArgument, CompileError, Unsupported
from daad.ir.nodes import Array
from daad.runtime.cache import Cache
from daad.runtime.compiled import Compiled
from daad.runtime.library import LIBRARY, MANIFEST, Library, Manifest
from daad.runtime.toolchain import calling, compiler, require_compiler

TARGET = "daad_call"
"""What XLA knows the function by."""
_LOCK = threading.Lock()
_LIBRARIES: dict[str, tuple[Library, int]] = {}
_RECORDS: dict[int, Any] = {}
"""What the table points to lives as long as the process: what JAX has compiled may call it at any time."""


class Record(ctypes.Structure):
    """A program in the table; the C++ has the same."""

    _fields_ = (
        ("key", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("enter", "start", "outside", "shared")),
        *((name, ctypes.c_int64) for name in ("slots", "operands", "results", "integers", "hidden")),
        *((name, ctypes.c_void_p) for name in ("places", "constants", "values", "targets", "own", "ranks", "sizes")),
        *((name, ctypes.c_void_p) for name in ("failed", "sentences", "next")),
    )


@dataclass(frozen=True)
class XlaProgram:
    """A specialised derivative as a function of JAX's arrays; `integers` are values that it is called with."""

    found: Specialised
    integers: tuple[int, ...]

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The results of compiled code; `values` stand where the leaves of a call do, and what it brings. None stands
        for results that tell of failures, which are XLA's errors."""
        call = jax.ffi.ffi_call(TARGET, self._results, vmap_method="expand_dims")
        operands = [jax.numpy.asarray(values[slot.leaf], slot.array.dtype) for slot in self._given]
        found = iter(call(*operands, program=np.int64(self._key)))
        return [None if number in self.found.failed else next(found) for number in range(len(self._arrays))]

    @property
    def _given(self) -> list[marshalling.Slot]:
        return [slot for slot in self.found.slots if slot.fixed is None]

    @property
    def _arrays(self) -> tuple[Array, ...]:
        return self.found.planned.outcome.interface.results

    @property
    def _shown(self) -> list[Array]:
        return [array for number, array in enumerate(self._arrays) if number not in self.found.failed]

    @cached_property
    def _results(self) -> list[Any]:
        for array in (*(slot.array for slot in self._given), *self._shown):
            if jax.dtypes.canonicalize_dtype(array.dtype) != np.dtype(array.dtype):
                raise BadArgument(
                    f"The program computes in {array.dtype}, which JAX has not as it is set.",
                    hint='Call jax.config.update("jax_enable_x64", True) before, or compute in float32.',
                )
        return [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in self._shown]

    @cached_property
    def _key(self) -> int:
        """Of the library, and of all that a record holds besides; the same in each process."""
        compiled, parts = self.found.compiled, [repr(self.integers)]
        assert isinstance(compiled, Compiled), "programs for GPUs are refused before"
        for slot in self.found.slots:
            parts.append("operand" if slot.fixed is None else hashlib.sha256(slot.fixed.tobytes()).hexdigest())
        text = "\n".join([compiled.key, *parts])
        key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)
        with _LOCK:
            if key not in _RECORDS:
                self._add(key, compiled)
        return key

    def _add(self, key: int, compiled: Compiled) -> None:
        """Puts a record into the table."""
        found, door = self.found, _door()
        library, shared = _own_library(found, compiled)
        given, fixed, places = 0, list[np.ndarray](), list[int]()
        for slot in found.slots:
            places.append(given if slot.fixed is None else -1 - len(fixed))
            given += slot.fixed is None
            fixed += [] if slot.fixed is None else [np.ascontiguousarray(slot.fixed)]
        hidden = [np.zeros(self._arrays[number].shape, self._arrays[number].dtype) for number in found.failed]
        counts = len(places), given, len(self._shown), len(self.integers), len(hidden)
        if max(len(places), len(self._arrays), len(self.integers)) > MOST:
            raise Unsupported(f"The program has more than {MOST} arrays.", hint="Join some of them.")
        arrays = [*(slot.array for slot in self._given), *self._shown]
        sentences = [check.message.encode() for check in found.planned.read.checks]
        held = {
            "places": _longs(places),
            "constants": _addresses(fixed),
            "values": _longs(self.integers),
            "targets": _longs(self._targets()),
            "own": _addresses(hidden),
            "ranks": _longs([len(array.shape) for array in arrays]),
            "sizes": _longs([array.nbytes for array in arrays]),
        }
        told = (ctypes.c_char_p * (len(sentences) + 1))(*sentences)
        record = Record(
            key,
            *(ctypes.cast(f, ctypes.c_void_p).value for f in (library.enter, library.start)),
            ctypes.addressof(library.outside),
            shared,
            *counts,
            *map(ctypes.addressof, held.values()),
            hidden[0].ctypes.data if hidden else None,
            ctypes.addressof(told),
        )
        door.daad_add_program(ctypes.byref(record))
        _RECORDS[key] = record, held, told, fixed, hidden, library

    def _targets(self) -> list[int]:
        """Where the results go: to those of a call in order, or, below 0, to hidden ones."""
        shown = iter(range(len(self._shown)))
        failed = self.found.failed
        return [-1 - failed.index(n) if n in failed else next(shown) for n in range(len(self._arrays))]


def xla_program(found: Specialised, leaves: Sequence[Any]) -> XlaProgram:
    """For the leaves of a call, of which ints are known."""
    return XlaProgram(found, tuple(marshalling.integer(leaves[number]) for number in found.integers))


def _longs(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * (len(values) + 1))(*values)


def _addresses(arrays: Sequence[np.ndarray]) -> Any:
    return (ctypes.c_void_p * (len(arrays) + 1))(*(array.ctypes.data for array in arrays))


def _own_library(found: Specialised, compiled: Compiled) -> tuple[Library, int]:
    """A copy of the library with state of its own: calls from Python report into theirs."""
    known = _LIBRARIES.get(compiled.key)
    if known is not None:
        return known
    with writable_folder() as folder:
        store = Cache.open()
        there = store.root / compiled.key if store else None
        if there is not None and there.is_dir():
            for name in (LIBRARY, MANIFEST):
                shutil.copyfile(there / name, folder / name)
        else:
            build(found.derivation.joint, Device.CPU, folder, compiled.key)
        library = Library(folder, Manifest.parse((folder / MANIFEST).read_text(), compiled.key))
    if library.python is not None:
        raise Unsupported(
            "The program calls Python, which XLA does not.",
            hint="Use jax.pure_callback for it, and kind='stable' to sort.",
        )
    made = library, int(_door().daad_new_shared())
    _LIBRARIES[compiled.key] = made
    return made


_DOOR: list[Any] = []


def _door() -> Any:
    """The library with the table, known to XLA; compiled once for each version of its headers."""
    if not _DOOR:
        door = _compiled_door()
        door.daad_new_shared.restype = ctypes.c_void_p
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(door.daad_call), platform="cpu")
        _DOOR.append(door)
    return _DOOR[0]


def _compiled_door() -> Any:
    includes = jax.ffi.include_dir()
    header = (Path(includes) / "xla/ffi/api/c_api.h").read_bytes()
    key = hashlib.sha256(CODE.encode() + header + compiler().encode()).hexdigest()[:40]
    store = Cache.open()

    def load(folder: Path, manifest: str, _: str) -> Any:
        return ctypes.CDLL(str(folder / LIBRARY)) if json.loads(manifest) == {"xla": key} else None

    known = store.find_as(key, load) if store else None
    if known is not None:
        return known
    require_compiler()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "door.cpp").write_text(CODE)
        command = [*calling(), "-std=c++17", "-O2", "-shared", "-fPIC", "-fno-exceptions", "-fno-rtti", "-w"]
        command += [f"-I{includes}", "door.cpp", "-o", LIBRARY, "-pthread"]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if made.returncode:
            raise CompileError(f"The compiler '{compiler()}' failed on XLA's headers.", hint=made.stderr[-500:])
        (folder / MANIFEST).write_text(json.dumps({"xla": key}))
        if store:
            store.store(key, folder)
        return ctypes.CDLL(str(folder / LIBRARY))
