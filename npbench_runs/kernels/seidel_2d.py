"""Gauss and Seidel's relaxation on a square: the mean of each point and its eight neighbours, in place, row by row."""

import numpy as np

SIZES = {
    "tiny": {"TSTEPS": 4, "N": 6},
    "S": {"TSTEPS": 8, "N": 50},
    "M": {"TSTEPS": 15, "N": 100},
    "L": {"TSTEPS": 40, "N": 200},
    "paper": {"TSTEPS": 100, "N": 400},
}
OUTPUT = "A"


def initialise(TSTEPS, N):
    return TSTEPS, N, np.random.default_rng(42).random((N, N))


def kernel(TSTEPS, N, A):
    for _ in range(TSTEPS - 1):
        for i in range(1, N - 1):
            above = A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
            below = A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            A[i, 1:-1] += above + below + A[i, 2:]
            for j in range(1, N - 1):
                A[i, j] = (A[i, j] + A[i, j - 1]) / 9.0
