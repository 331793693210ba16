"""What the adjoint of a maximum compares is read, or computed again to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.gradient import Gradient
from daad.program.interpreted import Interpreted
from daad.request import Request
from daad.runtime import compile_program


def values(c, beta, n):
    reward = np.log(c)
    v = np.zeros(c.shape[1])
    for _ in range(n):
        v = np.max(reward + beta * v[None, :], axis=1)
    return np.sum(v)


ARGUMENTS = (np.random.default_rng(1).uniform(0.5, 2.0, (25, 25)), 0.95, 60)


def gradient_of(compiler: Any, **options: Any) -> Gradient:
    return Gradient(values, Request(wrt=("c", "beta"), **options), compiler=compiler)


def test_functions_are_not_computed_again_where_results_are_compared() -> None:
    kept = gradient_of(Interpreted)
    expected = kept(*ARGUMENTS)
    for given in ({"plan": "recompute"}, *({"memory_limit": kept.memory.modelled * k // 10} for k in (9, 7))):
        gradient = gradient_of(compile_program, **given)
        for one, other in zip(gradient(*ARGUMENTS), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)
        asked = [line for line in str(gradient.joint).splitlines() if "_ties[" in line.partition("+=")[0]]
        assert asked and not any("log(" in line for line in asked)
