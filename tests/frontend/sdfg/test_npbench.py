"""NPBench's unmodified NumPy kernels through DaCe's parser: the lift computes what NumPy computes."""

from __future__ import annotations

import dace
import pytest

from tests import npbench
from tests.frontend.sdfg.compare import check_lift

pytestmark = npbench.needs_npbench

# Kernels that DaCe parses; the others are for the NumPy frontend.
PARSED = ("adi", "arc_distance", "atax", "bicg", "cavity_flow", "cholesky", "compute", "deriche", "doitgen", "durbin")
PARSED += ("fdtd_2d", "gemm", "gesummv", "go_fast", "gramschmidt", "heat_3d", "jacobi_1d", "jacobi_2d", "k2mm", "k3mm")
PARSED += ("lu", "ludcmp", "mvt", "seidel_2d", "symm", "syr2k", "syrk", "trisolv", "trmm")


@pytest.mark.parametrize("name", PARSED)
def test_lifted_kernel_computes_what_numpy_computes(name: str) -> None:
    kernel = npbench.load(name, "tiny")
    check_lift(dace.program(kernel.function), kernel.function, kernel.arguments(), rtol=1e-9)
