"""Second and third derivatives of values that a library finds by iteration: differences of those of one order less."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg

from daad.api.gradient import Gradient
from daad.api.products import Tangent
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported

WEIGHTS = np.array([[0.3, -1.1, 0.7], [1.9, 0.4, -0.6], [-0.2, 0.8, 1.3]])
SQUARE = np.array([[1.6, -0.4, 0.9], [0.5, -1.2, 0.3], [-0.8, 0.2, 2.1]])
TALL = np.vstack([SQUARE, WEIGHTS[:1]])


def eigenvalue(x):
    return np.linalg.eigh(x + x.T)[0][1]


def eigenvectors(x):
    return np.sum(np.linalg.eigh(x + x.T)[1] ** 3 * WEIGHTS)


def upper_eigenvectors(x):
    return np.sum(np.linalg.eigh(x, UPLO="U")[1] * WEIGHTS)


def singular_value(x):
    return np.linalg.svd(x, compute_uv=False)[1]


def smallest_of_wide(x):
    return np.linalg.norm(x.T, -2)


def polar(x):
    rotation, stretch = scipy.linalg.polar(x)
    return np.sum(rotation**3) + np.sum(stretch**2 * WEIGHTS)


def procrustes(x):
    rotation, scale = scipy.linalg.orthogonal_procrustes(x, x[:, ::-1] ** 2)
    return np.sum(rotation * WEIGHTS) + scale**2


def matrix_root(x):
    return np.sum(scipy.linalg.sqrtm(x.T @ x) * WEIGHTS)


def exponential(x):
    return np.sum(scipy.linalg.expm(x) * WEIGHTS)


PROGRAMS = [
    pytest.param(program, x, id=f"{program.__name__} of {len(x)} rows", marks=[] if is_quick else [pytest.mark.slow])
    for program, x, is_quick in (
        (eigenvalue, SQUARE, False),
        (eigenvectors, SQUARE, True),
        (upper_eigenvectors, SQUARE, False),
        (singular_value, SQUARE, False),
        (singular_value, TALL, False),
        (smallest_of_wide, TALL, False),
        (polar, TALL, False),
        (procrustes, TALL, False),
        (matrix_root, SQUARE, False),
        (exponential, SQUARE, False),
    )
]


@pytest.mark.parametrize(("program", "x"), PROGRAMS)
def test_derivatives_of_higher_order_are_differences(program: Callable[..., float], x: np.ndarray) -> None:
    directions = np.random.default_rng(3).normal(size=(2, *x.shape))
    gradient = Gradient(program, Request(), compiler=Interpreted)
    second = Gradient(gradient, Request(seed=directions[0]), compiler=Interpreted)
    for derivative in (gradient, second):
        product = Tangent(derivative, Request(product=Product.TANGENT), compiler=Interpreted)
        found, step = product(x, tangent=directions[1]), 2e-4 * directions[1]
        slopes = [(derivative(x + k * step) - derivative(x - k * step)) / (2 * k * 2e-4) for k in (1, 2)]
        expected = (4 * slopes[0] - slopes[1]) / 3
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.max(np.abs(expected)))


def singular_vectors(x):
    return np.sum(np.linalg.svd(x)[0] * WEIGHTS)


def test_second_derivatives_of_singular_vectors_are_refused() -> None:
    gradient = Gradient(singular_vectors, Request(), compiler=Interpreted)
    product = Tangent(gradient, Request(product=Product.TANGENT), compiler=Interpreted)
    with pytest.raises(Unsupported, match="Singular vectors have first derivatives only"):
        product(SQUARE, tangent=SQUARE)


def first_vector(a):
    return np.sum(np.abs(np.linalg.eigh(a @ a.T + np.eye(5))[1][:, 0]))


def test_one_vector_of_equal_eigenvalues_has_a_slope_without_bound() -> None:
    a = np.random.default_rng(0).normal(size=(5, 2))
    gradient = Gradient(lambda a: np.sum(np.abs(np.linalg.eigh(a @ a.T + np.eye(5))[1][:, 0])), Request())(a)
    assert np.max(np.abs(gradient)) > 1e200
