"""Turns among processes and threads that would compile the same program at the same time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 120.0
"""Seconds; the process that has the turn may be stopped, so the others go on without it."""
PAUSE = 0.05


@contextmanager
def turn(folder: Path, key: str) -> Iterator[None]:
    """Waits until nobody else has the turn for this key; the turn of a process that dies is free.

    Where files cannot be locked, and after long waiting, several may have it: that costs time and nothing else.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        file = os.open(folder / key[:3], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield
        return
    try:
        _wait(file)
        yield
    finally:
        _release(file)


def _wait(file: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:
            return None
    return None


def _release(file: int) -> None:
    """A process that was forked meanwhile has the file open too, so that closing it would not do."""
    try:
        fcntl.flock(file, fcntl.LOCK_UN)
    except OSError:
        pass
    finally:
        os.close(file)
