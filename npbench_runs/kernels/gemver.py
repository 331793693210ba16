"""A matrix updated by two outer products, and two products of vectors with it."""

import numpy as np

SIZES = {
    "tiny": {"N": 4},
    "S": {"N": 1000},
    "M": {"N": 3000},
    "L": {"N": 10000},
    "paper": {"N": 8000},
}
OUTPUT = "w"


def initialise(N):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((N, N)), *rng.random((8, N))


def kernel(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1)
    A += np.outer(u2, v2)
    x += z + beta * (A.T @ y)
    w += alpha * (A @ x)
