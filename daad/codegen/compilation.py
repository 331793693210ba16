"""Compiling Programs, keeping the result on disk, calling it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daad.codegen.device import Device
from daad.codegen.fingerprint import fingerprint
from daad.ir.nodes import Program
from daad.messages.progress import stage, tell
from daad.runtime.build_folders import unwritable, work_folder
from daad.runtime.build_lock import turn
from daad.runtime.cache import Cache
from daad.runtime.compiled import Compiled
from daad.runtime.lazy_import import later
from daad.runtime.library import MANIFEST, Library, Manifest

if TYPE_CHECKING:
    from daad.codegen import library_build as builder
else:
    builder = later("daad.codegen.library_build")


def compile_program(program: Program, *, device: Device = Device.CPU, cache: bool = True) -> Compiled:
    """The program as native code: from the cache if it is there, otherwise built and put there."""
    store = Cache.open() if cache else None
    key = fingerprint(program, (device.value,))
    if store is None:
        return _build(program, device, None, key)
    found = store.find(key)
    if found is None:
        with turn(store.turns, key):
            found = store.find(key)  # somebody else may have built it meanwhile
            if found is None:
                return _build(program, device, store, key)
    tell("compiled code found in the cache")
    return Compiled(found, lambda: _load_sdfg(program, device), is_cached=True, key=key)


def compile_for_gpu(program: Program) -> Compiled:
    """The same for a GPU."""
    return compile_program(program, device=Device.GPU)


COMPILERS = {Device.CPU: compile_program, Device.GPU: compile_for_gpu}


def load_program(key: str, program: Callable[[], Program], device: Device = Device.CPU) -> Compiled | None:
    """The native code of this key, if the cache has it; `program` is what it was made from."""
    store = Cache.open()
    found = store.find(key) if store else None
    if found:
        tell("compiled code found in the cache")
    return Compiled(found, lambda: _load_sdfg(program(), device), is_cached=True, key=key) if found else None


def _build(program: Program, device: Device, store: Cache | None, key: str) -> Compiled:
    with work_folder() as folder:
        try:
            _built(program, device, folder, key)
        except OSError as error:
            if error.errno is None:  # raised by somebody's signal handler, for instance
                raise
            raise unwritable(str(folder.parent), error) from error
        if store and store.store(key, folder) and (found := store.find(key)):
            return Compiled(found, lambda: _load_sdfg(program, device), is_cached=False, key=key)
        library = Library(folder, Manifest.parse((folder / MANIFEST).read_text(), key))
        return Compiled(library, lambda: _load_sdfg(program, device), is_cached=False, key=key)


def _built(program: Program, device: Device, folder: Path, key: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what DaCe is warned of does not concern daad's users
        with nullcontext() if "dace" in sys.modules else stage("loading DaCe"):
            build = builder.build
        build(program, device, folder, key)


def _load_sdfg(program: Program, device: Device) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.load_sdfg(program, device)
