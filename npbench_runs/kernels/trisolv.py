"""A lower triangular system L x = b solved by forward substitution."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 2000},
    "M": {"N": 5000},
    "L": {"N": 14000},
    "paper": {"N": 16000},
}
OUTPUT = "x"


def initialise(N):
    rng = np.random.default_rng(42)
    return rng.random((N, N)) + N * np.eye(N), rng.random(N), rng.random(N)


def kernel(L, x, b):
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
