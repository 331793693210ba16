"""The modified Gram-Schmidt process: A = Q R with orthonormal columns of Q; A is used up."""

import numpy as np

SIZES = {
    "tiny": {"M": 5, "N": 4},
    "S": {"M": 70, "N": 60},
    "M": {"M": 220, "N": 180},
    "L": {"M": 600, "N": 500},
    "paper": {"M": 240, "N": 200},
}
OUTPUT = 0


def initialise(M, N):
    return (np.random.default_rng(42).random((M, N)) + np.sqrt(M) * np.eye(M, N),)


def kernel(A):
    m, n = A.shape
    Q = np.zeros((m, n), dtype=A.dtype)
    R = np.zeros((n, n), dtype=A.dtype)
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = A[:, j] @ Q[:, k]
            A[:, j] -= R[k, j] * Q[:, k]
    return Q, R
