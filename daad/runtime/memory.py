"""What a process holds in memory, as the operating system tells."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"
PAGE = 4096
Result = TypeVar("Result")


def machine_memory() -> int:
    """Bytes that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def measure_growth(run: Callable[[], object]) -> int:
    """By how many bytes the resident set grows at most while `run` runs."""
    reset = _reset_peak()
    before = _status("VmRSS") if reset else _largest()
    run()
    after = _status("VmHWM") if reset else _largest()
    return max(0, after - before)


def resident() -> int:
    """Bytes of the resident set now."""
    return _status("VmRSS")


def peak_since(run: Callable[[], Result]) -> tuple[Result, int]:
    """What `run` returns, and the largest resident set while it ran, in bytes."""
    reset = _reset_peak()
    found = run()
    return found, _status("VmHWM") if reset else _largest()


def make_resident(arrays: Sequence[np.ndarray], only_read: Collection[int] = ()) -> int:
    """Touches every page of arrays, so that they count as held before a measurement; returns all bytes.

    Those at the positions `only_read` are read: a page of a file would change, one of another process be copied.
    """
    for position, array in enumerate(arrays):
        if array.size and array.flags.c_contiguous:
            bytes_apart = array.reshape(-1).view(np.uint8)[::PAGE]
            if position in only_read or not array.flags.writeable:
                bytes_apart.max()
            else:
                bytes_apart |= 0
    return sum(array.nbytes for array in arrays)


def return_free_memory() -> None:
    """Lets the C library give what is free back to the system, where it can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)


def _reset_peak() -> bool:
    """Lets the kernel's high-water mark start anew; not allowed everywhere."""
    try:
        CLEAR.write_text(RESET_PEAK)
        return bool(_status("VmHWM"))
    except OSError:
        return False


def _status(name: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


def _largest() -> int:
    """The high-water mark since the process started."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024
