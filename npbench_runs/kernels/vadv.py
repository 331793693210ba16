"""Vertical advection in an atmosphere, implicit in time: in each column a tridiagonal system, solved by Thomas.

`wcon` is the vertical wind between the levels, and each point takes the mean of two of its columns.
"""

import numpy as np

SIZES = {
    "tiny": {"I": 3, "J": 3, "K": 5},
    "S": {"I": 60, "J": 60, "K": 40},
    "M": {"I": 112, "J": 112, "K": 80},
    "L": {"I": 180, "J": 180, "K": 160},
    "paper": {"I": 256, "J": 256, "K": 160},
}
OUTPUT = "utens_stage"


def initialise(I, J, K):  # noqa: E741
    rng = np.random.default_rng(42)
    utens_stage, u_stage, u_pos, utens = (rng.random((I, J, K)) for _ in range(4))
    return utens_stage, u_stage, 0.5 * rng.random((I + 1, J, K)), u_pos, utens, 0.15


def kernel(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    columns, rows, levels = u_stage.shape
    wind = np.zeros((columns, rows, levels + 1), dtype=wcon.dtype)
    wind[:, :, 1:-1] = 0.125 * (wcon[1:, :, 1:] + wcon[:-1, :, 1:])
    diagonal = dtr_stage + wind[:, :, :-1] - wind[:, :, 1:]
    advected = wind[:, :, 1:-1] * (u_stage[:, :, 1:] - u_stage[:, :, :-1])
    d = dtr_stage * u_pos + utens + utens_stage
    d[:, :, :-1] -= advected
    d[:, :, 1:] -= advected
    c = np.empty_like(d)
    c[:, :, 0] = wind[:, :, 1] / diagonal[:, :, 0]
    d[:, :, 0] /= diagonal[:, :, 0]
    for k in range(1, levels):
        pivot = diagonal[:, :, k] + wind[:, :, k] * c[:, :, k - 1]
        c[:, :, k] = wind[:, :, k + 1] / pivot
        d[:, :, k] = (d[:, :, k] + wind[:, :, k] * d[:, :, k - 1]) / pivot
    for k in range(levels - 2, -1, -1):
        d[:, :, k] -= c[:, :, k] * d[:, :, k + 1]
    utens_stage[:] = dtr_stage * (d - u_pos)
