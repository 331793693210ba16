"""Jacobi's relaxation on a square: the mean of each point and its four neighbours, A to B and back."""

import numpy as np

SIZES = {
    "tiny": {"TSTEPS": 4, "N": 6},
    "S": {"TSTEPS": 50, "N": 150},
    "M": {"TSTEPS": 80, "N": 350},
    "L": {"TSTEPS": 200, "N": 700},
    "paper": {"TSTEPS": 1000, "N": 2800},
}
OUTPUT = "A"


def initialise(TSTEPS, N):
    rng = np.random.default_rng(42)
    return TSTEPS, rng.random((N, N)), rng.random((N, N))


def relax(into, out_of):
    middle = out_of[1:-1, 1:-1]
    beside = out_of[1:-1, :-2] + out_of[1:-1, 2:]
    above_and_below = out_of[:-2, 1:-1] + out_of[2:, 1:-1]
    into[1:-1, 1:-1] = 0.2 * (middle + beside + above_and_below)


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        relax(B, A)
        relax(A, B)
