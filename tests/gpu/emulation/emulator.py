"""Programs for GPUs, compiled for a CPU with the emulation of CUDA, and run."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

from daad.analysis.cost.placement import Placement
from daad.codegen.gpu import device_source
from daad.codegen.gpu.device_source import Source, generate
from daad.ir.nodes import Array, Program

HERE = Path(__file__).parent
FLAGS = ("-std=c++20", "-O1", "-fPIC", "-w", "-ffp-contract=off")
SEEN = ("-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")
CALLED = """#include "%s"
extern "C" __attribute__((no_sanitize("thread"))) void emulation_call(const void* kernel, void* frame) {
    ((void (*)(Frame))kernel)(*(Frame*)frame);
}
"""
POISON = 1000.25
"""What arrays hold that a program is to write."""
GAP = 256
"""Bytes between local arrays that lie apart, at least."""


@cache
def emulation() -> Path:
    """The emulation as an object file."""
    made = Path(tempfile.mkdtemp(prefix="daad-tests-")) / "emulation.o"
    _compile([*FLAGS, "-O2", "-c", str(HERE / "emulation.cpp"), "-o", str(made)])
    return made


def compiled(source: Path, library: Path) -> None:
    """Compiles a file of CUDA C++ with the emulation."""
    program = source.with_suffix(".emulated.cpp")
    program.write_text(CALLED % source.name)
    made = program.with_suffix(".o")
    _compile([*FLAGS, *SEEN, f"-I{HERE}", "-c", str(program), "-o", str(made)])
    _compile(["-shared", str(made), str(emulation()), "-o", str(library), "-ldl"])


def _compile(options: Sequence[str]) -> None:
    subprocess.run([os.environ.get("CXX", "g++"), *options], check=True)


@dataclass(frozen=True)
class Outcome:
    """What a run left: the arrays, what the emulation has found ("" if nothing), and what checks found."""

    arrays: Mapping[str, np.ndarray]
    found: str
    outside: tuple[int, ...]
    launches: int
    barriers: int


@dataclass(frozen=True)
class Order:
    """The seed of the order in which threads run, on a GPU with so many processors."""

    seed: int = 0
    processors: int = 3


@dataclass
class Emulated:
    """A program for GPUs in emulation. `local`: the array at each offset of the program's memory, if they lie apart."""

    source: Source
    local: Mapping[int, Array] = field(default_factory=dict)
    library: ctypes.CDLL = field(init=False)

    @staticmethod
    def of(program: Program) -> Emulated:
        return Emulated(generate(program))

    @staticmethod
    def apart(program: Program) -> Emulated:
        """Local arrays share no memory, and an access behind one of them is found."""
        local: dict[int, Array] = {}

        def placed(made: Program) -> Placement:
            local.update(_apart(made))
            end = max((offset + array.nbytes for offset, array in local.items()), default=0)
            return Placement({array.name: offset for offset, array in local.items()}, end + GAP)

        with mock.patch.object(device_source, "slab", placed):
            return Emulated(generate(program), local)

    def __post_init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="daad-tests-") as folder:
            text, made = Path(folder) / "program.cu", Path(folder) / "program.so"
            text.write_text(self.source.text)
            compiled(text, made)
            self.library = ctypes.CDLL(str(made))
        self.library.emulation_found.restype = ctypes.c_char_p
        self.library.emulation_seed.argtypes = (ctypes.c_ulonglong,)
        self.library.emulation_register.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
        self.library.emulation_register_part.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p)
        self.library.daad_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.library.daad_status.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self.library.daad_close.argtypes = (ctypes.c_void_p,)

    def run(self, arrays: Mapping[str, np.ndarray], order: Order = Order(), times: int = 1) -> Outcome:
        """What the last of several runs of one opened program left: each on copies of arrays, integers among them as
        arrays of one element."""
        library, state = self.library, ctypes.c_void_p()
        library.emulation_begin(order.processors)
        codes = [library.daad_open(ctypes.byref(state))]
        for offset, array in self.local.items():
            library.emulation_register_part(offset, array.nbytes, array.name.encode())
        given = [{name: np.array(arrays[name], order="C") for name in self.source.arguments} for _ in range(times)]
        for number, copies in enumerate(given):
            library.emulation_seed(order.seed + number)
            for name, array in copies.items():
                library.emulation_register(array.ctypes.data, array.nbytes, name.encode())
            pointers = (ctypes.c_void_p * max(1, len(copies)))(*(a.ctypes.data for a in copies.values()))
            outside = (ctypes.c_longlong * 4)()
            codes += [library.daad_run(state, pointers, None), library.daad_status(state, outside)]
        launches, barriers = library.emulation_launches(), library.emulation_barriers()
        library.daad_close(state)
        found = library.emulation_found().decode()
        found += "" if library.emulation_allocated() == 0 else "memory is not freed\n"
        found += "" if not any(codes) else f"calls return {codes}\n"
        return Outcome(given[-1], found, tuple(outside), launches, barriers)


def _apart(program: Program) -> Mapping[int, Array]:
    """Local arrays by where they lie, with gaps before and behind."""
    outer = {*program.parameters, *program.results}
    found, end = dict[int, Array](), GAP
    for array in program.arrays.values():
        if array.name not in outer:
            found[end] = array
            end += array.nbytes // GAP * GAP + 2 * GAP
    return found
