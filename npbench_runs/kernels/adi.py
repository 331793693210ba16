"""Alternating directions implicit: each half-step of the heat equation on a square is implicit along one axis.

The tridiagonal systems of a half-step share their matrix; Thomas's algorithm eliminates all of them at once.
"""

import numpy as np

SIZES = {
    "tiny": {"TSTEPS": 2, "N": 6},
    "S": {"TSTEPS": 5, "N": 100},
    "M": {"TSTEPS": 20, "N": 200},
    "L": {"TSTEPS": 50, "N": 500},
    "paper": {"TSTEPS": 100, "N": 200},
}
OUTPUT = "u"


def initialise(TSTEPS, N):
    return TSTEPS, N, np.random.default_rng(42).random((N, N))


def explicit(rows, weight):
    return (1.0 - 2.0 * weight) * rows[1:-1, 1:-1] + weight * (rows[1:-1, :-2] + rows[1:-1, 2:])


def implicit(x, right, beside, diagonal):
    n = x.shape[0]
    p = np.zeros(n, dtype=x.dtype)
    q = np.ones_like(x)
    for j in range(1, n - 1):
        pivot = diagonal + beside * p[j - 1]
        p[j] = -beside / pivot
        q[j, 1:-1] = (right[j - 1] - beside * q[j - 1, 1:-1]) / pivot
    x[0, 1:-1] = 1.0
    x[-1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        x[j, 1:-1] = p[j] * x[j + 1, 1:-1] + q[j, 1:-1]


def kernel(TSTEPS, N, u):
    along_x = N * N / TSTEPS
    along_y = 0.5 * N * N / TSTEPS
    v = np.empty_like(u)
    for _ in range(TSTEPS):
        implicit(v, explicit(u, along_y), -along_x, 1.0 + 2.0 * along_y)
        implicit(u.T, explicit(v.T, along_x), -along_y, 1.0 + 2.0 * along_y)
    return u
