"""What compiled programs run on: the kind of processor, and how many threads."""

from __future__ import annotations

import os
from enum import Enum


class Device(Enum):
    """The kind of processor that a program is compiled for."""

    CPU = "cpu"
    GPU = "gpu"


def threads() -> int:
    """As OpenMP counts them when a program starts: the variable OMP_NUM_THREADS, otherwise the processors at hand."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
