"""The two products of a step of the biconjugate gradient method: A' r and A p."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 5},
    "S": {"M": 4000, "N": 5000},
    "M": {"M": 10000, "N": 12500},
    "L": {"M": 20000, "N": 25000},
    "paper": {"M": 18000, "N": 22000},
}
OUTPUT = 0


def initialise(M, N):
    rng = np.random.default_rng(42)
    return rng.random((N, M)), rng.random(M), rng.random(N)


def kernel(A, p, r):
    s = A.T @ r
    q = A @ p
    return s, q
