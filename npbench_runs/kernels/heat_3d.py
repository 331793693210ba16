"""The heat equation in a cube, explicit in time: A to B and back."""

import numpy as np

SIZES = {
    "tiny": {"TSTEPS": 3, "N": 5},
    "S": {"TSTEPS": 25, "N": 25},
    "M": {"TSTEPS": 50, "N": 40},
    "L": {"TSTEPS": 100, "N": 70},
    "paper": {"TSTEPS": 500, "N": 120},
}
OUTPUT = "A"


def initialise(TSTEPS, N):
    rng = np.random.default_rng(42)
    return TSTEPS, rng.random((N, N, N)), rng.random((N, N, N))


def diffuse(into, out_of):
    middle = out_of[1:-1, 1:-1, 1:-1]
    along_x = out_of[2:, 1:-1, 1:-1] - 2.0 * middle + out_of[:-2, 1:-1, 1:-1]
    along_y = out_of[1:-1, 2:, 1:-1] - 2.0 * middle + out_of[1:-1, :-2, 1:-1]
    along_z = out_of[1:-1, 1:-1, 2:] - 2.0 * middle + out_of[1:-1, 1:-1, :-2]
    into[1:-1, 1:-1, 1:-1] = middle + 0.125 * (along_x + along_y + along_z)


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        diffuse(B, A)
        diffuse(A, B)
