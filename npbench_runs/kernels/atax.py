"""A matrix times a vector, then the transposed matrix times the result: A' A x."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 5},
    "S": {"M": 4000, "N": 5000},
    "M": {"M": 10000, "N": 12500},
    "L": {"M": 20000, "N": 25000},
    "paper": {"M": 18000, "N": 22000},
}
OUTPUT = None


def initialise(M, N):
    rng = np.random.default_rng(42)
    return rng.random((M, N)), rng.random(N)


def kernel(A, x):
    y = A @ x
    return A.T @ y
