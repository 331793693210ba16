"""`scipy.sparse.linalg.cg` of dense matrices, which is compiled: values, derivatives, and what does not converge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import daad

RANDOM = np.random.default_rng(3)
HALF = RANDOM.normal(size=(6, 6))
A, B, W = HALF @ HALF.T + np.eye(6), RANDOM.normal(size=6), RANDOM.normal(size=6)
A_DOT, B_DOT = RANDOM.normal(size=(6, 6)), RANDOM.normal(size=6)


def solved(a: Any, b: Any) -> Any:
    return np.sum(W * sla.cg(a, b, rtol=1e-12)[0] ** 2)


def loosely(a: Any, b: Any) -> Any:
    return np.sum(W * sla.cg(a, b, rtol=0.1, atol=1e-3, maxiter=6)[0])


def exact(a: Any, b: Any) -> Any:
    return np.sum(W * np.linalg.solve(a, b) ** 2)


def test_derivatives_are_those_of_the_solution() -> None:
    value, gradients = daad.value_and_grad(solved, wrt=("a", "b"))(A, B)
    assert value == pytest.approx(solved(A, B), rel=1e-10)
    for found, expected in zip(gradients, daad.grad(exact, wrt=("a", "b"))(A, B), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    slope = (exact(A + 1e-6 * A_DOT, B + 1e-6 * B_DOT) - exact(A - 1e-6 * A_DOT, B - 1e-6 * B_DOT)) / 2e-6
    assert np.sum(gradients[0] * A_DOT) + gradients[1] @ B_DOT == pytest.approx(slope, rel=1e-6)
    assert daad.jvp(solved, wrt=("a", "b"))(A, B, tangent=(A_DOT, B_DOT))[1] == pytest.approx(slope, rel=1e-6)
    products = [daad.hvp(function, wrt="b")(A, B, tangent=B_DOT) for function in (solved, exact)]
    np.testing.assert_allclose(products[0], products[1], rtol=1e-8)


def test_values_are_scipys_where_the_search_ends_early() -> None:
    value, gradient = daad.value_and_grad(loosely, wrt="b")(A, B)
    assert value == pytest.approx(loosely(A, B), rel=1e-12)
    np.testing.assert_allclose(gradient, np.linalg.solve(A.T, W), rtol=1e-9)


def test_systems_beyond_the_search_are_solved_by_elimination_for_the_derivative() -> None:
    scales = np.diag(10.0 ** np.arange(0, 12, 2))
    steep = scales @ A @ scales  # the search of its adjoint does not come to rounding

    def near(b: Any) -> Any:
        return np.sum(W * sla.cg(steep, b, rtol=0.5)[0])

    np.testing.assert_allclose(daad.grad(near)(steep[:, 5]), np.linalg.solve(steep.T, W), rtol=1e-3)


def test_what_has_not_converged_has_no_derivative() -> None:
    def once(b: Any) -> Any:
        return np.sum(sla.cg(A, b, rtol=1e-12, maxiter=2)[0])

    with pytest.raises(daad.Unsupported, match="'cg' has not converged: there is no derivative"):
        daad.grad(once)(B)


def test_zero_has_the_solution_zero() -> None:
    np.testing.assert_allclose(daad.grad(loosely, wrt="b")(A, 0.0 * B), np.linalg.solve(A.T, W), rtol=1e-9)
