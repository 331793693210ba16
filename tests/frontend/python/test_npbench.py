"""NPBench's NumPy kernels, unmodified, at small sizes."""

from __future__ import annotations

import pytest

from daad.errors import Unsupported
from tests import npbench

from .running import assert_same_as_numpy, built

# What a kernel is refused for: complex numbers, data-dependent shapes, functions without a line.
REFUSED = {
    "contour_integral": "The argument 'Ham' is an array of dtype 'complex128', which is not supported.",
    "mandelbrot1": "Complex numbers are not supported.",
    "mandelbrot2": "Complex numbers are not supported.",
    "scattering_self_energies": "The argument 'dH' is an array of dtype 'complex128', which is not supported.",
    "spmv": "The bounds of a slice depend on data, so its shape does.",
    "stockham_fft": "The argument 'x' is an array of dtype 'complex128', which is not supported.",
}
INTEGERS_ONLY = ("crc16", "floyd_warshall", "nussinov")
KERNELS = [name for name in npbench.kernel_names() if name not in REFUSED and name not in INTEGERS_ONLY]


def _kernel(name: str) -> npbench.Kernel:
    return npbench.load(name, "tiny")


@npbench.needs_npbench
@pytest.mark.parametrize("name", KERNELS)
def test_primal_is_numpys(name: str) -> None:
    kernel = _kernel(name)
    assert_same_as_numpy(kernel.function, kernel.arguments(), kernel.output)


@npbench.needs_npbench
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_kernel_is_refused(name: str) -> None:
    kernel = _kernel(name)
    with pytest.raises(Unsupported) as caught:
        built(kernel.function, kernel.arguments(), kernel.output)
    assert caught.value.message == REFUSED[name]
    assert caught.value.at is not None
