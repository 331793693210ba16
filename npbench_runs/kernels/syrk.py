"""The symmetric update of rank M: the lower triangle of C becomes alpha A A' + beta C."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 5},
    "S": {"M": 50, "N": 70},
    "M": {"M": 150, "N": 200},
    "L": {"M": 500, "N": 600},
    "paper": {"M": 1000, "N": 1200},
}
OUTPUT = "C"


def initialise(M, N):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((N, N)), rng.random((N, M))


def kernel(alpha, beta, C, A):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            C[i, j] = beta * C[i, j] + alpha * (A[i] @ A[j])
