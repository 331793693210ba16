"""How hard the C++ compiler tries: where a long program takes little time, vectors of all its loops cost seconds that
no number of calls brings back."""

from __future__ import annotations

from daad.analysis.cost.execution_time import Traffic
from daad.ir.nodes import Program
from daad.runtime.toolchain import FEW_VECTORS, PLAIN, is_gcc

LONG = 3000  # lines of C++
# Seconds of a call for each line, up to which it takes some ten thousand calls to lose what is saved of compiling:
LITTLE, LEAST = 60e-9, 3e-9


def effort(program: Program, lines: int) -> tuple[str, ...]:
    """Flags for a program of so many lines; how long it takes is not known where its sizes are not."""
    if lines < LONG or program.integers or not is_gcc():
        return ()
    each = Traffic(program.arrays).seconds(program.body) / lines
    return PLAIN if each < LEAST else FEW_VECTORS if each < LITTLE else ()
