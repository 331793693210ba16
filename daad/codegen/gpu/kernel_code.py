"""The C++ of kernels: what they find in their frame, and what their threads do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from daad.analysis.cost.placement import Placement
from daad.codegen import spelling
from daad.codegen.chosen_names import Names
from daad.codegen.gpu.crew_code import IN_BLOCK, CrewCode, meets_grid
from daad.codegen.gpu.launches import Form, Kernel
from daad.codegen.gpu.step_code import DESK, SHARED
from daad.codegen.gpu.surroundings import INDEX, Sites, indented
from daad.ir.nodes import Program

THREADS = {Form.BLOCK: 512, Form.POINTS: 256, Form.GRID: 512}


@dataclass(frozen=True)
class Device:
    """What all kernels of a program have in common: its names, where local arrays lie, the numbers of places."""

    program: Program
    names: Names
    slab: Placement
    sites: Sites

    def kernel(self, kernel: Kernel) -> list[str]:
        """The definition of a kernel."""
        crew = "one_block" if kernel.form is Form.BLOCK else "whole_grid"
        head = f"__global__ void __launch_bounds__({THREADS[kernel.form]}) kernel_{kernel.number}(const Frame frame) {{"
        wait = f"daad::wait_for_grid(frame.counters + {kernel.number});"
        code = CrewCode(self.sites, wait if is_cooperative(kernel) else IN_BLOCK)
        lines = [
            *self._pointers(kernel),
            *(f"const int64_t {self.names[name]} = *frame.{self.names[name]};" for name in self.program.integers),
            *(f"const {INDEX} {self.names[name]} = frame.{self.names[name]};" for name in kernel.variables),
            f"const daad::Crew crew = daad::{crew}();",
        ]
        body = code.body(kernel.items)
        memory = {SHARED: f"unsigned long long {SHARED}[32]", DESK: f"daad::Desk {DESK}"}
        shared = [f"__shared__ {text};" for name, text in memory.items() if any(name in line for line in body)]
        return [head, *indented([*shared, *lines, *body]), "}"]

    def _pointers(self, kernel: Kernel) -> Iterable[str]:
        """Pointers to the arrays; in a kernel of one step they lie apart, and what is only read never changes."""
        is_step = kernel.form is Form.POINTS
        touched = frozenset[str]().union(*(node.touched for node in kernel.nodes))
        written = frozenset[str]().union(*(node.written for node in kernel.nodes))
        for name in (name for name in self.program.arrays if name in touched):
            kind = spelling.ctype(self.program.arrays[name].dtype)
            kind = f"const {kind}" if is_step and name not in written else kind
            yield f"{kind}* {'__restrict__ ' if is_step else ''}const {self.names[name]} = {self.address(name, kind)};"

    def address(self, name: str, kind: str) -> str:
        """Where an array lies, as the frame tells."""
        if name in self.slab.offsets:
            return f"({kind}*)(frame.slab + {self.slab.offsets[name]})"
        return f"frame.{self.names[name]}"


def is_cooperative(kernel: Kernel) -> bool:
    """Whether its blocks wait for each other."""
    return kernel.form is Form.GRID and meets_grid(kernel.items)
