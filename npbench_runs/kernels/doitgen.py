"""A tensor multiplied in place with a matrix along its last axis, as in multiresolution analysis."""

import numpy as np

SIZES = {
    "tiny": {"NR": 3, "NQ": 4, "NP": 5},
    "S": {"NR": 60, "NQ": 60, "NP": 128},
    "M": {"NR": 110, "NQ": 125, "NP": 256},
    "L": {"NR": 220, "NQ": 250, "NP": 512},
    "paper": {"NR": 220, "NQ": 250, "NP": 270},
}
OUTPUT = "A"


def initialise(NR, NQ, NP):
    rng = np.random.default_rng(42)
    return NR, NQ, NP, rng.random((NR, NQ, NP)), rng.random((NP, NP))


def kernel(NR, NQ, NP, A, C4):
    flat = A.reshape(NR * NQ, NP) @ C4
    A[:] = flat.reshape(NR, NQ, NP)
