"""Splines in the basis of B-splines, of `scipy.interpolate`: knots, coefficients and a degree, as SciPy has them.

Conditions at points are rows of a matrix with few diagonals, whose elimination needs no pivots: it is totally positive
(de Boor, A practical guide to splines, 1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.frontend.library.fitting import of_full_rank

Array = Any  # staged while the program is read
Row = tuple[int, list[Array]]
"""Behind which knot a point lies, and what the basis functions are there that are not zero."""


def with_ends(t: Array, first: Array, last: Array, k: int) -> Array:
    """All knots of a spline with these inside."""
    return np.concatenate([*[np.reshape(first, 1)] * (k + 1), np.asarray(t) * 1.0, *[np.reshape(last, 1)] * (k + 1)])


def places(t: Array, k: int, x: Array) -> Array:
    """Behind which knots points lie; those beyond the ends count to the pieces there."""
    return np.clip(np.searchsorted(t, x, side="right") - 1, k, len(t) - k - 2)


def basis(t: Array, k: int, x: Array, place: Array, nu: int = 0) -> list[Array]:
    """The values, or derivatives, of the `k + 1` basis functions that are not zero behind a knot."""
    values = [1.0 + 0.0 * x]
    if nu > k:
        return [0.0 * x for _ in range(k + 1)]
    for degree in range(1, k - nu + 1):
        above = [t[place + r + 1] - x for r in range(degree)]
        below = [x - t[place + 1 - degree + r] for r in range(degree)]
        parts = [values[r] / (above[r] + below[r]) for r in range(degree)]
        values = _joined([parts[r] * above[r] for r in range(degree)], [parts[r] * below[r] for r in range(degree)])
    for degree in range(k - nu + 1, k + 1):
        parts = [degree * values[r] / (t[place + r + 1] - t[place + 1 - degree + r]) for r in range(degree)]
        values = _joined([-part for part in parts], parts)
    return values


def _joined(left: list[Array], right: list[Array]) -> list[Array]:
    """Two functions have shares in each of one degree less."""
    return [left[0], *[right[r] + left[r + 1] for r in range(len(left) - 1)], right[-1]]


def upright(values: Array, like: Array) -> Array:
    """A vector as a column beside the rows of an array."""
    return np.reshape(values, (-1, *[1] * (np.ndim(like) - 1)))


def own(t: Array, c: Array, k: int) -> Array:
    """The coefficients without those that SciPy fills up with."""
    return c[: len(t) - k - 1]


def slopes(t: Array, c: Array, k: int) -> Array:
    """The coefficients of the derivative, whose knots are those but for the first and the last one."""
    widths = t[k + 1 : k + len(c)] - t[1 : len(c)]
    is_piece = widths > 0.0
    step = k * (c[1:] - c[:-1]) / upright(np.where(is_piece, widths, 1.0), c)
    return np.where(upright(is_piece, c), step, 0.0)


def sums(t: Array, c: Array, k: int) -> tuple[Array, Array]:
    """Knots and coefficients of the integral from the first knot on."""
    widths = (t[k + 1 :] - t[: -k - 1]) / (k + 1)
    c = np.concatenate((0.0 * c[:1], np.cumsum(c * upright(widths, c), axis=0)))
    return np.concatenate((t[:1], t, t[-1:])), c


def evaluated(t: Array, c: Array, k: int, x: Array, nu: int = 0) -> Array:
    """At the points of a vector; beyond the ends the last polynomials go on."""
    c = own(t, c, k)
    if nu > k:
        return 0.0 * evaluated(t, c, k, x)
    for _ in range(nu):
        c, t, k = slopes(t, c, k), t[1:-1], k - 1
    place = places(t, k, x)
    values = basis(t, k, x, place)
    total = upright(values[0], c) * c[place - k]
    for j in range(1, k + 1):
        total = total + upright(values[j], c) * c[place - k + j]
    return total


def matrix(t: Array, k: int, x: Array) -> Array:
    """What coefficients are multiplied by for values at points."""
    place, columns = places(t, k, x), np.arange(len(t) - k - 1)
    values, found = basis(t, k, x, place), np.zeros((len(x), len(t) - k - 1))
    for j in range(k + 1):
        found = found + np.where(upright(place - k + j, found) == columns, upright(values[j], found), 0.0)
    return found


def banded(k: int, head: Sequence[Row], middle: Row, tail: Sequence[Row], y: Array) -> Array:
    """Coefficients that meet conditions: rows of `head`, of `tail`, and a run of rows in between, which begins behind
    one knot and goes on by one in each row."""
    size, first = len(y), len(head)
    last = size - len(tail)
    band, right = np.zeros((size + k, 2 * k + 1)), np.zeros((size + k, *np.shape(y)[1:]), np.asarray(y).dtype)
    band[size:, k] = 1.0
    right[:size] = y
    for i in [*range(first), *range(last, size)]:
        place, values = head[i] if i < first else tail[i - last]
        for j in range(k + 1):
            band[i, place - i + j] = values[j]
    for j in range(k + 1):
        band[first:last, middle[0] - first + j] = middle[1][j]
    for i in range(size):
        for r in range(1, k + 1):
            factor = band[i + r, k - r] / band[i, k]
            band[i + r, k - r + 1 : 2 * k - r + 1] -= factor * band[i, k + 1 :]
            right[i + r] -= factor * right[i]
    found = np.zeros_like(right)
    for i in range(size - 1, -1, -1):
        total = right[i] + 0.0
        for r in range(1, k + 1):
            total = total - band[i, k + r] * found[i + r]
        found[i] = total / band[i, k]
    return found[:size]


def inner_knots(x: Array, k: int) -> Array:
    """The knots between the ends of a spline through points that has no more knots than it needs."""
    half, count = k // 2, len(x)
    if k % 2:
        return x[half + 1 : count - half - 1]
    return 0.5 * (x[half : count - half - 1] + x[half + 1 : count - half])


def through(x: Array, y: Array, k: int, ends: Any = None) -> tuple[Array, Array]:
    """Knots and coefficients of the spline through all points."""
    size, half = len(x), k // 2
    first, last = (x[:1], x[-1:]) if ends is None else (np.reshape(ends[0], 1), np.reshape(ends[1], 1))
    t = np.concatenate([*[first] * (k + 1), inner_knots(x, k), *[last] * (k + 1)])
    values = basis(t, k, x, k + np.clip(np.arange(size) - half, 0, size - k - 1))
    head = [(k, [v[i] for v in values]) for i in range(half)]
    tail = [(size - 1, [v[i] for v in values]) for i in range(size - k + half, size)]
    return t, banded(k, head, (k, [v[half : size - k + half] for v in values]), tail, y)


def with_slopes(x: Array, y: Array, k: int, left: Any, right: Any) -> tuple[Array, Array]:
    """The same with all points as knots, and as many conditions at both ends as are missing: orders of derivatives with
    their values."""
    left, right = sorted(left, key=lambda one: one[0]), sorted(right, key=lambda one: -one[0])
    t = np.concatenate([*[x[:1]] * k, x, *[x[-1:]] * k])
    size = len(x) + k - 1
    values = basis(t, k, x, k + np.clip(np.arange(len(x)), 0, len(x) - 2))
    before = [np.reshape(0.0 * y[0] + value, (1, *y.shape[1:])) for _, value in left]
    behind = [np.reshape(0.0 * y[0] + value, (1, *y.shape[1:])) for _, value in right]
    y = np.concatenate([y[:1], *before, y[1:-1], *behind, y[-1:]])
    head = [(k, [v[0] for v in values]), *[(k, basis(t, k, x[0], k, nu)) for nu, _ in left]]
    tail = [*[(size - 1, basis(t, k, x[-1], size - 1, nu)) for nu, _ in right], (size - 1, [v[-1] for v in values])]
    return t, banded(k, head, (k + 1, [v[1:-1] for v in values]), tail, y)


def around(x: Array, y: Array, k: int) -> tuple[Array, Array]:
    """The periodic spline through all points but the last one, which is the first one again."""
    size, period = len(x) - 1, x[-1] - x[0]
    inner = x[1:-1] if k % 2 else 0.5 * (x[:-2] + x[1:-1])
    once = np.concatenate((x[:1], inner))
    turns = 1 + k // size
    whole = np.concatenate([once + turn * period for turn in range(-turns, turns + 2)])
    t = whole[turns * size - k : turns * size + size + k + 1]
    values, rows = basis(t, k, x[:-1], k + np.arange(size)), np.arange(size)
    found = np.zeros((size, size))
    for j in range(k + 1):
        found[rows, (rows + j) % size] += values[j]
    c = np.linalg.solve(found, y[:-1])
    return t, c[np.arange(size + k) % size]


def nearest(x: Array, y: Array, w: Array, t: Array, k: int) -> Array:
    """The coefficients with the least weighted sum of squares."""
    return of_full_rank(matrix(t, k, x) * w[:, np.newaxis], y * upright(w, y))
