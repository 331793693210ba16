"""The covariance matrix of the M columns of a table, row by row; the table is centred in place."""

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
    data -= np.mean(data, axis=0)
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        cov[i, i:] = data[:, i] @ data[:, i:] / (float_n - 1.0)
        cov[i:, i] = cov[i, i:]
    return cov
