"""Doolittle's factorisation without pivoting, in place: a row of U, then a column of L."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 700},
    "paper": {"N": 2000},
}
OUTPUT = "A"


def initialise(N):
    return (np.random.default_rng(42).random((N, N)) + N * np.eye(N),)


def kernel(A):
    n = A.shape[0]
    for k in range(n):
        for j in range(k, n):
            A[k, j] -= A[k, :k] @ A[:k, j]
        for i in range(k + 1, n):
            A[i, k] = (A[i, k] - A[i, :k] @ A[:k, k]) / A[k, k]
