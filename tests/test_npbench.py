"""NPBench's unmodified kernels at preset S, compiled: against differences, JAX where it has the program, themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from . import npbench
from .oracle import check_gradient, positions
from .programs import compiled, interpreted

pytestmark = npbench.needs_npbench


@pytest.mark.parametrize("name", npbench.REQUIRED)
def test_gradient_matches_differences_and_repeats(name: str) -> None:
    case = npbench.load(name, "S").case()
    gradient = compiled(case)
    first, second = gradient(*case.arguments()), gradient(*case.arguments())
    check_gradient(first, case, rtol=1e-6, count=1)
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("name", sorted({*npbench.REQUIRED} & {*npbench.LIMITED}))
def test_gradient_matches_jax(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is in the extra 'bench'")
    from benchmarks import jax_kernels, limits

    jax.config.update("jax_enable_x64", True)
    case = limits.case_of(name, "tiny")
    arguments, wrt = case.arguments(), positions(case.function, case.wrt)
    function = jax_kernels.primal(name, getattr(npbench.module(name, "_jax"), npbench.information(name)["func_name"]))
    by_jax = jax_kernels.gradient(name, function, arguments, wrt, case.of, case.seed)
    expected = by_jax(*jax_kernels.on_device([arguments[place] for place in wrt]))
    for found, wanted in zip(interpreted(case)(*case.arguments()), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.max(np.abs(wanted), initial=0.0))


FORWARDED = {"cavity_flow": {"u", "v"}, "gramschmidt": {"A"}, "trmm": {"B"}, "adi": {"p"}}


@pytest.mark.parametrize("name", npbench.REQUIRED)
def test_nothing_is_kept_that_is_still_in_memory(name: str) -> None:
    case = npbench.load(name, "tiny").case()
    gradient = interpreted(case)
    gradient(*case.arguments())
    assert {k.forwarded.array for k in gradient.plan.kept.values()} == FORWARDED.get(name, set())


@pytest.mark.parametrize("name", ["jacobi_2d", "gemm", "lu"])
def test_untouched_inputs_give_the_same_gradient(name: str) -> None:
    case = npbench.load(name, "tiny").case()
    kept = dataclasses.replace(case, options={"on_inputs": "keep"})
    arguments = case.arguments()
    found = interpreted(kept)(*arguments)
    for a, b in zip(found, interpreted(case)(*case.arguments()), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    for a, b in zip(arguments, case.arguments(), strict=True):
        np.testing.assert_array_equal(a, b)
