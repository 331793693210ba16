"""Functions that call themselves, down to a depth that sizes and int arguments decide; and windows of arrays."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.corpus.case import normal, row, uniform


def repeated_sine(x, n):
    return np.sum(x * x) if n == 0 else repeated_sine(np.sin(x) + 0.1 * n, n - 1)


def sum_of_halves(x):
    def fold(part):
        if len(part) == 1:
            return part[0] ** 2
        return 0.5 * fold(part[: len(part) // 2]) + np.sin(fold(part[len(part) // 2 :]))

    return fold(x)


def transformed(re, im):
    """The fast Fourier transform in real numbers."""
    n = len(re)
    if n == 1:
        return re, im
    (a, b), (c, d) = transformed(re[::2], im[::2]), transformed(re[1::2], im[1::2])
    angle = -2 * np.pi * np.arange(n // 2) / n
    p, q = np.cos(angle) * c - np.sin(angle) * d, np.cos(angle) * d + np.sin(angle) * c
    return np.concatenate([a + p, a - p]), np.concatenate([b + q, b - q])


def power_spectrum(x):
    re, im = transformed(x, np.zeros_like(x))
    return np.sum(np.log(1.0 + re**2 + im**2))


def v_cycle(u, f, h):
    u[1:-1] = 0.5 * (u[:-2] + u[2:] + h * h * f[1:-1])
    if len(u) <= 3:
        return u
    residual = np.zeros_like(u)
    residual[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
    coarse = np.zeros((len(u) + 1) // 2)
    coarse[1:-1] = 0.25 * residual[1:-3:2] + 0.5 * residual[2:-2:2] + 0.25 * residual[3:-1:2]
    correction = v_cycle(np.zeros_like(coarse), coarse, 2 * h)
    u[::2] += correction
    u[1::2] += 0.5 * (correction[:-1] + correction[1:])
    u[1:-1] = 0.5 * (u[:-2] + u[2:] + h * h * f[1:-1])
    return u


def multigrid(u, f):
    for _ in range(2):
        u = v_cycle(u, f, 1.0 / (len(u) - 1))
    return np.sum(u**2)


def convolved_by_windows(x, w):
    windows = sliding_window_view(x, (2, 3))
    return np.sum(np.tanh(np.einsum("ijkl,kl->ij", windows, w)))


def moving_extremes(x, w):
    rows = sliding_window_view(x, 2, axis=0)
    blocks = sliding_window_view(x * x, (2, 2), axis=(1, 0))
    flat = sliding_window_view(x[0], 3).reshape(-1)
    x[1] = 0.5
    return np.sum(rows.max(axis=-1)) + np.sum(blocks.mean(axis=(-1, -2)) ** 2) + np.sum(flat * w[0, 1])


def zero_diagonal(x, w):
    x[range(4), range(4)] = w[0, 0]
    return np.sum(x**2) + x[(0, 1), (1, 2)].sum() + np.sum(x[[0, 1], :][:, range(1, 3)] * w[:, 1:])


CASES = (
    row(repeated_sine, lambda: (normal(1, 4), 3), "x"),
    row(sum_of_halves, lambda: (uniform(1, 5),), "x"),
    row(power_spectrum, lambda: (normal(1, 4),), "x"),
    row(multigrid, lambda: (np.zeros(9), normal(1, 9)), "u, f"),
    row(convolved_by_windows, lambda: (normal(1, 4, 5), normal(2, 2, 3)), "x, w"),
    row(moving_extremes, lambda: (normal(1, 4, 5), normal(2, 2, 3)), "x, w"),
    row(zero_diagonal, lambda: (normal(1, 4, 5), normal(2, 2, 3)), "x, w"),
)
