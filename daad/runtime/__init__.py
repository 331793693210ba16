"""Compiling Programs, keeping the result on disk, calling it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from daad.lower.device import Device
from daad.program.nodes import Program
from daad.runtime.cache import Cache
from daad.runtime.compiled import Compiled
from daad.runtime.fingerprint import fingerprint
from daad.runtime.library import MANIFEST, Library, Manifest

__all__ = ["Compiled", "compile_program"]


def compile_program(program: Program, *, device: Device = Device.CPU, cache: bool = True) -> Compiled:
    """The program as native code: from the cache if it is there, otherwise built and put there."""
    store = Cache.open() if cache else None
    key = fingerprint(program, (device.value,))
    found = store.find(key) if store else None
    if found:
        library, folder = found
        return Compiled(library, lambda: _load_sdfg(folder), is_cached=True)
    return _build(program, device, store, key)


def _build(program: Program, device: Device, store: Cache | None, key: str) -> Compiled:
    from daad.runtime.build import build  # DaCe takes half a second to import, which the cache must not pay

    folder = Path(tempfile.mkdtemp(prefix="daad-"))
    try:
        sdfg = build(program, device, folder, str(store.root / "build") if store else None)
        if store and store.store(key, folder) and (found := store.find(key)):
            return Compiled(found[0], lambda: sdfg, is_cached=False)
        library = Library(folder, Manifest.parse((folder / MANIFEST).read_text()))
        return Compiled(library, lambda: sdfg, is_cached=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _load_sdfg(folder: Path) -> Any:
    from daad.runtime.build import load_sdfg  # as above

    return load_sdfg(folder)
