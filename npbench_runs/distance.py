"""How far two gradients are apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Of the largest element, or of a derivative: what a right gradient may be off by.
RTOL, RTOL_SINGLE = 1e-6, 1e-3


def tolerance(gradients: Sequence[np.ndarray]) -> float:
    """By precision: a program that has single precision anywhere computes in it."""
    return RTOL_SINGLE if any(g.dtype == np.float32 for g in gradients) else RTOL


def distance(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> float:
    """The largest difference, relative to the largest element of each array; zero only if bit for bit the same."""
    return max((array_distance(a, b) for a, b in zip(one, other, strict=True)), default=0.0)


def array_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Infinite where shapes differ or not-a-numbers stand in different places."""
    if one.shape != other.shape:
        return float("inf")
    if np.array_equal(one, other, equal_nan=True):
        return 0.0
    with np.errstate(all="ignore"):
        scale = max(float(np.max(np.abs(one), initial=0.0)), np.finfo(np.float64).tiny)
        apart = float(np.max(np.abs(one.astype(np.float64) - other)) / scale)
    return apart if np.isfinite(apart) else float("inf")
