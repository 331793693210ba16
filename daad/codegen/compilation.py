"""Compiling Programs, keeping the result on disk, calling it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
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
from daad.runtime.gpu import nvcc
from daad.runtime.gpu.cards import Card, current_card
from daad.runtime.gpu.device_library import DeviceLibrary, DeviceManifest
from daad.runtime.gpu.device_program import DeviceProgram
from daad.runtime.lazy_import import later
from daad.runtime.library import MANIFEST, Library, Manifest

if TYPE_CHECKING:
    from daad.codegen import device_build as device_builder
    from daad.codegen import library_build as builder
else:
    builder, device_builder = later("daad.codegen.library_build"), later("daad.codegen.device_build")

Executable = Compiled | DeviceProgram
"""What is called: a program compiled for the CPU, or for GPUs."""


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


def compile_for_gpu(program: Program, *, cache: bool = True) -> DeviceProgram:
    """The same for GPUs of the architectures that are asked for; raises DeviceError where there is none."""
    targets = nvcc.architectures()
    card = None if nvcc.is_chosen() else current_card()
    if card is not None:
        nvcc.require_match()
    store = Cache.open() if cache else None
    key = device_key(program, targets)
    if store is None:
        return _build_for_gpu(program, targets, None, key, card)
    with turn(store.turns, key):
        found = store.find_as(key, DeviceLibrary.read)
        if found is None:
            return _build_for_gpu(program, targets, store, key, card)
    tell("compiled code found in the cache")
    return DeviceProgram(found, is_cached=True, key=key)


COMPILERS: dict[Device, Callable[[Program], Executable]] = {
    Device.CPU: compile_program,
    Device.GPU: compile_for_gpu,
}


def device_key(program: Program, targets: Sequence[int]) -> str:
    """The key of a program for GPUs in the cache."""
    return fingerprint(program, (Device.GPU.value, *map(str, targets)))


def architectures_for(device: Device) -> tuple[int, ...]:
    """What compiled code depends on beside the device; raises DeviceError where there is no GPU."""
    return nvcc.architectures() if device is Device.GPU else ()


def load_program(key: str, program: Callable[[], Program], device: Device = Device.CPU) -> Executable | None:
    """The native code of this key, if the cache has it; `program` is what it was made from."""
    store = Cache.open()
    if store is None:
        return None
    if device is Device.GPU:
        there = store.find_as(key, DeviceLibrary.read)
        made: Executable | None = DeviceProgram(there, is_cached=True, key=key) if there else None
    else:
        found = store.find(key)
        made = Compiled(found, lambda: _load_sdfg(program(), device), is_cached=True, key=key) if found else None
    if made is not None:
        tell("compiled code found in the cache")
    return made


def _build_for_gpu(
    program: Program, targets: Sequence[int], store: Cache | None, key: str, card: Card | None
) -> DeviceProgram:
    with writable_folder() as folder:
        device_builder.build_for_gpu(program, targets, folder, key, card)
        if store and store.store(key, folder) and (found := store.find_as(key, DeviceLibrary.read)):
            return DeviceProgram(found, is_cached=False, key=key)
        library = DeviceLibrary(folder, DeviceManifest.parse((folder / MANIFEST).read_text(), key))
        return DeviceProgram(library, is_cached=False, key=key)


@contextmanager
def writable_folder() -> Iterator[Path]:
    """An empty folder for one build; what cannot be written there is a CompileError."""
    with work_folder() as folder:
        try:
            yield folder
        except OSError as error:
            if error.errno is None:  # raised by somebody's signal handler, for instance
                raise
            raise unwritable(str(folder.parent), error) from error


def _build(program: Program, device: Device, store: Cache | None, key: str) -> Compiled:
    with writable_folder() as folder:
        _built(program, device, folder, key)
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
