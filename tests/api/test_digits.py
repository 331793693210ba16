"""Gradients have the digits that the program allows: against complex steps in extended precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

STEP = np.longdouble(1e-300)
RANDOM = np.random.default_rng(0).standard_normal(6)
HUGE = np.finfo(np.longdouble).eps < 1e-18


def softmax(x):
    e = np.exp(x - x[2])
    return np.sum(e / np.sum(e) * np.arange(6.0))


def logarithm_of_a_sum(x):
    return np.log(np.sum(np.exp(x - x[0]))) + x[0]


def nearly_equal_numbers(x):
    centred = x - np.sum(x) / 6
    return np.sqrt(np.sum(centred * centred)) + np.sum(centred * centred * centred)


def quotients(x):
    return x[0] / (x[1] - x[2]) / x[3] + x[4] / (x[0] * x[0]) * (x[1] / x[5])


def sinc(x):
    return np.sum(np.sinc(x))


def exponentials(x):
    return np.sum(np.expm1(x) * 1e3)


def logarithms(x):
    return np.sum(np.log1p(x * x))


def elimination(x):
    """A tridiagonal system with `x` beside a diagonal of ones, solved without exchanging rows."""
    c, d = np.zeros_like(x), np.zeros_like(x)
    c[0], d[0] = x[0], x[0] * x[0]
    for k in range(1, 6):
        divided = 1.0 / (1.0 - c[k - 1] * x[k])
        c[k] = x[k] * divided
        d[k] = (x[k] * x[k] - d[k - 1] * x[k]) * divided
    for k in range(4, -1, -1):
        d[k] = d[k] - c[k] * d[k + 1]
    return np.sum(d)


def complex_steps(function: Callable, x: np.ndarray) -> np.ndarray:
    """The gradient as the program has it without rounding."""
    moved = np.asarray(x, dtype=np.clongdouble) + 1j * STEP * np.eye(len(x), dtype=np.clongdouble)
    return np.array([np.imag(function(point)) for point in moved]) / STEP


def largest_error(function: Callable, x: np.ndarray) -> float:
    """Relative to the largest element."""
    found = Gradient(function, Request(), compiler=Interpreted)(x.copy())
    wanted = complex_steps(function, x)
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))


CASES = [
    (softmax, RANDOM),
    (softmax, 100 * RANDOM),
    (logarithm_of_a_sum, RANDOM),
    (logarithm_of_a_sum, 50 * RANDOM),
    (nearly_equal_numbers, 1e3 + RANDOM),
    (quotients, RANDOM),
    (quotients, 1e-3 * RANDOM),
    (sinc, RANDOM),
    (sinc, 1e-3 * RANDOM),
    (sinc, np.linspace(-0.2, 0.2, 6)),
    (exponentials, RANDOM),
    (exponentials, -20 + RANDOM),
    (logarithms, 1e-9 * RANDOM),
    (elimination, 0.2 * RANDOM),
]


@pytest.mark.skipif(not HUGE, reason="'long double' is no longer than a double")
@pytest.mark.parametrize(("function", "x"), CASES)
def test_gradient_has_twelve_digits(function: Callable, x: np.ndarray) -> None:
    assert largest_error(function, x) < 1e-12


@pytest.mark.skipif(not HUGE, reason="'long double' is no longer than a double")
@pytest.mark.parametrize("pivot", [1e-2, 1e-4, 1e-6])
def test_small_pivot_costs_its_square(pivot: float) -> None:
    """The adjoint of an elimination without exchanges has terms of 1 / pivot**2, whose sum is about 1."""
    x = np.array([0.5, (1 - pivot) / 0.5, 0.7, 0.4, 0.6, 0.3])
    error = largest_error(elimination, x)
    assert error < 10 * np.finfo(float).eps / pivot**2
