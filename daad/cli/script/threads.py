"""Threads that a script started and that nobody ends any more, since the script was left in the middle."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator

GRACE = 1.0  # seconds for what is about to end anyway
_left: list[threading.Thread] = []


@contextlib.contextmanager
def threads_noted() -> Iterator[None]:
    """Notes the threads that were started inside and are alive at the end."""
    before = set(threading.enumerate())
    try:
        yield
    finally:
        _left.extend(thread for thread in threading.enumerate() if thread not in before and not thread.daemon)


def end(code: int) -> None:
    """Ends the process if such a thread would keep it from ending."""
    deadline = time.monotonic() + GRACE
    for thread in _left:
        thread.join(max(0.0, deadline - time.monotonic()))
    running = [thread.name for thread in _left if thread.is_alive()]
    if not running:
        return
    print(f"The script's thread '{running[0]}' ends here; it waited for the rest of the script.", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
