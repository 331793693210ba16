"""The product with a symmetric matrix of which the lower triangle is given: C becomes alpha A B + beta C."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 5},
    "S": {"M": 40, "N": 50},
    "M": {"M": 120, "N": 150},
    "L": {"M": 350, "N": 550},
    "paper": {"M": 1000, "N": 1200},
}
OUTPUT = "C"


def initialise(M, N):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((M, N)), rng.random((M, M)), rng.random((M, N))


def kernel(alpha, beta, C, A, B):
    C *= beta
    for i in range(A.shape[0]):
        for k in range(i):
            C[i] += alpha * A[i, k] * B[k]
            C[k] += alpha * A[i, k] * B[i]
        C[i] += alpha * A[i, i] * B[i]
