"""Cholesky's factor of a symmetric positive definite matrix, in place of the lower triangle, column by column."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 100},
    "M": {"N": 300},
    "L": {"N": 900},
    "paper": {"N": 2000},
}
OUTPUT = "A"


def initialise(N):
    half = np.random.default_rng(42).random((N, N))
    return (half + half.T + 2 * N * np.eye(N),)


def kernel(A):
    n = A.shape[0]
    for j in range(n):
        A[j, j] = np.sqrt(A[j, j] - A[j, :j] @ A[j, :j])
        for i in range(j + 1, n):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
