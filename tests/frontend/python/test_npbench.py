"""NPBench's NumPy kernels, unmodified, at small sizes."""

from __future__ import annotations

import pytest

from daad.errors import Unsupported
from tests import npbench
from tests.frontend.python.running import assert_same_as_numpy, built

# What a kernel is refused for: data-dependent shapes, functions without a line.
REFUSED = {
    "mandelbrot2": "An attribute of an object is assigned.",
    "spmv": "The bounds of a slice depend on data, so its shape does.",
}
COMPLEX_OUTPUTS = {"scattering_self_energies": "Sigma", "stockham_fft": "y"}
INTEGERS_ONLY = ("crc16", "floyd_warshall", "nussinov")
CHAOTIC = ("mandelbrot1",)  # the last digit of a product grows
OTHERS = (*REFUSED, *INTEGERS_ONLY, *CHAOTIC)
KERNELS = [name for name in npbench.kernel_names() if name not in OTHERS]


def _kernel(name: str) -> npbench.Kernel:
    return npbench.load(name, "tiny")


@npbench.needs_npbench
@pytest.mark.parametrize("name", KERNELS)
def test_primal_is_numpys(name: str) -> None:
    kernel = _kernel(name)
    assert_same_as_numpy(kernel.function, kernel.arguments(), COMPLEX_OUTPUTS.get(name, kernel.output))


@npbench.needs_npbench
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_kernel_is_refused(name: str) -> None:
    kernel = _kernel(name)
    with pytest.raises(Unsupported) as caught:
        built(kernel.function, kernel.arguments(), kernel.output)
    assert caught.value.message == REFUSED[name]
    assert caught.value.at is not None
