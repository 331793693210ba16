"""NPBench's NumPy kernels, unmodified, at small sizes."""

from __future__ import annotations

import pytest

from tests import npbench
from tests.frontend.python.running import assert_same_as_numpy

DECIDED = ("mandelbrot2", "spmv")  # data decide lengths (see tests/test_npbench.py)
COMPLEX_OUTPUTS = {"scattering_self_energies": "Sigma", "stockham_fft": "y"}
INTEGERS_ONLY = ("crc16", "floyd_warshall", "nussinov")
CHAOTIC = ("mandelbrot1",)  # the last digit of a product grows
OTHERS = (*DECIDED, *INTEGERS_ONLY, *CHAOTIC)
KERNELS = [name for name in npbench.kernel_names() if name not in OTHERS]


def _kernel(name: str) -> npbench.Kernel:
    return npbench.load(name, "tiny")


@npbench.needs_npbench
@pytest.mark.parametrize("name", KERNELS)
def test_primal_is_numpys(name: str) -> None:
    kernel = _kernel(name)
    assert_same_as_numpy(kernel.function, kernel.arguments(), COMPLEX_OUTPUTS.get(name, kernel.output))
