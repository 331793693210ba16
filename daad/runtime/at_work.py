"""What Python is set to while programs are derived and compiled: its search for cycles in what is no longer used waits,
and functions may call themselves more often, as those do that walk trees."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 500_000
"""Objects made in a block that are not searched right behind it, but before the next one, or whenever Python searches
all: nobody waits for it then."""
OWN = 1000
"""Objects that Python itself has frozen at its start, from 3.12 on some hundred."""
FRAMES = 6000
_left: list[bool] = [False]


@contextmanager
def at_work() -> Iterator[None]:
    """Much is made in the block, and little of it is in cycles: looking for these takes a tenth of the time."""
    was_enabled = gc.isenabled()
    if was_enabled and _left[0]:
        _left[0] = False
        gc.collect()
    gc.disable()
    try:
        with deeper():
            yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > MANY:
                _left[0] = _set_aside()
            gc.enable()


@contextmanager
def deeper() -> Iterator[None]:
    """Each level of a tree takes some functions, and a call that is read some twenty."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _set_aside() -> bool:
    """Counts all objects as old ones, unsearched; False where some are frozen, which they would be no longer."""
    if gc.get_freeze_count() > OWN:
        return False
    gc.freeze()
    gc.unfreeze()
    return True
