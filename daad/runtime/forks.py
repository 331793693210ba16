"""What survives a fork: locks that are free in the child, and OpenMP, whose threads the child does not inherit."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any
from weakref import WeakSet

PAUSE_HARD = 2  # omp_pause_hard of OpenMP 5: threads end, the next parallel region starts new ones

_locks: WeakSet[Any] = WeakSet()
_pauses: dict[int, Any] = {}


def fresh_lock() -> threading.Lock:
    """A lock that a child process finds free, whoever held it when the parent forked."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def fresh_rlock() -> Any:
    """As `fresh_lock`, for a thread that may take it more than once."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def pause_openmp_before_forks(library: ctypes.CDLL) -> None:
    """Ends the OpenMP threads of a thread that forks: the child would wait for them for ever.

    Each library knows its own run time; libraries that share one find the same function.
    """
    pause = getattr(library, "omp_pause_resource_all", None)
    if pause is not None:
        address = ctypes.cast(pause, ctypes.c_void_p).value
        _pauses.setdefault(address or 0, pause)


def _before() -> None:
    for pause in _pauses.values():
        pause(PAUSE_HARD)


def _in_child() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # what the standard library does with its own locks


os.register_at_fork(before=_before, after_in_child=_in_child)
