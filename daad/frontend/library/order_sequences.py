"""Functions of `scipy.special` that give all orders up to one, as NumPy programs over those of a single order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function

Array = Any  # staged while the program is read
OUTSIDE = "Legendre functions of the second kind are supported between -1 and 1 only"


def _special(name: str) -> Callable[..., Any]:
    return python_function("scipy.special", name)


def lmbda(v: float, x: Array) -> tuple[Array, Array]:
    """Of an order and those below it that differ by whole numbers."""
    x = np.asarray(x) * 1.0
    first = v - int(v)
    values = [_lambda(first + k, x) for k in range(int(v) + 2)]
    slopes = [-0.5 * x / (first + k + 1) * values[k + 1] for k in range(int(v) + 1)]
    return np.stack(values[:-1]), np.stack(slopes)


def _lambda(order: float, x: Array) -> Array:
    plain = np.where(x == 0.0, 1.0, x)
    return np.where(x == 0.0, 1.0, math.gamma(order + 1) * (2.0 / plain) ** order * _special("jv")(order, plain))


def lqn(n: int, z: Array) -> tuple[Array, Array]:
    values, slopes = lqmn(0, n, z)
    return values[0], slopes[0]


def lqmn(m: int, n: int, z: Array) -> tuple[Array, Array]:
    """By recurrences in the order and the degree, which are stable there."""
    z = np.asarray(z) * 1.0
    if np.any(np.abs(z) >= 1.0):
        raise ValueError(OUTSIDE)
    below = 1.0 - z * z
    root, first = np.sqrt(below), np.arctanh(z)
    degrees, orders = max(n, 1) + 1, max(m, 1) + 1
    rows = [[first, z * first - 1.0], [-1.0 / root, -root * (first + z / below)]]
    for i, row in enumerate(rows):
        for j in range(2, degrees):
            row.append(((2 * j - 1) * z * row[j - 1] - (j + i - 1) * row[j - 2]) / (j - i))
    for i in range(2, orders):
        pairs = list(zip(rows[i - 1], rows[i - 2], strict=True))
        rows.append([-2 * (i - 1) * z / root * a - (j + i - 1) * (j - i + 2) * b for j, (a, b) in enumerate(pairs)])
    slopes = [[_slope(rows, i, j, z, below, root) for j in range(n + 1)] for i in range(m + 1)]
    values = np.stack([np.stack(row[: n + 1]) for row in rows[: m + 1]])
    return values, np.stack([np.stack(row) for row in slopes])


def _slope(rows: Any, i: int, j: int, z: Array, below: Array, root: Array) -> Array:
    if i > 0:
        return i * z / below * rows[i][j] + (i + j) * (j - i + 1) / root * rows[i - 1][j]
    return j * (rows[0][j - 1] - z * rows[0][j]) / below if j > 0 else 1.0 / below


def pbdv_seq(v: float, x: Array) -> tuple[Array, Array]:
    if v < 0:
        raise ValueError("'scipy.special.pbdv_seq' of negative orders is not supported")
    first, x = v - int(v), np.asarray(x) * 1.0
    pairs = [_special("pbdv")(first + k, x) for k in range(max(int(v), 1) + 1)]
    return np.stack([value for value, _ in pairs]), np.stack([slope for _, slope in pairs])


def riccati_jn(n: int, x: Array) -> tuple[Array, Array]:
    return _riccati(_special("spherical_jn"), n, np.asarray(x) * 1.0)


def riccati_yn(n: int, x: Array) -> tuple[Array, Array]:
    return _riccati(_special("spherical_yn"), n, np.asarray(x) * 1.0)


def _riccati(function: Callable[..., Any], n: int, x: Array) -> tuple[Array, Array]:
    values = [function(k, x) for k in range(n + 1)]
    slopes = [value + x * function(k, x, derivative=True) for k, value in enumerate(values)]
    return np.stack([x * value for value in values]), np.stack(slopes)


def round_half_to_even(x: Array) -> Array:
    return np.rint(np.asarray(x) * 1.0)


SPECIAL: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (lmbda, lqn, lqmn, pbdv_seq, riccati_jn, riccati_yn)
}
SPECIAL["round"] = round_half_to_even
