"""Matrices with equal eigenvalues or singular values, with nothing below the diagonal, and complex ones whose vectors
have any phase: right, or not a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

_random = np.random.default_rng(5)
N = 3
WEIGHTS, MOVE, SIDE = (_random.normal(size=(N, N)) for _ in range(3))
TURN, OTHER = (np.linalg.qr(_random.normal(size=(N, N)))[0] for _ in range(2))
AXES = np.linalg.qr(_random.normal(size=(5, N)))[0]
COLUMN = _random.normal(size=N)


def shell(*values):
    return TURN @ np.diag(values) @ TURN.T


def polar(a):
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(WEIGHTS * (u @ vh)[:N])


def polar_of_complex(a):
    u, _, vh = np.linalg.svd(a + 0.0j, full_matrices=False)
    return np.sum(WEIGHTS * (u @ vh)[:N].real)


def evolved(a):
    """A state after a while, in the energies that are known: their vectors have any phases."""
    energies, v = np.linalg.eigh(a + 1j * (SIDE - SIDE.T) * (a - np.diag(np.diagonal(a))))
    amplitudes = v @ (np.exp(-1j * energies) * (np.conj(v.T) @ (COLUMN + 1j)))
    return np.sum(np.abs(amplitudes) ** 2 * np.arange(N))


def space(a):
    _, v = np.linalg.eigh(a)
    return np.sum(WEIGHTS * (v[:, :2] @ v[:, :2].T))


def space_beside_values(a):
    w, v = np.linalg.eigh(a)
    return np.sum(WEIGHTS * (v[:, 2:] @ v[:, 2:].T)) + w[2] / np.sum(w)


def inverse_where_it_is_safe(a):
    w, v = np.linalg.eigh(a)
    is_safe = w > 1e-8
    return np.sum(WEIGHTS * ((v * np.where(is_safe, 1.0 / np.where(is_safe, w, 1.0), 0.0)) @ v.T))


def values_alone(a):
    return np.sum(np.linalg.eigh(a)[0]) + np.linalg.norm(a, "nuc")


def pseudo_inverse(a):
    return np.sum(WEIGHTS * np.linalg.pinv(a)[:, :N])


def least_squares(a):
    return np.sum(WEIGHTS * np.linalg.lstsq(a, SIDE if len(a) == N else AXES, rcond=None)[0])


def of_scipy(a):
    return np.sum(WEIGHTS * (scipy.linalg.sqrtm(a) + scipy.linalg.logm(a) + scipy.linalg.expm(a)))


RIGHT = {
    "a rotation that is made orthogonal": (polar, OTHER),
    "the identity that is made orthogonal": (polar, np.eye(N)),
    "two singular values alike": (polar, OTHER @ np.diag([2.0, 2.0, 3.0]) @ TURN),
    "tall, orthonormal": (polar, AXES),
    "made orthogonal among complex ones": (polar_of_complex, OTHER),
    "tall, among complex ones": (polar_of_complex, AXES @ np.diag([2.0, 2.0, 1.0])),
    "evolved by a diagonal": (evolved, np.diag([1.0, 2.0, 3.5])),
    "evolved in blocks": (evolved, np.array([[1.0, 0.5, 0.0], [0.5, 2.0, 0.0], [0.0, 0.0, 5.0]])),
    "a space of two": (space, shell(2.0, 2.0, 3.0)),
    "what is left of rank 1": (space_beside_values, shell(0.0, 0.0, 3.0)),
    "an inverse where it is safe": (inverse_where_it_is_safe, np.outer(COLUMN, COLUMN)),
    "values alone": (values_alone, shell(2.0, 2.0, 3.0)),
    "inverse of a multiple of the identity": (pseudo_inverse, 2.0 * np.eye(N)),
    "inverse of an upper triangle": (pseudo_inverse, np.triu(SIDE) + 3.0 * np.eye(N)),
    "inverse of a tall diagonal": (pseudo_inverse, np.eye(5, N) * [1.0, -2.0, 3.0]),
    "solved with a diagonal": (least_squares, np.diag([1.0, -2.0, 3.0])),
    "solved with a tall diagonal": (least_squares, np.eye(5, N) * [1.0, -2.0, 3.0]),
    "functions of SciPy's": (of_scipy, shell(2.0, 2.0, 3.0)),
}


def move_of(a):
    """A direction that keeps what the functions need: symmetry, and the rank."""
    if a.shape != (N, N) or not np.allclose(a, a.T):
        return _random.normal(size=a.shape)
    move = np.outer(COLUMN, MOVE[0]) if np.linalg.matrix_rank(a) == 1 and not np.allclose(a[0], 0) else MOVE
    return move + move.T


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_are_right(name: str) -> None:
    f, a = RIGHT[name]
    move, step = move_of(a), 1e-5
    if name == "what is left of rank 1":
        move = np.outer(TURN[:, 2], MOVE[0]) + np.outer(MOVE[0], TURN[:, 2])
    found = np.sum(Gradient(f, Request(wrt=("a",)), compiler=Interpreted)(a) * move)
    np.testing.assert_allclose(found, (f(a + step * move) - f(a - step * move)) / (2.0 * step), rtol=1e-6, atol=1e-8)


def function_of(values: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], float]:
    def loss(a):
        w, v = np.linalg.eigh(a)
        return np.sum(WEIGHTS * ((v * values(w)) @ v.T))

    return loss


def shrunk(a):
    u, s, vh = np.linalg.svd(a)
    return np.sum(WEIGHTS * ((u * np.maximum(s - 0.1, 0.0)) @ vh))


def one_element(a):
    w, v = np.linalg.eigh(a)
    return ((v * np.sqrt(w)) @ v.T)[0, 1]


def logarithm_summed(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.log(w)) @ v.T)


def phase(a):
    _, v = np.linalg.eigh(a + 1j * (SIDE - SIDE.T) * (a - np.diag(np.diagonal(a))))
    return v[1, 1].imag


def of_hermitian(a):
    w, v = np.linalg.eigh(a + 0.0j)
    return np.sum(WEIGHTS * ((v * np.sqrt(w)) @ np.conj(v.T)).real)


UNKNOWN = {
    "a root": (function_of(np.sqrt), shell(2.0, 2.0, 3.0)),
    "a root of single precision": (function_of(np.sqrt), 2.0 * np.eye(N, dtype=np.float32)),
    "a logarithm of the identity": (function_of(np.log), np.eye(N)),
    "that logarithm, summed": (logarithm_summed, np.eye(N)),
    "one element": (one_element, 2.0 * np.eye(N)),
    "occupations": (function_of(lambda w: 1.0 / (1.0 + np.exp(w - 2.5))), shell(2.0, 2.0, 3.0)),
    "singular values that shrink": (shrunk, 2.0 * OTHER),
    "of a Hermitian matrix": (of_hermitian, shell(2.0, 2.0, 3.0)),
    "the phase of a vector whose first element is zero": (phase, np.diag([1.0, 2.0, 3.5])),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_unknown_is_not_a_number(name: str) -> None:
    """Functions of matrices have a derivative, which neither the adjoint of the vectors nor that of the values says."""
    f, a = UNKNOWN[name]
    assert np.any(np.isnan(Gradient(f, Request(wrt=("a",)), compiler=Interpreted)(a)))
    apart = (a + np.diag([0.0, 0.1, 0.3]) + 0.01).astype(a.dtype)
    assert np.all(np.isfinite(Gradient(f, Request(wrt=("a",)), compiler=Interpreted)(apart)))


def test_products_are_right_where_a_rotation_is_made_orthogonal() -> None:
    _, tangent = daad.jvp(polar)(OTHER, tangent=MOVE)
    np.testing.assert_allclose(tangent, (polar(OTHER + 1e-5 * MOVE) - polar(OTHER - 1e-5 * MOVE)) / 2e-5, rtol=1e-6)


def test_second_derivatives_of_least_squares_are_right_with_a_diagonal() -> None:
    a = np.diag([1.0, -2.0, 3.0])
    gradient = daad.grad(least_squares)
    expected = (gradient(a + 1e-5 * MOVE) - gradient(a - 1e-5 * MOVE)) / 2e-5
    np.testing.assert_allclose(daad.hvp(least_squares)(a, tangent=MOVE), expected, rtol=1e-5, atol=1e-8)


def test_products_are_unknown_where_gradients_are() -> None:
    f, a = UNKNOWN["a root"]
    assert np.isnan(daad.jvp(f)(a, tangent=MOVE)[1])
    assert np.isfinite(daad.jvp(space)(a, tangent=MOVE + MOVE.T)[1])
