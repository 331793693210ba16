"""A Program behind the interface of compiled code, run by the interpreter: for tests and for looking closely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daad.analysis.cost.placement import place
from daad.codegen.ragged_packing import pack
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.runtime.python_calls import new_frame


@dataclass(frozen=True)
class Interpreted:
    """Takes arrays (parameters, then results that are none) and ints as compiled code does, and writes in place."""

    program: Program
    is_cached: bool = False
    scratch_bytes: int = 0
    sdfg: None = None

    def measure(self, arrays: Sequence[np.ndarray], integers: Sequence[int], only_read: Sequence[int] = ()) -> int:
        """As `call`; the bytes of the arrays that are given, of scalars and of scratch memory."""
        self.call(arrays, integers)
        given = {*self.program.parameters, *self.program.results}
        held = [a.nbytes for a in self.program.arrays.values() if a.name in given or not a.shape]
        return sum(held) + place(self.program).nbytes

    def call(self, arrays: Sequence[np.ndarray], integers: Sequence[int]) -> None:
        new_frame()
        program = pack(self.program)
        names = [*program.parameters, *(r for r in program.results if r not in program.parameters)]
        given = dict(zip(names, arrays, strict=True))
        end = run(program, {**given, **dict(zip(program.integers, integers, strict=True))}, _scratch(program))
        for name, array in given.items():
            if array.flags.writeable:
                array[...] = end[name]


def _scratch(program: Program) -> dict[str, np.ndarray]:
    """The local arrays in one piece of memory, at first full of NaN."""
    placement = place(program)
    memory = np.full(placement.nbytes, 0xFF, dtype=np.uint8)
    arrays = [program.arrays[name] for name in placement.offsets]
    pieces = [(a, memory[placement.offsets[a.name] :][: a.nbytes]) for a in arrays]
    return {a.name: piece.view(a.dtype).reshape(a.shape) for a, piece in pieces}
