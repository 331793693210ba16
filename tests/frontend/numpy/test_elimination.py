"""Linear systems by elimination: in blocks, once for a system and its adjoint, without squares of tall matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import daad
from daad.frontend.library.linear import FEW_ROWS

RANDOM = np.random.default_rng(5)
SIZE = FEW_ROWS + 7
A, B, W = RANDOM.normal(size=(SIZE, SIZE)), RANDOM.normal(size=SIZE), RANDOM.normal(size=SIZE)


def solved(a: Any, b: Any) -> Any:
    return np.sum(W * np.linalg.solve(a, b))


def logarithm(a: Any) -> Any:
    sign, value = np.linalg.slogdet(a)
    return sign * a[0, 1] + value


def test_systems_in_blocks() -> None:
    value, (a_bar, b_bar) = daad.value_and_grad(solved, wrt=("a", "b"))(A, B)
    assert value == pytest.approx(solved(A, B), rel=1e-10)
    expected = np.linalg.solve(A.T, W)
    np.testing.assert_allclose(b_bar, expected, rtol=1e-9)
    np.testing.assert_allclose(a_bar, -np.outer(expected, np.linalg.solve(A, B)), rtol=1e-9, atol=1e-10)


def test_a_system_and_its_adjoint_have_one_factorisation() -> None:
    gradient = daad.grad(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), wrt=("a", "b"))
    gradient(A[:6, :6].copy(), B[:6])
    assert str(gradient.joint).count("absolute(") == 1  # the search for pivots


@pytest.mark.parametrize("size", [2, 5, SIZE])
def test_logarithm_of_the_determinant(size: int) -> None:
    a, direction = A[:size, :size].copy(), RANDOM.normal(size=(size, size))
    for matrix in (a, a[::-1].copy()):
        value, gradient = daad.value_and_grad(logarithm)(matrix)
        assert value == pytest.approx(logarithm(matrix), rel=1e-12)
        at = [logarithm(matrix + k * 1e-5 * direction) for k in (-1, 1)]
        assert np.sum(gradient * direction) == pytest.approx((at[1] - at[0]) / 2e-5, rel=1e-6)


def test_second_derivative_of_the_logarithm_of_the_determinant() -> None:
    a, v = A[:4, :4].copy(), RANDOM.normal(size=(4, 4))
    inverse = np.linalg.inv(a)
    found = daad.hvp(lambda a: np.linalg.slogdet(a)[1])(a, tangent=v)
    np.testing.assert_allclose(found, -(inverse @ v @ inverse).T, rtol=1e-9)


def test_long_series_have_no_square_matrix() -> None:
    plan = daad.plan(lambda x: np.sum(x * scipy.signal.detrend(x)), (np.linspace(0.0, 1.0, 20_000),))
    assert plan.nbytes < 20_000 * 8 * 32


def test_second_derivatives_of_determinants_of_low_rank_are_refused() -> None:
    """Where the rank is lower by one they are right."""
    move = np.cos(np.arange(9.0)).reshape(3, 3)
    product = daad.hvp(lambda a: np.linalg.det(a))
    with pytest.raises(daad.Unsupported, match="first derivatives only"):
        product(np.ones((3, 3)), tangent=move)
    a, gradient = np.diag([1.0, 2.0, 0.0]), daad.grad(lambda a: np.linalg.det(a))
    expected = (gradient(a + 1e-4 * move) - gradient(a - 1e-4 * move)) / 2e-4
    np.testing.assert_allclose(product(a, tangent=move), expected, atol=1e-7)
