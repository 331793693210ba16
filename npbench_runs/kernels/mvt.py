"""Two vectors, one raised by a matrix times a vector and one by the transposed matrix times another."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 5500},
    "M": {"N": 11000},
    "L": {"N": 22000},
    "paper": {"N": 16000},
}
OUTPUT = "x1"


def initialise(N):
    rng = np.random.default_rng(42)
    return *rng.random((4, N)), rng.random((N, N))


def kernel(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += A.T @ y_2
