"""Entries of the cache on their way to another machine, which takes them if it is of the same kind."""

from __future__ import annotations

import contextlib
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from daad.runtime.cache import FILES, Cache, Used


@dataclass(frozen=True)
class Entries:
    """The files of entries by key and name, packed, and the notes by key; `kind` is that of their machine."""

    kind: str
    files: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(used: Used, kind: str) -> Entries:
        """Those that have been used; without a cache there are none."""
        store = Cache.open()
        if store is None:
            return Entries(kind)
        files = {}
        for key in sorted(used.entries):
            with contextlib.suppress(OSError):
                files[key] = {name: zlib.compress((store.root / key / name).read_bytes(), 1) for name in FILES}
        notes = {key: text for key in sorted(used.notes) if (text := store.noted(key)) is not None}
        return Entries(kind, files, notes)

    def install(self, kind: str) -> None:
        """Puts into the cache what is not there; nothing on a machine of another kind, which would never find it."""
        store = Cache.open() if kind == self.kind else None
        if store is None:
            return
        for key, files in self.files.items():
            if not (store.root / key).is_dir():
                with tempfile.TemporaryDirectory() as folder:
                    for name, content in files.items():
                        (Path(folder) / name).write_bytes(zlib.decompress(content))
                    store.store(key, Path(folder))
        for key, text in self.notes.items():
            if store.noted(key) is None:
                store.note(key, text)
