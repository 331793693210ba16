"""Programs on eigenvalues, eigenvectors and singular values."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy._lib._array_api import np_compat as array_api

from tests.corpus.case import normal, row, uniform


def principal_components(x, count):
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / (len(x) - 1))
    scores = centred @ vectors[:, ::-1][:, :count]
    return np.sum(scores**3) + np.log(values[-1] / values[0])


def whitening(x):
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(centred.T))
    white = centred @ (vectors / np.sqrt(values)) @ vectors.T
    return np.sum(np.tanh(white) ** 3)


def laplacian_embedding(weights):
    adjacency = np.triu(weights, 1)
    adjacency = adjacency + adjacency.T
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    values, vectors = np.linalg.eigh(laplacian)
    return values[1] + np.sum(vectors[:, 1:3] ** 3)


def schroedinger(potential, h):
    n = len(potential)
    kinetic = (np.eye(n) - 0.5 * (np.eye(n, k=1) + np.eye(n, k=-1))) / h**2
    energies, states = np.linalg.eigh(kinetic + np.diag(potential))
    ground = states[:, 0] / np.sqrt(h)
    return energies[1] - energies[0] + np.sum(ground**4) * h


def noise_subspace(a, b):
    """What spans of equal eigenvalues depend on, and no vector of them: R. Schmidt's MUSIC, real and complex."""
    covariance = a @ a.T + 0.3 * np.eye(len(a))
    noise = np.linalg.eigh(covariance)[1][:, :-2]
    steered = a + 1j * b
    noise_of_both = np.linalg.eigh(steered @ np.conj(steered.T) + 0.3 * np.eye(len(a)))[1][:, :-2]
    both = np.abs(np.conj(noise_of_both.T) @ np.exp(1j * np.arange(len(a)))) ** 2
    return np.sum(np.tanh(noise @ noise.T)) - np.log(np.sum(both))


def two_levels(a, metric):
    """Spaces of equal values of two matrices, and of equal singular values on both sides."""
    levels = a @ a.T + np.eye(len(a))
    states = scipy.linalg.eigh(levels, np.diag(np.full(len(a), metric)))[1][:, :-2]
    u, _, vh = np.linalg.svd(levels)
    return np.sum((states @ states.T) ** 3) + np.sum((u[:, 2:] @ vh[2:]) ** 3)


def matrix_norms(a, b):
    return np.linalg.norm(a @ b, "nuc") + np.linalg.norm(a, 2) * np.linalg.cond(b)


def low_rank_residual(a, rank):
    return np.sqrt(np.sum(np.linalg.svd(a, compute_uv=False)[rank:] ** 2))


def aligned_points(x, y):
    rotation, scale = scipy.linalg.orthogonal_procrustes(x, y)
    return np.sum((x @ rotation - y) ** 4) + scale


def polar_factors(f):
    rotation, stretch = scipy.linalg.polar(f)
    return np.trace(rotation) ** 2 + np.sum((stretch - np.eye(len(f))) ** 3)


def propagated(rates, start):
    return np.sum(
        np.sin(scipy.linalg.expm(0.7 * rates) @ start) + scipy.linalg.sqrtm(rates.T @ rates + np.eye(3)) @ start
    )


def evolved(hamiltonian, state):
    step = scipy.linalg.expm(-1j * (hamiltonian + hamiltonian.T))
    stages = scipy.linalg.expm(np.stack([hamiltonian, 3.0 * hamiltonian.T]))
    damped = scipy.linalg.solve(hamiltonian + 1j * np.eye(3), np.stack([state, 1j * state]).T)
    kept = np.sum(np.abs(scipy.linalg.solve(step + step.T + np.eye(3), state, assume_a="sym")))
    return np.sum(np.abs(step @ state) ** 2 * np.arange(3)) + np.sum(np.sin(stages[:, 0])) + damped[0].real.sum() + kept


