"""Resident memory, as Linux counts it: of this process, of a session of processes, of the machine."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
KIB = 1024
SAMPLING_SECONDS = 0.002


class Growth:
    """How far the resident set of this process grows above what it was at the start; `peak` in bytes."""

    def __init__(self) -> None:
        gc.collect()
        self.start = status_bytes("VmRSS")
        self.highest = self.start
        self.is_marked = reset_mark()
        self._is_over = threading.Event()
        if not self.is_marked:
            threading.Thread(target=self._watch, daemon=True).start()

    def peak(self) -> int:
        """The growth up to now; ends the observation."""
        self._is_over.set()
        self.highest = max(self.highest, status_bytes("VmHWM" if self.is_marked else "VmRSS"))
        return self.highest - self.start

    def _watch(self) -> None:
        while not self._is_over.wait(SAMPLING_SECONDS):
            self.highest = max(self.highest, resident_bytes())


def reset_mark() -> bool:
    """Starts the kernel's high-water mark again; False where the kernel does not let us."""
    before = status_bytes("VmHWM")
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return status_bytes("VmHWM") <= max(before, status_bytes("VmRSS"))


def status_bytes(name: str) -> int:
    """A line of this process's status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith(name + ":"))


def resident_bytes() -> int:
    """This process's resident set, read as quickly as possible."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * PAGE


def members(session: int) -> Iterator[tuple[int, int]]:
    """The processes of a session and their resident bytes; compilers that a worker started belong to it."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name before the last bracket may hold blanks.
            fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                yield int(entry.name), int(fields[21]) * PAGE


def machine_bytes(name: str = "MemTotal") -> int:
    """A line of the machine's memory: MemTotal, MemAvailable."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith(name + ":"))
