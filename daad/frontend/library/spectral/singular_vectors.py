"""Singular vectors as a NumPy program, with the order and the signs of LAPACK's `gesdd`.

A matrix is made bidiagonal by reflections and then diagonal by implicit QR steps (J. Demmel, W. Kahan, Accurate
singular values of bidiagonal matrices, 1990), on numbers without a derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any  # staged while the program is read

FEW = 25
"""Up to this size LAPACK takes no other method."""
PASSES = 12
"""For each singular value, after which LAPACK would have given up long ago."""
TALL = 11.0 / 6.0
"""So many times more rows than columns, or the other way round, are made triangular first."""


def decomposed(a: Array) -> tuple[Array, Array, Array]:
    """All left vectors as columns, the singular values, all right vectors as columns."""
    m, n = a.shape
    few = min(m, n)
    if m >= n and m >= int(n * TALL):
        outer, triangle = _triangular(a)
        left, d, e, right = bidiagonal(triangle[:n])
        u, s, v = _ofbidiagonal(d, e)
        return outer @ _with_ones(left @ u, m), s, right @ v
    if m >= n:
        left, d, e, right = bidiagonal(a)
        u, s, v = _ofbidiagonal(d, e)
        return left @ _with_ones(u, m), s, right @ v
    if n >= int(m * TALL):
        outer, triangle = _triangular(a.T)
        left, d, e, right = bidiagonal(triangle[:few].T)
        u, s, v = _ofbidiagonal(d, e)
        return left @ u, s, outer @ _with_ones(right @ v, n)
    right, d, e, left = bidiagonal(a.T)
    u, s, v = _of_lower(d, e)
    return left @ u, s, right @ _with_ones(v, n)


def rest_of(a: Array) -> Array:
    """The vectors that are orthogonal to the columns, of which there are fewer than rows: what reflections make of the
    last axes."""
    m, n = a.shape
    full = np.linalg.qr(a, mode="complete")[0] if m >= int(n * TALL) else bidiagonal(a)[0]
    return full[:, n:]


def _with_ones(vectors: Array, size: int) -> Array:
    """What is missing of an orthogonal matrix of that size is that of the identity."""
    whole, few = np.eye(size, dtype=vectors.dtype), len(vectors)
    whole[:few, :few] = vectors
    return whole


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


def _triangular(a: Array) -> tuple[Array, Array]:
    """A full orthogonal matrix, and what is left, of no fewer rows than columns."""
    r, q = a.copy(), np.eye(len(a), dtype=a.dtype)
    for i in range(a.shape[1]):
        beta, tau, v = _reflected(r[i:, i].copy())
        r[i:, i + 1 :] -= tau * np.outer(v, v @ r[i:, i + 1 :])
        r[i, i] = beta
        r[i + 1 :, i] = 0.0
        q[:, i:] -= tau * np.outer(q[:, i:] @ v, v)
    return q, r


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


def _of_lower(d: Array, e: Array) -> tuple[Array, Array, Array]:
    """Of a diagonal and what is below it: rotations from the left bring that to the other side."""
    n = len(d)
    turned = np.eye(n, dtype=d.dtype)
    for i in range(n - 1):
        c, s, r = _rotation(d[i], e[i])
        d[i] = r
        e[i] = s * d[i + 1]
        d[i + 1] = c * d[i + 1]
        _turn(turned, i, i + 1, c, s)
    u, values, v = _ofbidiagonal(d, e)
    return turned.T @ u, values, v


def _ofbidiagonal(d: Array, e: Array) -> tuple[Array, Array, Array]:
    """Left vectors as columns, singular values in descending order, right vectors as columns."""
    n = len(d)
    u, v = np.eye(n, dtype=d.dtype), np.eye(n, dtype=d.dtype)
    signs = np.where(d < 0.0, -1.0, 1.0).astype(d.dtype)
    if n == 1:
        return u * signs, np.abs(d), v
    _iterate(d, e, u, v)
    signs = np.where(d < 0.0, -1.0, 1.0).astype(d.dtype)
    order = np.argsort(-np.abs(d), kind="stable")
    return u[order].T, np.abs(d)[order], (v * signs[:, np.newaxis])[order].T


def _iterate(d: Array, e: Array, u: Array, v: Array) -> None:
    """Steps on the last block that is not diagonal, towards its end where it is smaller; rows of `u` and `v` are
    vectors. `state`: where the last block ends, where the one before began and ended, and the direction.

    What changes is kept in arrays: names that change in branches inside of each other are read again and again.
    """
    n, eps = len(d), 0.5 * np.finfo(d.dtype).eps
    tolerance = max(10.0, min(100.0, eps**-0.125)) * eps
    least = _threshold(d, e, tolerance)
    places, state = np.arange(n), np.array([n - 1, n, -1, 1])
    for _ in range(PASSES * n + 20):
        last = state[0]
        if last <= 0:
            break
        first = np.max(np.where((places < last) & (np.abs(e) <= least), places + 1, 0))
        if first > 0:
            e[first - 1] = 0.0
        if last - first > 1:
            if (first > state[2]) | (last < state[1]):
                state[3] = np.where(np.abs(d[first]) >= np.abs(d[last]), 1, -1)
            _step(d, e, u, v, first, state, tolerance, least)
        else:
            if last > first:
                _split(d, e, u, v, first)
            state[0] = first - 1


def _step(d: Array, e: Array, u: Array, v: Array, first: Array, state: Array, tolerance: Any, least: Array) -> None:
    """Splits the block where that can be, or goes through it once."""
    last, turn, eps = state[0], state[3], 0.5 * np.finfo(d.dtype).eps
    begin, end = np.where(turn == 1, first, last), np.where(turn == 1, last, first)
    place, smallest = _negligible(d, e, begin, end, turn, tolerance)
    if place >= 0:
        e[place] = 0.0
    else:
        state[1], state[2] = first, last
        places = np.arange(len(d))
        inside = (places >= first) & (places <= last)
        largest = np.max(np.where(inside, np.maximum(np.abs(d), np.where(places < last, np.abs(e), 0.0)), 0.0))
        shift = _shift(d, e, begin, end, turn, eps)
        if (len(d) * tolerance * (smallest / largest) <= max(eps, 0.01 * tolerance)) | (shift == 0.0):
            _plain_sweep(d, e, u, v, begin, end, turn)
        else:
            _sweep(d, e, u, v, begin, end, turn, shift)
        edge = np.where(turn == 1, end - 1, end)
        e[edge] = np.where(np.abs(e[edge]) <= least, 0.0, e[edge])


def _threshold(d: Array, e: Array, tolerance: Any) -> Array:
    """What counts as zero right of the diagonal."""
    n = len(d)
    size = np.abs(d[0])
    smallest = size * 1.0
    for k in range(1, n):
        size = np.where(size > 0.0, np.abs(d[k]) * (size / np.where(size > 0.0, size + np.abs(e[k - 1]), 1.0)), 0.0)
        smallest = np.minimum(smallest, size)
    return np.maximum(tolerance * smallest / math.sqrt(n), 6 * n * n * np.finfo(d.dtype).tiny)


def _negligible(d: Array, e: Array, begin: Array, end: Array, turn: Array, tolerance: Any) -> tuple[Array, Array]:
    """A place right of the diagonal that may be set to zero, or -1; a bound of the smallest singular value."""
    back = np.where(turn == 1, 0, -1)
    edge = end - turn + back
    size, place = np.zeros(2, d.dtype), np.zeros(1, np.int64)
    size[:] = np.abs(d[begin])
    place[0] = np.where(np.abs(e[edge]) <= tolerance * np.abs(d[end]), edge, -1)
    for k in range(len(d) - 1):
        if (k < turn * (end - begin)) & (place[0] < 0):
            here = begin + turn * k
            beside = np.abs(e[here + back])
            if beside <= tolerance * size[0]:
                place[0] = here + back
            else:
                size[0] = np.abs(d[here + turn]) * (size[0] / (size[0] + beside))
                size[1] = np.minimum(size[0], size[1])
    return place[0], size[1]


def _shift(d: Array, e: Array, begin: Array, end: Array, turn: Array, eps: Any) -> Array:
    """The smaller singular value of the block of two at the end, if it is large enough."""
    low = np.where(turn == 1, end - 1, end)
    f, g, h = np.abs(d[low]), np.abs(e[low]), np.abs(d[low + 1])
    small, large = np.minimum(f, h), np.maximum(f, h)
    scale = np.maximum(large, g)
    total, difference, between = (small + large) / scale, (large - small) / scale, g / scale
    root = np.sqrt(total * total + between * between) + np.sqrt(difference * difference + between * between)
    shift = 2.0 * (small / scale) * large / root
    size = np.abs(d[begin])
    ratio = shift / np.where(size > 0.0, size, 1.0)
    return np.where((size > 0.0) & (ratio * ratio < eps), 0.0, shift)


def _plain_sweep(d: Array, e: Array, u: Array, v: Array, begin: Array, end: Array, turn: Array) -> None:
    """A step without a shift, which keeps small singular values accurate."""
    back = np.where(turn == 1, 0, -1)
    old = np.array([1.0, 1.0, 0.0], d.dtype)
    for k in range(len(d) - 1):
        if k < turn * (end - begin):
            here = begin + turn * k
            there = here + turn
            c, s, r = _rotation(d[here] * old[0], e[here + back])
            if k > 0:
                e[here - turn + back] = old[2] * r
            c_new, s_new, r_new = _rotation(old[1] * r, d[there] * s)
            d[here] = r_new
            old[0], old[1], old[2] = c, c_new, s_new
            _turn_both(u, v, here, there, turn, (c, s), (c_new, s_new))
    h = d[end] * old[0]
    d[end] = h * old[1]
    e[end - turn + back] = h * old[2]


def _sweep(d: Array, e: Array, u: Array, v: Array, begin: Array, end: Array, turn: Array, shift: Array) -> None:
    back = np.where(turn == 1, 0, -1)
    f = np.zeros(2, d.dtype)
    f[0] = (np.abs(d[begin]) - shift) * (np.copysign(1.0, d[begin]) + shift / d[begin])
    f[1] = e[begin + back]
    for k in range(len(d) - 1):
        if k < turn * (end - begin):
            here = begin + turn * k
            there, edge = here + turn, here + back
            c, s, r = _rotation(f[0], f[1])
            if k > 0:
                e[edge - turn] = r
            upper, beside, lower = d[here], e[edge], d[there]
            first, second = c * upper + s * beside, c * beside - s * upper
            c_left, s_left, r_left = _rotation(first, s * lower)
            d[there] = c_left * (c * lower) - s_left * second
            f[0] = c_left * second + s_left * (c * lower)
            d[here] = r_left
            if k < turn * (end - begin) - 1:
                f[1] = s_left * e[edge + turn]
                e[edge + turn] = c_left * e[edge + turn]
            _turn_both(u, v, here, there, turn, (c, s), (c_left, s_left))
    e[end - turn + back] = f[0]


def _rotation(f: Array, g: Array) -> tuple[Array, Array, Array]:
    """Cosine and sine of what turns (f, g) to (r, 0)."""
    length = np.sqrt(f * f + g * g)
    divisor = np.where(length > 0.0, length, 1.0)
    sign = np.where(f == 0.0, np.where(g < 0.0, -1.0, 1.0), np.where(f < 0.0, -1.0, 1.0))
    c = np.where(length > 0.0, np.abs(f) / divisor, 1.0)
    return c, sign * g / divisor, np.where(g == 0.0, f, sign * length)


def _turn_both(u: Array, v: Array, here: Array, there: Array, turn: Array, first: Array, second: Array) -> None:
    """What is turned first on the way down is turned second on the way up."""
    (c, s), (c_other, s_other) = first, second
    is_down = turn == 1
    _turn(v, here, there, np.where(is_down, c, c_other), np.where(is_down, s, s_other))
    _turn(u, here, there, np.where(is_down, c_other, c), np.where(is_down, s_other, s))


def _turn(rows: Array, here: Array, there: Array, c: Array, s: Array) -> None:
    upper, lower = rows[here].copy(), rows[there].copy()
    rows[there] = c * lower - s * upper
    rows[here] = s * lower + c * upper


def _split(d: Array, e: Array, u: Array, v: Array, k: Array) -> None:
    """The block of two at a place, as LAPACK's `lasv2` does it."""
    f, g, h = d[k], e[k], d[k + 1]
    is_swapped = np.abs(h) > np.abs(f)
    ft, ht = np.where(is_swapped, h, f), np.where(is_swapped, f, h)
    fa, ga, ha = np.abs(ft), np.abs(g), np.abs(ht)
    is_far = fa <= 0.5 * np.finfo(d.dtype).eps * ga
    ft, fa = np.where(is_far, 1.0, ft), np.where(is_far, 1.0, fa)
    m, part = np.where(is_far, 0.0, g) / ft, 1.0 - ha / fa
    t = 2.0 - part
    s, r = np.sqrt(t * t + m * m), np.sqrt(part * part + m * m)
    a = 0.5 * (s + r)
    t = (m / (s + t) + m / np.where(r + part > 0.0, r + part, 1.0)) * (1.0 + a)
    length = np.sqrt(t * t + 4.0)
    c_right, s_right = 2.0 / length, t / length
    c_left, s_left = (c_right + s_right * m) / a, ht / ft * s_right / a
    first, second = np.where(is_swapped, h, f) / g, ht / g
    c_left, s_left = np.where(is_far, 1.0, c_left), np.where(is_far, second, s_left)
    c_right, s_right = np.where(is_far, first, c_right), np.where(is_far, 1.0, s_right)
    large, small = np.where(is_far, ga, fa * a), np.where(is_far, np.abs(first * ht), ha / a)
    cl, sl = np.where(is_swapped, s_right, c_left), np.where(is_swapped, c_right, s_left)
    cr, sr = np.where(is_swapped, s_left, c_right), np.where(is_swapped, c_left, s_right)
    by_f = np.copysign(1.0, cr) * np.copysign(1.0, cl) * np.copysign(1.0, f)
    by_g = np.copysign(1.0, sr) * np.copysign(1.0, cl) * np.copysign(1.0, g)
    by_h = np.copysign(1.0, sr) * np.copysign(1.0, sl) * np.copysign(1.0, h)
    sign = np.where(ga > fa, by_g, np.where(is_swapped, by_h, by_f))
    d[k] = np.copysign(large, sign)
    d[k + 1] = np.copysign(small, sign * np.copysign(1.0, f) * np.copysign(1.0, h))
    e[k] = 0.0
    _turn(v, k, k + 1, cr, sr)
    _turn(u, k, k + 1, cl, sl)
