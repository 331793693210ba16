"""A GPU that there is not: the driver's stand-in, compiled and loaded in its place."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from daad.runtime.gpu import cards, device_driver, device_memory

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


RUNNING = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_longlong, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_longlong)
)
PROGRAM = """
extern "C" {
int cuMemAlloc_v2(unsigned long long*, unsigned long);
int cuMemFree_v2(unsigned long long);
const char* daad_error(int) { return "a fault of the program"; }
extern int (*running)(long long, void* const*, long long*);
struct State { unsigned long long slab; long long found[4]; };
int daad_open(void** state) {
    State* made = new State();
    *state = made;
    return cuMemAlloc_v2(&made->slab, %(nbytes)d);
}
int daad_run(void* state, void* const* arrays, void*) {
    return running(%(number)d, arrays, ((State*)state)->found);
}
int daad_status(void* state, long long* out) {
    for (int k = 0; k < 4; ++k) out[k] = ((State*)state)->found[k];
    return 0;
}
void daad_close(void* state) {
    if (((State*)state)->slab) cuMemFree_v2(((State*)state)->slab);
    delete (State*)state;
}
}
"""


def compiled(source: Path, made: Path) -> None:
    """Compiles and links a program with the stand-in."""
    options = ["-std=c++17", "-x", "c++", "-shared", "-fPIC", str(source), "-x", "none", str(library())]
    subprocess.run(["g++", *options, "-o", str(made)], check=True)


class StandIn:
    """What it pretends to be, and what has been asked of it."""

    def __init__(self) -> None:
        loaded = ctypes.CDLL(str(library()))
        self._settings = (ctypes.c_longlong * 5).in_dll(loaded, "settings")
        self._counts = (ctypes.c_longlong * 14).in_dll(loaded, "counts")
        self._running = ctypes.c_void_p.in_dll(loaded, "running")
        self.reset()

    def run_by(self, function: Callable[[int, Any, Any], int]) -> None:
        """What runs programs, given their numbers, pointers to their arrays, and where to leave what was found."""
        self._callback = RUNNING(function)
        self._running.value = ctypes.cast(self._callback, ctypes.c_void_p).value

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
    device_memory.stream_of.cache_clear()
    device_memory._kept.clear()


def taken(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in in the place of the driver, until the test ends."""
    monkeypatch.setattr(device_driver, "NAME", str(library()))
    return StandIn()
