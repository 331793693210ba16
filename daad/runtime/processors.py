"""What compiled programs run on: the kind of processor, and how many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum


class Device(Enum):
    """The kind of processor that a program is compiled for."""

    CPU = "cpu"
    GPU = "gpu"


_made_for: ContextVar[int | None] = ContextVar("_made_for", default=None)


@contextmanager
def made_for(count: int) -> Iterator[None]:
    """Programs that are derived in the block are made for so many threads, whatever is at hand."""
    before = _made_for.set(count)
    try:
        yield
    finally:
        _made_for.reset(before)


def threads() -> int:
    """How many threads programs are made for: all at hand, unless somebody asks for other ones."""
    return _made_for.get() or threads_at_hand()


def threads_at_hand() -> int:
    """As OpenMP counts them when a program starts: the variable OMP_NUM_THREADS, otherwise the processors at hand."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
