"""The JAX gradients that daad is measured against are gradients of NPBench's NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests import npbench
from tests.oracle import check_gradient, positions

pytestmark = npbench.needs_npbench
jax = pytest.importorskip("jax", reason="JAX is in the extra 'bench'")


@pytest.mark.parametrize("name", npbench.LIMITED)
def test_jax_gradient_matches_central_difference(name: str):
    from benchmarks import jax_kernels, limits

    jax.config.update("jax_enable_x64", True)
    kernel = npbench.load(name, "tiny")
    case = limits.case_of(name, "tiny")
    arguments, wrt = case.arguments(), positions(case.function, case.wrt)
    function = jax_kernels.primal(name, getattr(npbench.module(name, "_jax"), npbench.information(name)["func_name"]))
    gradient = jax_kernels.gradient(name, function, arguments, wrt, case.of, case.seed)
    result = gradient(*jax_kernels.on_device([arguments[place] for place in wrt]))
    assert case.wrt == kernel.float_arrays
    check_gradient(tuple(np.asarray(g) for g in result), case)
