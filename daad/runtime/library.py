"""A compiled program as a shared library with a manifest; loaded and called by ctypes, without DaCe."""

from __future__ import annotations

import ctypes
import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from daad.runtime.c_functions import CFunction, hand_over
from daad.runtime.forks import fresh_lock
from daad.runtime.memory import return_free_memory
from daad.runtime.processors import threads_at_hand
from daad.runtime.python_calls import ENTRY, Answers

_LOCKS: dict[int, threading.Lock] = {}
COUNT = "daad_threads"  # an int in each library that has a team: how many threads there may be
LIBRARY, MANIFEST = "program.so", "manifest.json"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """How to call a library: how many arrays and integers it takes.

    `checksums` are those of the other files, `special` are the functions of SciPy's that it calls. On disk a seal over
    the whole content and the key goes with it.
    """

    name: str
    arrays: int
    integers: int
    scratch_bytes: int
    checksums: Mapping[str, str]
    special: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)

    def dump(self, key: str) -> str:
        """As JSON, for the entry of this key."""
        return sealed(key, asdict(self))

    @staticmethod
    def parse(text: str, key: str) -> Manifest:
        """From JSON; raises ValueError, KeyError or TypeError if it is not one, or of another key."""
        return Manifest(**unsealed(text, key))

    def describes(self, folder: Path) -> bool:
        """Whether the files of a folder are those that it was made for."""
        return all(checksum(folder / name) == known for name, known in self.checksums.items())


def sealed(key: str, content: Mapping[str, Any]) -> str:
    """The content as JSON with a seal over it and a key."""
    return json.dumps({"content": content, "seal": _seal(key, content)})


def unsealed(text: str, key: str) -> dict[str, Any]:
    """The content; raises ValueError, KeyError or TypeError where the seal is none for it and the key."""
    read = json.loads(text)
    content: dict[str, Any] = read["content"]
    if read["seal"] != _seal(key, content):
        raise ValueError("the seal is broken")
    return content


def _seal(key: str, content: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{key} {json.dumps(content, sort_keys=True)}".encode()).hexdigest()


def checksum(path: Path) -> str:
    """Of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Library:
    """A loaded library with scratch memory, its state; freed with the object.

    A library is in memory once, however often it is loaded: all its users share `outside` and take turns by `lock`.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        loaded = ctypes.CDLL(str(folder / LIBRARY))
        start, self.enter, self._exit = (
            getattr(loaded, f"__{part}_{manifest.name}") for part in ("dace_init", "enter", "dace_exit")
        )
        start.restype = ctypes.c_void_p
        start.argtypes = []
        self.enter.restype = None
        self.outside = (ctypes.c_int64 * 4).in_dll(loaded, "daad_outside")
        self.lock = _LOCKS.setdefault(loaded._handle, fresh_lock())
        self._exit.argtypes = [ctypes.c_void_p]
        self.start = start
        self._states: list[int] = []
        for name, (ufunc, types, place) in manifest.special.items():
            hand_over(loaded, name, CFunction(ufunc, types, place))
        self.python = Answers(loaded) if hasattr(loaded, ENTRY) else None
        self.threads = ctypes.c_int.in_dll(loaded, COUNT) if hasattr(loaded, COUNT) else None
        if self.threads is not None:
            self.threads.value = threads_at_hand()

    @staticmethod
    def read(folder: Path, text: str, key: str) -> Library | None:
        """That of a folder with this manifest; None if that is of other files."""
        manifest = Manifest.parse(text, key)
        return Library(folder, manifest) if manifest.describes(folder) else None

    def allocate(self) -> int:
        """New scratch memory, of which no page is resident."""
        state = self.start()
        if not state:
            size = self.manifest.scratch_bytes
            raise MemoryError(f"{size} bytes of scratch memory could not be allocated.")
        self._states.append(int(state))
        return int(state)

    def free(self, state: int) -> None:
        """Gives scratch memory back to the system."""
        if state:
            self._states.remove(state)
            self._exit(state)
        return_free_memory()

    def __del__(self) -> None:
        for state in getattr(self, "_states", ()):
            self._exit(state)
