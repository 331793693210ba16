"""Distances of points to themselves, and other roots of zero: zero times infinity is zero."""

from __future__ import annotations

import numpy as np
from scipy.linalg import norm

from tests.corpus.case import normal, row, uniform


def pairwise_distances(x, h):
    return np.sum(np.exp(-np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1)) / h))


def smoothing_kernel(x, h):
    dx, dy = x[:, 0][:, None] - x[:, 0], x[:, 1].reshape(-1, 1) - x[:, 1].reshape(-1, 1).T
    r = np.sqrt(dx**2 + dy**2)
    w = np.exp(-(r**2) / h**2) / h**3
    return np.sum(w) + np.sum(np.triu(1.0 / (r + h), 1))


def distances_in_loops(x, h):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            d2 = 0.0
            for k in range(x.shape[1]):
                d2 += (x[i, k] - x[j, k]) ** 2
            total += np.exp(-h * d2**0.5)
    return total


def norms_of_differences(x, h):
    gaps = x[:, np.newaxis, :] - x[np.newaxis, :, :]
    r = np.linalg.norm(gaps, axis=-1)
    q = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
    s = np.hypot(gaps[..., 0], gaps[..., 1]) + np.abs(gaps[..., 0] + 1j * gaps[..., 1])
    return np.sum(np.tanh(r) * q) + np.sum(1.0 / (1.0 + s)) + norm(x - x * 1.0) * h


def roots_that_do_not_count(x, h):
    clipped = np.maximum(x, 0.0)
    weights = np.where(x > 0, 1.0, 0.0)
    roots = np.sqrt(clipped) * weights + np.cbrt(clipped) * weights + clipped**0.3 * weights
    angles = np.arccos(np.where(x > 0, 0.5 * np.tanh(x), 1.0)) * weights + np.arctan2(clipped, clipped) * weights
    return np.sum(roots * h) + np.sum(angles)


def masked_by_factors(x, h):
    mask = np.array([1.0, 0.0, 1.0])
    y = np.stack([x[0, 0], 0.0 * x[0, 1], x[1, 0]]) ** 2
    radius = np.sqrt(y)
    return np.sum(mask * radius) + np.sum(mask * np.arccos(1.0 - y / 10) * h)


PLAIN = (pairwise_distances, smoothing_kernel, distances_in_loops, norms_of_differences, masked_by_factors)

CASES = (
    *(row(f, lambda: (normal(1, 4, 2), 0.7), "x, h") for f in PLAIN),
    row(roots_that_do_not_count, lambda: (normal(1, 7), uniform(2, 7)), "x, h"),
)
