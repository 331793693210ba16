"""A side of `where` or `if` that is not taken contributes nothing, not even a NaN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from daad.gradient import Gradient
from daad.program.interpreted import Interpreted
from daad.specialise import Request


def in_one_expression(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def through_a_variable(x):
    root = np.sqrt(x)
    return np.sum(np.where(x > 0, 2 * root, 0.0)) + 0 * root[2]


def through_two_variables(x):
    root = np.sqrt(x)
    twice = 2 * root
    squared = twice * twice
    return np.sum(np.where(x > 0, squared, 0.0)) + np.sum(np.where(x > 0, twice, 0.0))


def quotient(x):
    inverse = 1 / x
    return np.sum(np.where(x > 0, inverse, 0.0)) + np.sum(np.where(x > 0, inverse * inverse, 0.0))


def in_a_branch(x):
    inverse, logarithm = 1 / x, np.log(x)
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            total += inverse[i] * logarithm[i]
    return total


X = np.array([0.0, 1.0, 4.0])
CASES: list[tuple[Callable, list[float]]] = [
    (in_one_expression, [0, 0.5, 0.25]),
    (through_a_variable, [0, 1, 0.5]),
    (through_two_variables, [0, 5, 4.5]),
    (quotient, [0, -3, -1 / 16 - 2 / 64]),
    (in_a_branch, [0, 1, (1 - np.log(4)) / 16]),
]


@pytest.mark.parametrize(("function", "expected"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_untaken_side_contributes_nothing(function: Callable, expected: list[float]) -> None:
    gradient = Gradient(function, Request(), compiler=Interpreted)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)
