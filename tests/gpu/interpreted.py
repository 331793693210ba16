"""Programs for a GPU that there is not: the interpreter runs them in the memory of the stand-in."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from daad.codegen.interpreted import Interpreted
from daad.errors import IndexOutside
from daad.ir.nodes import Program
from tests.runtime.gpu.stand_in import PROGRAM, StandIn, compiled

SCRATCH = 1000
FAULT = 999


@dataclass(frozen=True)
class Source:
    """As the generator's."""

    text: str
    nbytes: int
    arguments: tuple[str, ...]
    uses: frozenset[str] = frozenset()


@dataclass
class Programs:
    """The programs that have been generated, by number; as a generator and a compiler for them."""

    stand_in: StandIn
    known: list[tuple[Program, Source]] = field(default_factory=list)
    compiled: list[tuple[int, ...]] = field(default_factory=list)

    def generate(self, program: Program, has_cublas: bool = True) -> Source:
        names = tuple(dict.fromkeys((*program.parameters, *program.results, *program.integers)))
        source = Source(PROGRAM % {"nbytes": SCRATCH, "number": len(self.known)}, SCRATCH, names)
        self.known.append((program, source))
        return source

    def compile(self, source: Path, library: Path, targets: Sequence[int], *, needs_cublas: bool = False) -> None:
        assert not needs_cublas
        self.compiled.append(tuple(targets))
        compiled(source, library)

    def run(self, number: int, pointers: Any, found: Any) -> int:
        try:
            program, source = self.known[number]
            arrays = dict(zip(source.arguments, (pointers[k] for k in range(len(source.arguments))), strict=True))
            integers = [int(_at(arrays[name], (), "int64")) for name in program.integers]
            names = [name for name in source.arguments if name not in program.integers]
            views = [_at(arrays[n], program.arrays[n].shape, program.arrays[n].dtype) for n in names]
        except Exception:
            return FAULT
        found[0] = 0
        try:
            Interpreted(program).call(views, integers)
        except IndexOutside as error:
            found[0], found[1], found[2], found[3] = 1, error.index, error.extent, error.site
        return 0


def _at(address: int, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    nbytes = max(1, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    memory = (ctypes.c_char * nbytes).from_address(address)
    return (
        np.frombuffer(memory, dtype=np.uint8)[: int(np.prod(shape)) * np.dtype(dtype).itemsize]
        .view(dtype)
        .reshape(shape)
    )
