"""Jacobi's relaxation on a line: the mean of each point and its two neighbours, A to B and back."""

import numpy as np

SIZES = {
    "tiny": {"TSTEPS": 4, "N": 8},
    "S": {"TSTEPS": 800, "N": 3200},
    "M": {"TSTEPS": 3000, "N": 12000},
    "L": {"TSTEPS": 8500, "N": 34000},
    "paper": {"TSTEPS": 4000, "N": 32000},
}
OUTPUT = "A"


def initialise(TSTEPS, N):
    rng = np.random.default_rng(42)
    return TSTEPS, rng.random(N), rng.random(N)


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
