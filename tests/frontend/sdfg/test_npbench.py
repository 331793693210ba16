"""NPBench's unmodified NumPy kernels through DaCe's parser: the lift computes what NumPy computes."""

from __future__ import annotations

import dace
import pytest

from tests import npbench

from .compare import check_lift

pytestmark = npbench.needs_npbench

# Kernels that DaCe parses; the others are for the NumPy frontend.
PARSED = (*npbench.REQUIRED, "k2mm", "k3mm", "mvt", "doitgen", "durbin", "cholesky", "deriche", "symm", "syr2k",
          "ludcmp", "go_fast", "compute", "arc_distance")  # fmt: skip


@pytest.mark.parametrize("name", PARSED)
def test_lifted_kernel_computes_what_numpy_computes(name: str) -> None:
    kernel = npbench.load(name, "tiny")
    check_lift(dace.program(kernel.function), kernel.function, kernel.arguments(), rtol=1e-9)
