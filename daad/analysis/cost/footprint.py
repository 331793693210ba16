"""What a call holds in memory, counted from the program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from daad.analysis.cost.placement import place
from daad.ir.memo import remembered
from daad.ir.nodes import Program


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """Bytes of parameters, of results that are none, and of everything else."""

    parameters: int
    results: int
    scratch: int

    @property
    def total(self) -> int:
        """All that a call holds."""
        return self.parameters + self.results + self.scratch


@remembered
def footprint(program: Program) -> Footprint:
    """The modelled bytes of a call."""
    results = set(program.results) - set(program.parameters)
    local = set(program.arrays) - results - set(program.parameters)
    scalars = {name for name in local if not program.arrays[name].shape}
    return Footprint(
        parameters=_bytes(program, program.parameters),
        results=_bytes(program, results),
        scratch=place(program).nbytes + _bytes(program, scalars),
    )


def _bytes(program: Program, names: Iterable[str]) -> int:
    return sum(program.arrays[name].nbytes for name in names)
