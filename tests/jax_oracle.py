"""Gradients of the benchmark's kernels by JAX, from this repository's JAX versions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npbench_runs import kernel as suite
from tests.corpus.case import Case
from tests.oracle import positions


def jax_with_float64() -> Any:
    """JAX, computing in the precision of its arguments."""
    jax = pytest.importorskip("jax", reason="JAX is in the extra 'bench'")
    jax.config.update("jax_enable_x64", True)
    return jax


def jax_gradient(name: str, case: Case) -> tuple[np.ndarray, ...]:
    """The gradient of the seeded output of a kernel of the suite; integer arguments are constants."""
    jax = jax_with_float64()
    kernel = suite.load(name).jax_function()
    arguments, places = case.arguments(), positions(case.function, case.wrt)

    def loss(*active: Any) -> Any:
        everything = list(arguments)
        for place, value in zip(places, active, strict=True):
            everything[place] = value
        return (kernel(*everything) * case.seed).sum()

    gradient = jax.jit(jax.grad(loss, argnums=tuple(range(len(places)))))
    return tuple(np.asarray(g) for g in gradient(*(arguments[place] for place in places)))


def assert_close(found: Any, wanted: Any, rtol: float) -> None:
    """Equal up to `rtol` of each element and of the largest one."""
    scale = np.max(np.abs(wanted), initial=0.0)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * scale)
