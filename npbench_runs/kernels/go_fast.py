"""The trace of tanh over the diagonal, element by element, added to the matrix."""

import numpy as np

SIZES = {
    "tiny": {"N": 5},
    "S": {"N": 2000},
    "M": {"N": 6000},
    "L": {"N": 20000},
    "paper": {"N": 12500},
}
OUTPUT = None


def initialise(N):
    return (np.random.default_rng(42).random((N, N)),)


def kernel(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace
