"""What the adjoint of a maximum compares is read, or computed again to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported


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


def between(x, k):
    s = 0.0
    for i in range(k[0], k[1]):
        s += np.max(x * x) * i
    return s


def up_to(x, k):
    s = 0.0
    for i in range(1, k[1]):
        s += np.max(x * x) * i
    return s


@pytest.mark.parametrize("function", [between, up_to])
def test_data_that_end_a_loop_around_are_named_or_decide(function: Any) -> None:
    message = "The trip count of this loop depends on data, and values must be kept for each of its iterations."
    x, bounds = np.arange(4.0), np.array([2, 5])
    with pytest.raises(Unsupported, match=message):
        Gradient(function, Request(wrt="x", on_decision="refuse"), compiler=Interpreted)(x, bounds)
    weight = function(np.ones(1), bounds)  # of the largest square
    np.testing.assert_allclose(
        Gradient(function, Request(wrt="x"), compiler=Interpreted)(x, bounds), [0, 0, 0, 6 * weight]
    )
