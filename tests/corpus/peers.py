"""Small programs on which other compilers, DaCe's own autodiff among them, are wrong or give up."""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def gather_times_self(A, B, idx):
    for i in range(len(idx)):
        B[i] = A[idx[i]] * A[i]


def gather_whole_array(A, B, idx):
    B[:] = A[idx] * A
    return np.sum(B * B)


def if_else_in_loop(A, B):
    for i in range(A.shape[0]):
        if A[i] > 0.0:
            B[i] = A[i] * A[i]
        else:
            B[i] = 3.0 * A[i]


def if_else_with_accumulation(A, B):
    s = 0.0
    for i in range(A.shape[0]):
        if B[i] > 1.0:
            s = s + A[i] * s + A[i]
        else:
            s = s - B[i] * A[i]
    return s


def if_else_overwrites_its_condition(A):
    for i in range(1, A.shape[0]):
        if A[i - 1] > A[i]:
            A[i] = A[i] * A[i - 1]
        else:
            A[i - 1] = A[i] ** 2
    return np.sum(A * A)


def sum_of_squares(A):
    return np.sum(A * A)


def maximum_of_square(A):
    return np.sum(np.maximum(A * A, 1))


def triangular_double_loop(A, B):
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            B[i] += A[i, j] * A[j, i]
    return np.sum(B * B)


def triangular_matrix_product(A, B, alpha):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def levinson_durbin(r):
    n = r.shape[0]
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def vertical_advection(utens, u, wcon, upos, dtr):
    K = u.shape[0]
    ccol = np.zeros_like(u)
    dcol = np.zeros_like(u)
    for k in range(K):
        if k == 0:
            gcv = 0.25 * (wcon[k + 1] + wcon[k])
            cs = gcv * 0.8
            ccol[k] = gcv * 0.2
            bcol = dtr - ccol[k]
            correction = -cs * (u[k + 1] - u[k])
        elif k < K - 1:
            gav = -0.25 * (wcon[k] + wcon[k - 1])
            gcv = 0.25 * (wcon[k + 1] + wcon[k])
            acol = gav * 0.2
            ccol[k] = gcv * 0.2
            bcol = dtr - acol - ccol[k]
            correction = -gav * 0.8 * (u[k - 1] - u[k]) - gcv * 0.8 * (u[k + 1] - u[k])
        else:
            gav = -0.25 * (wcon[k] + wcon[k - 1])
            acol = gav * 0.2
            bcol = dtr - acol
            correction = -gav * 0.8 * (u[k - 1] - u[k])
        dcol[k] = dtr * upos[k] + utens[k] + correction
        if k == 0:
            divided = 1.0 / bcol
            dcol[k] = dcol[k] * divided
        else:
            divided = 1.0 / (bcol - ccol[k - 1] * acol)
            dcol[k] = (dcol[k] - dcol[k - 1] * acol) * divided
        ccol[k] = ccol[k] * divided
    for k in range(K - 1, -1, -1):
        if k == K - 1:
            datacol = dcol[k].copy()
        else:
            datacol = dcol[k] - ccol[k] * datacol
        dcol[k] = datacol
        utens[k] = dtr * (datacol - upos[k])


def modified_gram_schmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def in_place_lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


def in_place_cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def seidel_sweeps(A, sweeps):
    n = A.shape[0]
    for t in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0


def two_array_stencil(A, B, steps):
    for t in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def nonlinear_advection(u, steps):
    for t in range(steps):
        u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[2:] - u[:-2])


def loop_index_used_after_replay(A, n):
    s = 0.0
    for i in range(n):
        t = A[i] * (i + 1)
        for j in range(i):
            t = t * A[j] + j
        s += t * t
    return s


def scalar_overwritten_in_loop(A):
    scale = 1.0
    for i in range(A.shape[0]):
        scale = scale * 0.9
        A[i] = np.sin(A[i] * scale)
        scale = scale + A[i] ** 2
    return scale


INDEX = np.array([3, 0, 3, 5, 1, 1])


def well_conditioned(n):
    a = uniform(7, n, n, low=-0.4, high=0.4)
    return a + a.T + n * np.eye(n)


CASES = (
    row(gather_times_self, lambda: (normal(1, 6), normal(2, 6), INDEX.copy()), "A, B", of="B", seed=1.0),
    row(gather_whole_array, lambda: (normal(1, 6), normal(2, 6), INDEX.copy()), "A, B"),
    row(if_else_in_loop, lambda: (normal(1, 6), normal(2, 6)), "A, B", of="B", seed=1.0),
    row(if_else_with_accumulation, lambda: (normal(1, 6), uniform(2, 6)), "A, B"),
    row(if_else_overwrites_its_condition, lambda: (spread(3, 7),), "A"),
    row(sum_of_squares, lambda: (normal(1, 4, 5),), "A"),
    row(maximum_of_square, lambda: (spread(2, 4, 5),), "A"),
    row(triangular_double_loop, lambda: (normal(1, 5, 5), normal(2, 5)), "A, B"),
    row(triangular_matrix_product, lambda: (normal(1, 4, 4), normal(2, 4, 3), 1.5), "A, B, alpha", of="B", seed=1.0),
    row(levinson_durbin, lambda: (uniform(1, 6, low=0.05, high=0.2),), "r", seed=1.0),
    row(
        vertical_advection,
        lambda: (normal(1, 5, 3), normal(2, 5, 3), uniform(3, 5, 3), normal(4, 5, 3), 3.0),
        "utens, u, wcon, upos, dtr",
        of="utens",
        seed=1.0,
    ),
    row(modified_gram_schmidt, lambda: (normal(1, 5, 3),), "A", of=0, seed=normal(2, 5, 3)),
    row(modified_gram_schmidt, lambda: (normal(1, 5, 3),), "A", of=1, seed=1.0, tag="factor"),
    row(in_place_lu, lambda: (well_conditioned(5),), "A", of="A", seed=1.0),
    row(in_place_cholesky, lambda: (well_conditioned(5),), "A", of="A", seed=1.0),
    row(seidel_sweeps, lambda: (normal(1, 6, 6), 3), "A", of="A", seed=normal(2, 6, 6)),
    row(two_array_stencil, lambda: (normal(1, 9), normal(2, 9), 5), "A, B", of="A", seed=normal(3, 9)),
    row(nonlinear_advection, lambda: (normal(1, 9), 5), "u", of="u", seed=normal(2, 9)),
    row(loop_index_used_after_replay, lambda: (uniform(1, 6), 5), "A"),
    row(scalar_overwritten_in_loop, lambda: (normal(1, 6),), "A"),
)
