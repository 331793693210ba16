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
    full = np.linalg.qr(a, mode="complete")[0] if m >= int(n * TALL) else bidiagonal(a)[0]
    return full[:, n:]


def _reflected(x: Array) -> tuple[Array, Array, Array]:
    """What a reflection makes of the first element, if all others get zero, its vector and its factor."""
    is_complex = np.iscomplexobj(x)
    if len(x) == 1 and not is_complex:
        return x[0] * 1.0, x[0] * 0.0, np.zeros_like(x)
    first, rest = x[0], (np.conj(x[1:]) @ x[1:]).real
    if is_complex:
        rest = rest + first.imag * first.imag
    length = np.sqrt(first.real * first.real + rest)
    beta = np.where(rest > 0.0, -np.copysign(length, first.real), first.real)
    v = x / np.where(rest > 0.0, first - beta, 1.0)
    v[0] = 1.0
    return beta, np.where(rest > 0.0, (beta - first) / np.where(rest > 0.0, beta, 1.0), 0.0), v


def bidiagonal(a: Array) -> tuple[Array, Array, Array, Array]:
    """The diagonal and what is right of it (with a zero at the end) between two orthogonal matrices, of no fewer rows
    than columns."""
    b, (m, n) = a.copy(), a.shape
    left, right = np.eye(m, dtype=a.dtype), np.eye(n, dtype=a.dtype)
    d, e = np.zeros(n, a.real.dtype), np.zeros(n, a.real.dtype)
    for i in range(n):
        beta, tau, v = _reflected(b[i:, i].copy())
        d[i] = beta
        b[i:, i + 1 :] -= np.conj(tau) * np.outer(v, np.conj(v) @ b[i:, i + 1 :])
        left[:, i:] -= tau * np.outer(left[:, i:] @ v, np.conj(v))
        if i < n - 1:
            beta, tau, v = _reflected(np.conj(b[i, i + 1 :]))
            e[i] = beta
            b[i + 1 :, i + 1 :] -= tau * np.outer(b[i + 1 :, i + 1 :] @ v, np.conj(v))
            right[:, i + 1 :] -= tau * np.outer(right[:, i + 1 :] @ v, np.conj(v))
    return left, d, e, right
