"""Pearson's correlation of the M columns of a table; columns that hardly vary count as of deviation one."""

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
    deviation = np.std(data, axis=0)
    deviation = np.where(deviation <= 0.1, 1.0, deviation)
    data -= np.mean(data, axis=0)
    data /= deviation * np.sqrt(float_n)
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
        corr[i + 1 :, i] = corr[i, i + 1 :]
    return corr
