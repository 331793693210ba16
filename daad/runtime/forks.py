"""What survives a fork: locks that are free in the child."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


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


def _in_child() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # what the standard library does with its own locks


os.register_at_fork(after_in_child=_in_child)
