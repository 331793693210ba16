"""Durbin's recursion: the Yule-Walker equations of a symmetric Toeplitz matrix with unit diagonal."""

import numpy as np

SIZES = {
    "tiny": {"N": 6},
    "S": {"N": 1000},
    "M": {"N": 6000},
    "L": {"N": 20000},
    "paper": {"N": 16000},
}
OUTPUT = None


def initialise(N):
    return (np.random.default_rng(42).uniform(-1.0, 1.0, N) / N,)  # diagonally dominant


def kernel(r):
    n = r.shape[0]
    y = np.zeros_like(r)
    y[0] = -r[0]
    reflection = -r[0]
    error = 1.0
    for k in range(1, n):
        error = error * (1.0 - reflection**2)
        backward = y[:k][::-1].copy()
        reflection = -(r[k] + r[:k] @ backward) / error
        y[:k] += reflection * backward
        y[k] = reflection
    return y
