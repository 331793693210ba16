"""How hard the C++ compiler tries: where a long program takes little time, vectors of all its loops cost seconds that
no number of calls brings back."""

from __future__ import annotations

from daad.analysis.cost.execution_time import Traffic
from daad.ir.nodes import Program
from daad.runtime.toolchain import LESS

LONG = 5000  # lines of C++
PER_LINE = 40e-9  # seconds of a call: what a line saves of compiling is lost after some ten thousand calls at most


def effort(program: Program, lines: int) -> tuple[str, ...]:
    """Flags for a program of so many lines; how long it takes is not known where its sizes are not."""
    if lines < LONG or program.integers:
        return ()
    return LESS if Traffic(program.arrays).seconds(program.body) < lines * PER_LINE else ()
