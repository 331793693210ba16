"""The covariance matrix of the columns of a table, as one product."""

import numpy as np

SIZES = {
    "tiny": {"M": 4, "N": 6},
    "S": {"M": 500, "N": 600},
    "M": {"M": 1400, "N": 1800},
    "L": {"M": 3200, "N": 4000},
    "paper": {"M": 1200, "N": 1400},
}
OUTPUT = None


def initialise(M, N):
    return M, float(N), np.random.default_rng(42).random((N, M))


def kernel(M, float_n, data):
    centred = data - np.mean(data, axis=0)
    return centred.T @ centred / (data.shape[0] - 1)
