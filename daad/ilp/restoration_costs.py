"""What it takes to bring values back: time, and memory for what somebody looks at afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from daad.ccs.restorable_values import Restored
from daad.ilp.statement_times import seconds
from daad.ir.nodes import Program
from daad.ir.walk import map_leaves, writes


def undone_in(restored: Restored, statement: int) -> frozenset[str]:
    """Arrays that are taken back in this statement for its own adjoint."""
    return frozenset(name for n, name in restored.undone if n == statement and name not in restored.everywhere)


@dataclass(frozen=True)
class Return:
    """What it takes to bring back `arrays` in a statement: `held` bytes of their final values, and `seconds`."""

    arrays: frozenset[str] = frozenset()
    undo: bool = False
    held: int = 0
    seconds: float = 0.0

    @staticmethod
    def of(primal: Program, seen: frozenset[str], restored: Restored, statement: int) -> Return:
        """For one statement; arrays of `seen` are looked at afterwards."""
        arrays = frozenset(name for n, name in restored.pieces if n == statement)
        again = map_leaves((primal.body[statement],), lambda nest: (nest,) if writes((nest,)) & arrays else ())
        return Return(
            arrays=arrays,
            undo=bool(undone_in(restored, statement)),
            held=sum(primal.arrays[name].nbytes for name in arrays & seen),
            seconds=seconds(again, primal.arrays, {}),
        )
