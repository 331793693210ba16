"""Linear solvers, factorisations and eigenvalue iterations, written by hand."""

from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import normal, row, uniform


def thomas_algorithm(lower, diagonal, upper, rhs):
    """Tridiagonal solve, in place in the right-hand side and the upper diagonal."""
    n = len(rhs)
    upper[0] = upper[0] / diagonal[0]
    rhs[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * upper[i - 1]
        upper[i] = upper[i] / pivot
        rhs[i] = (rhs[i] - lower[i] * rhs[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        rhs[i] -= upper[i] * rhs[i + 1]
    return np.sum(rhs**2)


def cholesky_and_substitution(A, b):
    """Factor by loops, forward and back substitution."""
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = math.sqrt(A[j, j] - np.sum(L[j, :j] ** 2))
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - np.sum(L[i, :j] * L[j, :j])) / L[j, j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = (b[i] - L[i, :i] @ y[:i]) / L[i, i]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - L[i + 1 :, i] @ x[i + 1 :]) / L[i, i]
    return np.sum(x**2) + np.sum(np.log(np.diag(L)))


def gaussian_elimination(A, b):
    """Elimination with partial pivoting on copies of the data."""
    A = A.copy()
    b = b.copy()
    n = len(b)
    for k in range(n - 1):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if pivot != k:
            row_k = A[k].copy()
            A[k] = A[pivot]
            A[pivot] = row_k
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x * x)


def householder_qr(A):
    """R of a reflection-based factorisation, in place."""
    for k in range(A.shape[1]):
        v = A[k:, k].copy()
        v[0] += np.copysign(np.sqrt(v @ v), v[0])
        v /= np.sqrt(v @ v)
        A[k:, k:] -= 2.0 * np.outer(v, v @ A[k:, k:])
    return np.sum(np.abs(np.diag(A))) + np.sum(np.triu(A, 1) ** 3)


def conjugate_gradients(A, b, iterations):
    """A fixed number of iterations."""
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(iterations):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rs_new = r @ r
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x @ b


def power_iteration(A, v, iterations):
    """Rayleigh quotient after a few normalised products."""
    for _ in range(iterations):
        w = A @ v
        v = w / np.sqrt(np.sum(w**2))
    return v @ A @ v


def jacobi_rotation_sweep(A):
    """One sweep of two-sided rotations towards a diagonal matrix."""
    n = A.shape[0]
    for p in range(n - 1):
        for q in range(p + 1, n):
            theta = 0.5 * np.arctan2(2 * A[p, q], A[q, q] - A[p, p])
            c, s = np.cos(theta), np.sin(theta)
            J = np.eye(n)
            J[p, p] = c
            J[q, q] = c
            J[p, q] = s
            J[q, p] = -s
            A = J.T @ A @ J
    return np.sum(np.diag(A) ** 3)


def sparse_matrix_vector(values, columns, row_starts, x):
    """Compressed rows; the bounds of the inner loop are data."""
    y = np.zeros(len(row_starts) - 1)
    for i in range(len(y)):
        for k in range(row_starts[i], row_starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
    return np.sum(y**2)


def multigrid_two_levels(u, f):
    """Smooth, restrict the residual, correct, smooth again."""

    def smooth(v, g, h):
        for _ in range(2):
            v[1:-1] = 0.5 * v[1:-1] + 0.25 * (v[:-2] + v[2:] + h * h * g[1:-1])

    n = len(u) - 1
    h = 1.0 / n
    smooth(u, f, h)
    r = np.zeros(n + 1)
    r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
    coarse = np.zeros(n // 2 + 1)
    coarse[1:-1] = 0.25 * (r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2])
    e = np.zeros_like(coarse)
    smooth(e, coarse, 2 * h)
    u[::2] += e
    u[1::2] += 0.5 * (e[:-1] + e[1:])
    smooth(u, f, h)
    return np.sum(u * u)


def finite_elements_assembly(x, stiffness, load):
    """Element by element assembly, then a dense elimination without pivots."""
    n = len(x)
    K = np.zeros((n, n))
    F = np.zeros(n)
    for e in range(n - 1):
        h = x[e + 1] - x[e]
        k = stiffness[e] / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
        K[e : e + 2, e : e + 2] += k
        F[e : e + 2] += 0.5 * h * load[e]
    K[0, :] = 0.0
    K[0, 0] = 1.0
    F[0] = 0.0
    for k in range(n):
        for i in range(k + 1, n):
            factor = K[i, k] / K[k, k]
            K[i, k:] -= factor * K[k, k:]
            F[i] -= factor * F[k]
    u = np.zeros(n)
    for i in range(n - 1, -1, -1):
        u[i] = (F[i] - np.dot(K[i, i + 1 :], u[i + 1 :])) / K[i, i]
    return np.sum(u**2)


def beam_assembly(x, load):
    """Two unknowns for each node; rows and columns of an element by their numbers, and of the free ones by a list."""
    n = 2 * (len(x) + 1)
    k, f = np.zeros((n, n)), np.zeros(n)
    for e in range(len(x)):
        own = np.arange(2 * e, 2 * e + 4)
        element = x[e] * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
        k[np.ix_(own, own)] += element
        f[own] += load * np.array([6, 1, 6, -1]) / 12
    free = [i for i in range(n) if i not in (0, 1)]
    stiffness = k[np.ix_(free, free)]
    return f[free] @ stiffness @ f[free] + np.sum(k[np.ix_([0, 1], free)] ** 2)


def positive_definite(seed, n):
    a = normal(seed, n, n)
    return a @ a.T + n * np.eye(n)


def symmetric(seed, n):
    a = normal(seed, n, n)
    return a + a.T + np.diag(np.arange(n) * 2.0)


CASES = (
    row(
        thomas_algorithm,
        lambda: (normal(1, 6), 5 + uniform(2, 6), normal(3, 6), normal(4, 6)),
        "lower, diagonal, upper, rhs",
    ),
    row(cholesky_and_substitution, lambda: (positive_definite(1, 4), normal(2, 4)), "A, b"),
    row(gaussian_elimination, lambda: (normal(1, 4, 4), normal(2, 4)), "A, b"),
    row(householder_qr, lambda: (normal(1, 5, 3),), "A"),
    row(conjugate_gradients, lambda: (positive_definite(1, 5), normal(2, 5), 3), "A, b"),
    row(beam_assembly, lambda: (uniform(1, 3), 0.7), "x, load"),
    row(power_iteration, lambda: (symmetric(1, 4), normal(2, 4), 4), "A, v"),
    row(jacobi_rotation_sweep, lambda: (symmetric(1, 4),), "A"),
    row(
        sparse_matrix_vector,
        lambda: (normal(1, 7), np.array([0, 3, 1, 2, 3, 0, 2]), np.array([0, 2, 3, 5, 7]), normal(2, 4)),
        "values, x",
    ),
    row(multigrid_two_levels, lambda: (normal(1, 9), normal(2, 9)), "u, f"),
    row(
        finite_elements_assembly,
        lambda: (np.array([0.0, 0.8, 1.7, 2.9, 3.6]), uniform(1, 4), normal(2, 4)),
        "x, stiffness, load",
    ),
)
