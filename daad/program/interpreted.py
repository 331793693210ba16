"""A Program behind the interface of compiled code, run by the interpreter: for tests and for looking closely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daad.program.interpreter import run
from daad.program.nodes import Program


@dataclass(frozen=True)
class Interpreted:
    """Takes arrays (parameters, then results that are none) and ints as compiled code does, and writes in place."""

    program: Program
    is_cached: bool = False
    scratch_bytes: int = 0
    sdfg: None = None

    def measure(self, arrays: Sequence[np.ndarray], integers: Sequence[int], only_read: Sequence[int] = ()) -> int:
        """As `call`; the bytes of all arrays of the Program."""
        self.call(arrays, integers)
        return sum(array.nbytes for array in self.program.arrays.values())

    def call(self, arrays: Sequence[np.ndarray], integers: Sequence[int]) -> None:
        program = self.program
        names = [*program.parameters, *(r for r in program.results if r not in program.parameters)]
        given = dict(zip(names, arrays, strict=True))
        end = run(program, {**given, **dict(zip(program.integers, integers, strict=True))})
        for name, array in given.items():
            if array.flags.writeable:
                array[...] = end[name]
