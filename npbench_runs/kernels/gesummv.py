"""The sum of two products of a matrix and a vector: alpha A x + beta B x."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 2000},
    "M": {"N": 4000},
    "L": {"N": 14000},
    "paper": {"N": 11200},
}
OUTPUT = None


def initialise(N):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((N, N)), rng.random((N, N)), rng.random(N)


def kernel(alpha, beta, A, B, x):
    return alpha * (A @ x) + beta * (B @ x)
