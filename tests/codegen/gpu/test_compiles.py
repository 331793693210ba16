"""What is generated for GPUs compiles with nvcc, for two architectures; where there is no nvcc, this is skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from daad.api.gradient import Gradient
from daad.codegen.device import Device
from daad.codegen.gpu.device_source import generate
from daad.codegen.interpreted import Interpreted
from daad.errors import CompileError
from daad.ir.nodes import Program
from daad.runtime.gpu import nvcc
from npbench_runs import kernel as suite
from tests import npbench
from tests.codegen import programs
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.programs import request_of
from tests.texts import program

ARCHITECTURES = (80, 90)


def has_nvcc() -> bool:
    try:
        return set(ARCHITECTURES) <= set(nvcc.nvcc().known)
    except CompileError:
        return False


pytestmark = pytest.mark.skipif(not has_nvcc(), reason="There is no nvcc; `make gpu-check` installs it.")


def joint(case: Case) -> Program:
    """The program that is compiled for the gradient of a case on a GPU."""
    request = request_of(case, device=Device.GPU)
    gradient = Gradient(case.function, request, compiler=Interpreted)  # type: ignore[arg-type]
    return gradient.compile(*case.arguments())._current.derivation.joint


def compiled(made: Program, folder: Path) -> None:
    source = folder / "program.cu"
    found = generate(made, nvcc.nvcc().cublas() is not None)
    source.write_text(found.text)
    nvcc.compile_for_gpu(source, folder / "program.so", ARCHITECTURES, needs_cublas="cublas" in found.uses)


SCATTER = program("scatter", "x: float64[50], y: float64[90], at: int64[90]", "for i in 0 .. 90:  x[at[i]] max= y[i]")


@pytest.mark.parametrize("made", [programs.JACOBI_ADJOINT, programs.LU, SCATTER], ids=lambda made: made.name)
def test_programs(made: Program, tmp_path: Path) -> None:
    compiled(made, tmp_path)


@npbench.needs_npbench
@pytest.mark.parametrize("name", suite.names()[::10])
def test_some_kernels(name: str, tmp_path: Path) -> None:
    kernel = npbench.load(name, "tiny")
    compiled(joint(kernel.case(wrt=kernel.float_inputs)), tmp_path)


@npbench.needs_npbench
@pytest.mark.slow
@pytest.mark.parametrize("name", suite.names())
def test_all_kernels(name: str, tmp_path: Path) -> None:
    kernel = npbench.load(name, "S")
    compiled(joint(kernel.case(wrt=kernel.float_inputs)), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL[::20], ids=lambda case: case.name)
def test_the_corpus(case: Case, tmp_path: Path) -> None:
    compiled(joint(case), tmp_path)
