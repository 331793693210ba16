"""What is not taken (a side of `where` or `if`, the smaller of two numbers) contributes nothing, not even a NaN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted


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


def index_that_one_condition_holds_inside(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] * x[i] if x[i - 1] > 0 else 0.0) if i >= 1 else 0.0
    return total


def root_of_the_larger(x):
    return np.sum(np.sqrt(np.maximum(x - 2, 0.0) * 2))


def root_of_the_smaller(x):
    return np.sum(np.sqrt(4 - np.minimum(x + 1, 4.0)))


def root_of_clipped(x):
    return np.sum(np.sqrt(2 - np.clip(x, 0.5, 2.0)))


def root_of_masked(x):
    return np.sum(np.sqrt((x > 1) * x))


def root_without_nan(x):
    return np.sum(np.sqrt(np.fmax(x - 2, 0.0))) + np.sum(np.sqrt(3 - np.fmin(x, 3.0)))


def larger_of_root(x):
    return np.sum(np.maximum(np.sqrt(x), 0.5))


def larger_of_held_root(x):
    root = np.sqrt(x)
    return np.sum(np.maximum(root, 0.5)) + np.max(root)


def masked_root(x):
    root = np.sqrt(x)
    return np.sum((x > 0) * root)


def largest_root(x):
    return np.max(np.sqrt(x))


def smallest_inverse(x):
    return np.min(1 / x)


def bounded_exponential(x):
    return np.sum(np.minimum(np.exp(1000 * x), 2.0))


def largest_so_far(x):
    return np.maximum.accumulate(np.sqrt(x))[2]


def overwritten_element(x):
    inverse = 1 / x
    inverse[0] = 0
    return np.sum(inverse)


def overwritten_diagonal(x):
    inverse = 1 / (x[:, None] - x[None, :])
    np.fill_diagonal(inverse, 0.0)
    return np.sum(inverse**2)


def overwritten_product(x):
    inverse = 1 / x
    power = x**-0.5
    product = 2 * inverse * np.cos(power)
    product[0] = 1.0
    return np.sum(product) - 2 * np.sum((inverse * np.cos(power))[1:]) + np.sum(product**2)


def overwritten_in_a_loop(x):
    logarithm = np.log(x)
    for k in range(1):
        logarithm[k] = 0.0
    return np.sum(logarithm)


X = np.array([0.0, 1.0, 4.0])
# Of (2 cos(x**-0.5) / x)**2 at 1 and 4:
OF_SQUARES = [8 * np.cos(x**-0.5) / x * (0.5 * x**-2.5 * np.sin(x**-0.5) - x**-2 * np.cos(x**-0.5)) for x in (1.0, 4.0)]
CASES: list[tuple[Callable, list[float]]] = [
    (in_one_expression, [0, 0.5, 0.25]),
    (through_a_variable, [0, 1, 0.5]),
    (through_two_variables, [0, 5, 4.5]),
    (quotient, [0, -3, -1 / 16 - 2 / 64]),
    (in_a_branch, [0, 1, (1 - np.log(4)) / 16]),
    (index_that_one_condition_holds_inside, [0, 0, 8]),
    (root_of_the_larger, [0, 0, 0.5]),
    (root_of_the_smaller, [-0.5 / 3**0.5, -0.5 / 2**0.5, 0]),
    (root_of_clipped, [0, -0.5, 0]),
    (root_of_masked, [0, 0, 0.25]),
    (root_without_nan, [-0.5 / 3**0.5, -0.5 / 2**0.5, 0.5 / 2**0.5]),
    (larger_of_root, [0, 0.5, 0.25]),
    (larger_of_held_root, [0, 0.5, 0.5]),
    (masked_root, [0, 0.5, 0.25]),
    (largest_root, [0, 0, 0.25]),
    (smallest_inverse, [0, 0, -1 / 16]),
    (bounded_exponential, [1000, 0, 0]),
    (largest_so_far, [0, 0, 0.25]),
    (overwritten_element, [0, -1, -1 / 16]),
    (overwritten_diagonal, [4 + 1 / 16, -4 + 4 / 27, -1 / 16 - 4 / 27]),
    (overwritten_product, [0, *OF_SQUARES]),
    (overwritten_in_a_loop, [0, 1, 0.25]),
]


@pytest.mark.parametrize(("function", "expected"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_untaken_side_contributes_nothing(function: Callable, expected: list[float]) -> None:
    gradient = Gradient(function, Request(), compiler=Interpreted)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)
