"""The symmetric update of rank 2 M: the lower triangle of C becomes alpha (A B' + B A') + beta C."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 5},
    "S": {"M": 35, "N": 50},
    "M": {"M": 110, "N": 140},
    "L": {"M": 350, "N": 400},
    "paper": {"M": 1000, "N": 1200},
}
OUTPUT = "C"


def initialise(M, N):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((N, N)), rng.random((N, M)), rng.random((N, M))


def kernel(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            C[i, j] = beta * C[i, j] + alpha * (A[i] @ B[j] + B[i] @ A[j])
