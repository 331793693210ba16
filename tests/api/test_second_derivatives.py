"""Second derivatives where the first adjoint is zero: at a perfect fit, beside sides that were not taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.products import Tangent
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

ONES = np.ones(2)


def gradient(function: Any) -> Gradient:
    return Gradient(function, Request(wrt="x"), compiler=Interpreted)


def root(x):
    return np.sum((np.sqrt(x) - 1.0) ** 2)


def power(x):
    return np.sum((x**0.5 - 1.0) ** 2 * x)


def angle(x):
    return np.sum((np.arcsin(0.5 * x) - np.arcsin(0.5)) ** 2)


def distance(x):
    return (np.hypot(x[0], x[1]) - np.sqrt(2.0)) ** 2


def clipped(x):
    return np.sum(np.where(x > 0.0, np.log(np.where(x > 0.0, x, 1.0)), 0.0) ** 2)


def a_side_taken(x):
    y = x * 1.0
    if x[0] > 0.0:
        y = np.log(x)
    return np.sum(y * y)


def a_side_not_taken(x):
    y = x - 2.0
    z = np.where(y > 0.0, np.sqrt(y), y)
    return np.sum((z + 1.0) ** 2)


def cubed(x):
    return np.sum((np.sqrt(x) - 1.0) ** 3)


def inverses_until(x):
    p = np.array([[x[0], 0.1], [0.1, 2.0 * x[1]]])
    for _ in range(12):
        p = np.linalg.inv(2.0 * p)
        if p[0, 0] > 1e9:
            break
    return np.sum(p * p)


AT_ZERO: list[Callable[..., Any]] = [
    root,
    power,
    angle,
    distance,
    clipped,
    a_side_taken,
    a_side_not_taken,
    cubed,
    inverses_until,
]


@pytest.mark.parametrize("function", AT_ZERO, ids=lambda f: f.__name__)
def test_an_adjoint_of_zero_has_a_derivative(function: Callable[..., Any]) -> None:
    first, step, along = gradient(function), 1e-5, np.array([1.0, -0.5])
    product = Tangent(first, Request(wrt="x", product=Product.TANGENT), compiler=Interpreted)
    difference = (first(ONES + step * along) - first(ONES - step * along)) / (2.0 * step)
    np.testing.assert_allclose(product(ONES, tangent=along), difference, rtol=1e-6, atol=1e-8)


def fit(x):
    return (np.sqrt(x) - 1.0) ** 2


def finer_fit(x):
    return (np.sqrt(x) - 1.0) ** 3


@pytest.mark.parametrize(("function", "right"), [(fit, [0.0, 0.5, -0.75]), (finer_fit, [0.0, 0.0, 0.75])])
def test_so_it_has_at_every_order(function: Callable[..., Any], right: list[float]) -> None:
    derivative = function
    for order in right:
        derivative = gradient(derivative)
        assert derivative(1.0) == pytest.approx(order, abs=1e-14)
