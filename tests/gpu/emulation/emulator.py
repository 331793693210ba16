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

import numpy as np

from daad.codegen.gpu.device_source import Source, generate
from daad.ir.nodes import Program

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
    _compile(["-shared", str(made), str(emulation()), "-o", str(library)])


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


@dataclass
class Emulated:
    """A program for GPUs in emulation."""

    source: Source
    library: ctypes.CDLL = field(init=False)

    @staticmethod
    def of(program: Program) -> Emulated:
        return Emulated(generate(program))

    def __post_init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="daad-tests-") as folder:
            text, made = Path(folder) / "program.cu", Path(folder) / "program.so"
            text.write_text(self.source.text)
            compiled(text, made)
            self.library = ctypes.CDLL(str(made))
        self.library.emulation_found.restype = ctypes.c_char_p
        self.library.emulation_begin.argtypes = (ctypes.c_ulonglong,)
        self.library.emulation_register.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        self.library.daad_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.library.daad_status.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self.library.daad_close.argtypes = (ctypes.c_void_p,)

    def run(self, arrays: Mapping[str, np.ndarray], seed: int = 0) -> Outcome:
        """Runs on copies of arrays, integers among them as arrays of one element; threads in an order by the seed."""
        library, copies = self.library, {name: np.array(arrays[name], order="C") for name in self.source.arguments}
        library.emulation_begin(seed)
        for array in copies.values():
            library.emulation_register(array.ctypes.data, array.nbytes)
        pointers = (ctypes.c_void_p * max(1, len(copies)))(*(a.ctypes.data for a in copies.values()))
        state, outside = ctypes.c_void_p(), (ctypes.c_longlong * 4)()
        codes = [library.daad_open(ctypes.byref(state)), library.daad_run(state, pointers, None)]
        codes.append(library.daad_status(state, outside))
        launches, barriers = library.emulation_launches(), library.emulation_barriers()
        library.daad_close(state)
        assert codes == [0, 0, 0]
        found = library.emulation_found().decode()
        found += "" if library.emulation_allocated() == 0 else "memory is not freed\n"
        return Outcome(copies, found, tuple(outside), launches, barriers)
