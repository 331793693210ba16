"""Under what the figures that measure are measured."""

from __future__ import annotations

from npbench_runs.figures.request import FigureRequest
from npbench_runs.machine import cores, setting
from npbench_runs.processes import Limits
from npbench_runs.resident import machine_bytes
from npbench_runs.sources import Source
from npbench_runs.tables import machine, threads

PART = 0.8  # of the machine's memory


def default_limits(seconds: float) -> Limits:
    """So many seconds, most of the memory, all cores."""
    return Limits(seconds=seconds, memory=int(PART * machine_bytes()), threads=cores())


def small_print(request: FigureRequest, repeats: int) -> tuple[str, str]:
    """Whose program, how often, on which machine, in the words of a report."""
    now = setting("", Source(npbench=request.npbench).name, cores(), repeats)
    return f"programs of {now.source}, {threads(now)}, {now.repeats} repeats", machine(now)
