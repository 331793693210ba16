"""A linear system solved by Doolittle's factorisation in place and two substitutions."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 650},
    "paper": {"N": 2000},
}
OUTPUT = 0


def initialise(N):
    rng = np.random.default_rng(42)
    return rng.random((N, N)) + N * np.eye(N), rng.random(N)


def kernel(A, b):
    n = b.shape[0]
    x, y = np.zeros_like(b), np.zeros_like(b)
    for k in range(n):
        for j in range(k, n):
            A[k, j] -= A[k, :k] @ A[:k, j]
        for i in range(k + 1, n):
            A[i, k] = (A[i, k] - A[i, :k] @ A[:k, k]) / A[k, k]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in reversed(range(n)):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y
