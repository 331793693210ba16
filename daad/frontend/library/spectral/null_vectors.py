"""Vectors of the null space as a NumPy program: what LAPACK's reflections, which make a matrix bidiagonal, leave."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # staged while the program is read

TALL = 11.0 / 6.0
"""So many times more rows than columns, or the other way round, are made triangular first."""


def rest_of(a: Array) -> Array:
    """The vectors that are orthogonal to the columns, of which there are fewer than rows: what reflections make of the
    last axes."""
    m, n = a.shape
    full = np.linalg.qr(a, mode="complete")[0] if m >= int(n * TALL) else _left_reflections(a)
    return full[:, n:]


def _left_reflections(a: Array) -> Array:
    """Of a matrix of no fewer rows than columns, those from the left as one orthogonal matrix."""
    b, (m, n) = a.copy(), a.shape
    left = np.eye(m, dtype=a.dtype)
    for i in range(n):
        tau, v = _reflection(b[i:, i].copy())
        b[i:, i + 1 :] -= np.conj(tau) * np.outer(v, np.conj(v) @ b[i:, i + 1 :])
        left[:, i:] -= tau * np.outer(left[:, i:] @ v, np.conj(v))
        if i < n - 1:
            tau, v = _reflection(np.conj(b[i, i + 1 :]))
            b[i + 1 :, i + 1 :] -= tau * np.outer(b[i + 1 :, i + 1 :] @ v, np.conj(v))
    return left


def _reflection(x: Array) -> tuple[Array, Array]:
    """The factor and the vector of what makes all elements zero but the first one, whose sign does not matter here."""
    is_complex = np.iscomplexobj(x)
    if len(x) == 1 and not is_complex:
        return x[0] * 0.0, np.zeros_like(x)
    first, rest = x[0], (np.conj(x[1:]) @ x[1:]).real
    if is_complex:
        rest = rest + first.imag * first.imag
    size = first.real * first.real + rest
    beta = np.where(size > 0.0, -np.copysign(np.sqrt(np.where(size > 0.0, size, 1.0)), first.real), first.real)
    v = x / np.where(size > 0.0, first - beta, 1.0)
    v[0] = 1.0
    return np.where(size > 0.0, (beta - first) / np.where(size > 0.0, beta, 1.0), 0.0), v
