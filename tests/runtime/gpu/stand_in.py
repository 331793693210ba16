"""A GPU that there is not: the driver's stand-in, compiled and loaded in its place."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from daad.runtime.gpu import cards, device_driver

SETTINGS = ("devices", "version", "architecture", "memory", "init")
DEFAULTS = (1, 13000, 90, 1 << 30, 0)
COUNTS = (
    *("bytes", "peak", "reserved", "freed", "to", "from_", "on", "to_bytes", "from_bytes", "on_bytes"),
    *("event_waits", "waits", "contexts"),
)


@lru_cache(maxsize=1)
def library() -> Path:
    """The stand-in as a shared library."""
    made = Path(tempfile.mkdtemp(prefix="daad-tests-")) / "driver.so"
    source = Path(__file__).parent / "driver.cpp"
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", str(source), "-o", str(made)], check=True)
    return made


class StandIn:
    """What it pretends to be, and what has been asked of it."""

    def __init__(self) -> None:
        loaded = ctypes.CDLL(str(library()))
        self._settings = (ctypes.c_longlong * 5).in_dll(loaded, "settings")
        self._counts = (ctypes.c_longlong * 14).in_dll(loaded, "counts")
        self.reset()

    def reset(self, **settings: int) -> None:
        """Other settings; nothing has been asked."""
        forget()
        for k, name in enumerate(SETTINGS):
            self._settings[k] = settings.get(name, DEFAULTS[k])
        held = self._counts[0]
        self._counts[:] = [held, held] + [0] * 12

    def __getattr__(self, name: str) -> Any:
        if name not in COUNTS:
            raise AttributeError(name)
        return self._counts[COUNTS.index(name)]


def forget() -> None:
    """Nothing is known of any driver."""
    device_driver.driver.cache_clear()
    cards.card.cache_clear()


def taken(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in in the place of the driver, until the test ends."""
    monkeypatch.setattr(device_driver, "NAME", str(library()))
    return StandIn()
