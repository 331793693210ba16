"""What a rule reads as its operation's result comes from the tape where it is kept for another reader anyway."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted


def weighted(x, y, scale):  # type: ignore[no-untyped-def]
    total, weights = np.zeros_like(x), np.zeros_like(x)
    for k in range(3):
        w = np.exp(x * scale[k])
        total += w * y
        weights += w
    return np.sum(total / weights)


def alone(x, y, scale):  # type: ignore[no-untyped-def]
    total = np.zeros_like(x)
    for k in range(3):
        total += np.exp(x * scale[k])
    return np.sum(total * y)


@pytest.mark.parametrize(("function", "times"), [(weighted, 1), (alone, 2)])
def test_a_function_is_not_computed_again_where_its_result_is_kept(function, times) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    arguments = (rng.random(5), rng.random(5), rng.random(3))
    gradient = Gradient(function, Request(wrt=("x", "y", "scale")), compiler=Interpreted)
    gradient(*arguments)
    assert sum("exp(" in line for line in str(gradient.joint).splitlines()) == times
    assert daad.check(function, arguments, wrt=("x", "y", "scale"), plans="all")
