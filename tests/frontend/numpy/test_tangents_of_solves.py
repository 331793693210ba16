"""What Python computes at run time has tangents: what adjoints of unit seeds say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, linalg, optimize, sparse, spatial
from scipy.sparse.linalg import eigsh, spsolve

import daad
from daad.frontend.python.calls import solved_calls

A = np.array([[-1.4, 0.3, 0.1], [0.2, -1.1, 0.8], [0.6, 0.7, -1.5]])
B = np.array([[0.9, 0.6], [0.2, 0.7], [0.5, 0.3]])
BANDS = np.array([[0.0, 1.0, 2.0, 1.0], [4.0, 5.0, 6.0, 7.0], [1.0, 1.0, 2.0, 0.0]])
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.6]])
P = np.array([1.1, 0.9, 1.3])
P_DOT = np.array([0.3, -0.2, 0.5])


def sparse_system(p):
    matrix = sparse.csc_matrix((np.array([4.0, 5.0, 6.0, 1.0]) * p[0], ([0, 1, 2, 0], [0, 1, 2, 1])), shape=(3, 3))
    return spsolve(matrix, np.arange(3.0) * p[1] + p[2])


SOLVES: dict[str, Callable[[Any], Any]] = {
    "Riccati": lambda p: linalg.solve_continuous_are(A * p[0], B, np.eye(3) * p[1], np.eye(2) * p[2]),
    "Riccati, discrete": lambda p: linalg.solve_discrete_are(0.3 * A * p[0], B, np.eye(3) * p[1], np.eye(2) * p[2]),
    "Lyapunov": lambda p: linalg.solve_continuous_lyapunov(A * p[0], np.eye(3) * p[1] + p[2]),
    "Sylvester": lambda p: linalg.solve_sylvester(A * p[0], A.T * p[2] - np.eye(3), np.eye(3) * p[1] + p[2]),
    "a root of a matrix": lambda p: linalg.sqrtm(A @ A.T * p[0] + p[1] * np.eye(3)) * p[2],
    "bands": lambda p: linalg.solve_banded((1, 1), BANDS * p[0], np.arange(4.0) * p[1] + p[2]),
    "Toeplitz": lambda p: linalg.solve_toeplitz(np.array([4.0, 1.0, 0.5]) * p[0], np.arange(3.0) + p[1]) * p[2],
    "a sparse system": sparse_system,
    "a surface": lambda p: interpolate.griddata(PLACES, np.sin(PLACES[:, 0] * p[0]), PLACES[4:] * p[1], "cubic") * p[2],
    "sparse eigenvalues": lambda p: eigsh(sparse.csc_matrix(np.diag(np.arange(1.0, 9.0)) * p[0] + p[1]), k=2)[0] * p[2],
    "a linear program": lambda p: optimize.linprog(-p, A_ub=np.eye(3) + 0.1, b_ub=p + 1.0).x,
    "a hull": lambda p: np.array([spatial.ConvexHull(PLACES * p[0]).volume * p[1] * p[2]]),
}


@pytest.mark.parametrize("name", SOLVES)
def test_tangents_match_differences(name: str) -> None:
    solve = SOLVES[name]

    def loss(p):
        return np.sum(np.sin(solve(p)))

    step = 1e-5
    slope = (loss(P + step * P_DOT) - loss(P - step * P_DOT)) / (2 * step)
    assert abs(slope) > 1e-3, "the test sees nothing"
    value, tangent = daad.jvp(loss)(P, tangent=P_DOT)
    assert value == pytest.approx(loss(P), rel=1e-12)
    assert tangent == pytest.approx(slope, rel=1e-6)
    assert daad.grad(loss)(P) @ P_DOT == pytest.approx(slope, rel=1e-6)


def test_reverse_mode_makes_no_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: Any) -> Any:
        raise AssertionError("a Jacobian is made")

    monkeypatch.setattr(solved_calls, "_rows", unwanted)
    assert np.isfinite(
        daad.grad(lambda p: np.sum(linalg.solve_continuous_lyapunov(A * p[0], np.eye(3) * p[1])))(P)
    ).all()


def test_a_jacobian_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_calls, "MOST_SLOPES", 50)
    with pytest.raises(daad.Unsupported, match="is one that Python is called for, so that it has no tangent"):
        daad.jvp(lambda p: np.sum(linalg.solve_continuous_lyapunov(A * p[0], np.eye(3) * p[1])))(P, tangent=P_DOT)