def superposed(p, q):
    """W. Kabsch's rotation of one set of points onto another."""
    p, q = p - p.mean(axis=0), q - q.mean(axis=0)
    u, s, vt = np.linalg.svd(p.T @ q)
    d = np.sign(np.linalg.det(vt.T @ u.T))
    rotation = vt.T @ np.diag([1.0, 1.0, d]) @ u.T
    return np.sqrt(np.sum((p @ rotation.T - q) ** 2)) + np.sum(s * [1.0, 1.0, d])


def decay_of_stacks(rates):
    values, vectors = np.linalg.eig(rates - 2.0 * np.eye(3))
    return np.sum(np.abs(values) ** 3) + np.sum(np.abs(vectors) ** 3) + np.sum(np.linalg.eigvals(rates).real ** 2)


def _is_stable(a):
    return max(np.real(np.linalg.eig(a)[0])) < -1e-9


def bounded_where_stable(a):
    """A function that asks twice whether eigenvalues are real, the second time on a side that data choose."""
    if not _is_stable(a):
        return np.inf
    assert _is_stable(a), "it is asked again"
    return np.sum(scipy.linalg.solve_lyapunov(a, -np.eye(2)) ** 2) + np.sum(scipy.linalg.eig(a, None)[0].real ** 2)


def by_the_array_api(a, b):
    x = array_api.linalg.solve(a, b) @ b.T + array_api.linalg.solve(a, b[:, 0])
    z = array_api.linalg.solve(a + 1j * np.eye(3), b)
    return np.sum(x**2) + np.sum(np.abs(z) ** 2)


def aligned_in_turn(x, y):
    """Singular vectors in a loop that is too long to be written out."""
    total, moved = 0.0, x
    for k in range(60):
        u, s, vt = np.linalg.svd(moved.T @ y)
        moved = 0.5 * moved @ (u @ vt) + 0.5 * np.roll(x, k, axis=0)
        total = total + s[0] - s[2]
    return total + np.sum(moved * y)


CASES = (
    row(aligned_in_turn, lambda: (normal(8, 6, 3), normal(9, 6, 3)), "x, y"),
    row(by_the_array_api, lambda: (normal(18, 3, 3), normal(19, 3, 2)), "a, b"),
    row(bounded_where_stable, lambda: (np.array([[0.0, 1.0], [-0.5, -0.2]]),), "a"),
    row(bounded_where_stable, lambda: (np.array([[-2.0, 1.0], [0.5, -0.8]]),), "a", tag="real"),
    row(decay_of_stacks, lambda: (normal(17, 2, 3, 3),), "rates"),
    row(superposed, lambda: (normal(13, 6, 3), normal(14, 6, 3)), "p, q"),
    row(principal_components, lambda: (normal(1, 7, 3) * [1.0, 2.0, 3.0], 2), "x"),
    row(whitening, lambda: (normal(2, 8, 3),), "x"),
    row(laplacian_embedding, lambda: (uniform(3, 5, 5),), "weights"),
    row(schroedinger, lambda: (uniform(4, 7), 0.6), "potential, h"),
    row(noise_subspace, lambda: (normal(20, 5, 2), normal(21, 5, 2)), "a, b"),
    row(two_levels, lambda: (normal(22, 5, 2), 2.0), "a"),
    row(matrix_norms, lambda: (normal(5, 4, 3), normal(6, 3, 3)), "a, b"),
    row(low_rank_residual, lambda: (normal(7, 4, 5), 2), "a"),
    row(aligned_points, lambda: (normal(8, 6, 3), normal(9, 6, 3)), "x, y"),
    row(polar_factors, lambda: (normal(10, 3, 3),), "f"),
    row(evolved, lambda: (normal(15, 3, 3), normal(16, 3)), "hamiltonian, state"),
    row(propagated, lambda: (normal(11, 3, 3), normal(12, 3)), "rates, start"),
)
