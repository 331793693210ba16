"""Eigenvalues and eigenvectors of symmetric matrices as NumPy programs.

Of small matrices they are found by LAPACK's method of implicit QL steps on a tridiagonal matrix, in its order and with
its signs, on numbers without a derivative; of others, by other methods, and where rounding decides about signs, Python
is called. Their derivatives are those of `v.T @ a @ v`, to which each of both is related linearly; second ones are
those of the same relation once more, for the vectors that have the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, derivatives, held, python_function
from daad.frontend.library.linear import _square, hermitian, solve
from daad.frontend.library.spectral.turns import beside, moved, of_any_phase, phases, slopes_of

Array = Any  # staged while the program is read

FEW = 25
"""Up to this size LAPACK's methods for symmetric matrices are one and the same."""
DOUBT = 1e-12
"""What is smaller, relative to the largest element, may be made of rounding errors."""
STEPS = 32
"""Steps for each eigenvalue, after which LAPACK gives up."""
PADE = [math.factorial(26 - k) / (math.factorial(13 - k) * math.factorial(k)) for k in range(14)]
PADE = [c / PADE[13] for c in PADE]
"""Coefficients of the quotient of order 13, which is exact to rounding up to a norm of REACH."""
REACH, SQUARINGS = 5.37, 16

of_scipy = partial(python_function, "scipy.linalg")
Method = Callable[[Array], Any]
"""Gives eigenvalues and eigenvectors of an array of Python's."""


class EighResult(NamedTuple):
    """As NumPy's."""

    eigenvalues: Array
    eigenvectors: Array


def eigh(a: Array, UPLO: str = "L") -> Any:
    return EighResult(*_of_each_pair(_square(a), UPLO))


def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    return _of_each_pair(_square(a), UPLO)[0]


def sqrtm(A: Array) -> Array:
    """Of symmetric matrices without negative eigenvalues; its derivative is that for any neighbour."""
    a = _square(A)
    known = held(a)
    if np.max(np.abs(known - known.T)) > 1e-12 * np.max(np.abs(known)):
        raise ValueError("'scipy.linalg.sqrtm' is supported for symmetric matrices only")
    values, v, _ = decomposed(known)
    if values[0] < 0.0:
        raise ValueError("'scipy.linalg.sqrtm' of a matrix with negative eigenvalues is complex: not supported")
    roots = np.sqrt(values)
    sums = roots[:, np.newaxis] + roots
    root = anchored(v @ ((v.T @ (a - known) @ v) / sums) @ v.T, (v * roots) @ v.T)
    for _ in range(1, derivatives()):
        root = anchored(root + v @ ((v.T @ (a - root @ root) @ v) / sums) @ v.T, root)
    return root


def expm(A: Array) -> Array:
    """Scaling, an approximation by a quotient of polynomials, and squaring."""
    a = _square(A)
    if a.ndim == 2:
        return _exponential(a)
    matrices = a.reshape((-1, *a.shape[-2:]))
    return np.stack([_exponential(matrices[k]) for k in range(len(matrices))]).reshape(a.shape)


def _exponential(a: Array) -> Array:
    times = np.maximum(np.ceil(np.log2(np.max(np.sum(held(np.abs(a)), axis=0)) / REACH)), 0.0)
    if times > SQUARINGS:
        raise ValueError("'scipy.linalg.expm' of a matrix so large is not supported")
    a = a / np.exp2(times)
    powers = [np.eye(len(a), dtype=a.dtype), a @ a]
    powers += [powers[1] @ powers[1], powers[1] @ powers[1] @ powers[1]]
    low = [sum(c * x for c, x in zip(PADE[k : k + 7 : 2], powers, strict=False)) for k in (0, 1)]
    high = [sum(c * x for c, x in zip(PADE[k::2], powers[1:], strict=False)) for k in (8, 9)]
    even, odd = powers[3] @ high[0] + low[0], a @ (powers[3] @ high[1] + low[1])
    result = solve(even - odd, even + odd)
    for k in range(SQUARINGS):
        if k < times:
            result = result @ result
    return result


def _of_each_pair(a: Array, uplo: str, method: Method | None = None) -> tuple[Array, Array]:
    """Of what one triangle of each matrix stands for; by NumPy's method where no other is given."""
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    is_upper = uplo.upper() == "U"
    a = hermitian(a, not is_upper)
    pair = _complex_pair if np.iscomplexobj(a) else _pair
    if a.ndim == 2:
        return pair(a, is_upper, method)
    matrices = a.reshape((-1, *a.shape[-2:]))
    values, vectors = np.empty(matrices.shape[:2], a.real.dtype), np.empty(matrices.shape, a.dtype)
    for k in range(len(matrices)):
        values[k], vectors[k] = pair(matrices[k], is_upper, method)
    return values.reshape(a.shape[:-1]), vectors.reshape(a.shape)


def _pair(a: Array, is_upper: bool, method: Method | None) -> tuple[Array, Array]:
    """Eigenvalues `w`, eigenvectors `v`: `dw` is the diagonal of `v.T @ da @ v`, `dv` is `v` times the rest of it over
    the differences of eigenvalues."""
    w, v = _found(held(a), is_upper, method)
    if method is not None and len(a) <= FEW and derivatives() == 1:  # then Python is called for the vectors alone
        w, q, _ = decomposed(held(a), is_upper)
        slopes, images = slopes_of(w), a @ q
        change, turn = moved(slopes, q, np.sum(q * images, axis=0), q.T @ images)
        return anchored(beside(slopes, change, turn), w), anchored(q @ turn @ (q.T @ v), v)
    slopes, images = slopes_of(w), a @ v
    change, turn = moved(slopes, v, np.sum(v * images, axis=0), v.T @ images)
    values, vectors = anchored(beside(slopes, change, turn), w), anchored(v @ turn, v)
    for _ in range(1, derivatives()):
        values, vectors = better_pairs(vectors.T @ a @ vectors, values, vectors, slopes)
    return values, vectors


def _complex_pair(a: Array, is_upper: bool, method: Method | None) -> tuple[Array, Array]:
    """The same of a Hermitian matrix, as Python finds them: LAPACK's vectors have a real first element, or a real last
    one where it begins with the upper triangle."""
    if derivatives() > 1:
        raise ValueError("Eigenvalues of complex matrices have first derivatives only")
    real, imag = held(a.real), held(a.imag)

    def found() -> Any:
        matrix = real + 1j * imag
        w, v = np.linalg.eigh(matrix, "U" if is_upper else "L") if method is None else method(matrix)
        return w, v.real.copy(), v.imag.copy()

    w, v_real, v_imag = by_python(found, (real[0], real, real))
    v, end = v_real + 1j * v_imag, len(a) - 1 if is_upper else 0
    inner = np.conj(v.T) @ a @ v
    slopes = slopes_of(w)
    values, turn = moved(slopes, v, np.diagonal(inner).real, inner)
    change = v @ turn
    phase, is_loose = phases(change[end], v_real[end])
    change = change - 1j * phase * v
    real, imag = of_any_phase(is_loose, change.real, change.imag, v_real, v_imag)
    vectors = anchored(real, v_real) + 1j * anchored(imag, v_imag)
    return anchored(beside(slopes, values, turn.real), w), vectors


def _found(a: Array, is_upper: bool, method: Method | None) -> tuple[Array, Array]:
    def found() -> Any:
        return tuple(np.linalg.eigh(a, "U" if is_upper else "L") if method is None else method(a))

    if method is None and len(a) <= FEW and a.dtype == np.float64:
        w, v, are_sure = decomposed(a, is_upper)
        if not are_sure:
            w, v = by_python(found, (a[0], a))
        return w, v
    return by_python(found, (a[0], a))


def better_pairs(inner: Array, values: Array, vectors: Array, slopes: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors with one more derivative that is right, from `inner = vectors.T @ a @ vectors`.

    The quotients of Rayleigh, and a step to where `inner` is diagonal and the vectors are orthonormal (T. Ogita,
    K. Aishima, Iterative refinement for symmetric eigenvalue decomposition, 2018), with the slopes of the first one.
    """
    products = vectors.T @ vectors
    lengths = np.diagonal(products)
    quotients = np.diagonal(inner) / lengths
    quotients, turn = moved(slopes, held(vectors), quotients, inner - products * quotients)
    step = turn + np.diag(0.5 * (1.0 - lengths))
    quotients = beside(slopes, quotients, turn)
    return anchored(quotients, values), anchored(vectors + vectors @ step, vectors)


def decomposed(a: Array, is_upper: bool = False) -> tuple[Array, Array, Array]:
    """Eigenvalues in ascending order and eigenvectors as columns, of a symmetric matrix; with the upper triangle LAPACK
    begins at the other end. And whether no rounding decides about signs: no eigenvalues are zero or meet, and no number
    that steers the method is as small as rounding errors are."""
    largest = np.max(np.abs(a))
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    d, e, q = _from_the_end(a / scale) if is_upper else _tridiagonal(a / scale)
    steers = np.abs(e[:-1]) > DOUBT
    z = np.eye(len(d), dtype=d.dtype)
    if len(d) > 1:
        _iterate(d, e, z)
        _sort(d, z)
    is_apart = np.append(d[1:], np.inf) - d > DOUBT
    return d * scale, q @ z.T, np.all(steers) and np.all(is_apart & (np.abs(d) > DOUBT))


def _tridiagonal(a: Array) -> tuple[Array, Array, Array]:
    """The diagonal, what is below it (with a zero at the end), and the reflections as one matrix."""
    a, n = a.copy(), len(a)
    q = np.eye(n, dtype=a.dtype)
    for i in range(n - 2):
        first, below = a[i + 1, i], a[i + 2 :, i] @ a[i + 2 :, i]
        if below > 0.0:
            beta = -np.copysign(np.sqrt(first * first + below), first)
            tau = (beta - first) / beta
            v = a[i + 1 :, i] / (first - beta)
            v[0] = 1.0
            w = tau * (a[i + 1 :, i + 1 :] @ v)
            w = w - 0.5 * tau * (w @ v) * v
            a[i + 1 :, i + 1 :] -= np.outer(v, w) + np.outer(w, v)
            a[i + 1, i] = beta
            q[:, i + 1 :] -= tau * np.outer(q[:, i + 1 :] @ v, v)
    e = np.zeros(n, a.dtype)
    e[: n - 1] = np.diagonal(a, -1)
    return np.diagonal(a).copy(), e, q


def _from_the_end(a: Array) -> tuple[Array, Array, Array]:
    d, e, q = _tridiagonal(a[::-1, ::-1])
    return d[::-1].copy(), np.append(e[: len(d) - 1][::-1], 0.0), q[::-1, ::-1]


def _iterate(d: Array, e: Array, z: Array) -> None:
    """Steps on one unreduced block after the other, from that end of it which is smaller; rows of `z` are vectors.

    `first` is where the next block begins; `low` and `high` are the ends of the one at hand, and a step goes towards
    `low` where `turn` is 1, towards `high` where it is -1.
    """
    n, eps = len(d), 0.5 * np.finfo(d.dtype).eps
    places = np.arange(n)
    first: Array = 0
    low: Array = 0
    high: Array = -1
    turn: Array = 1
    for _ in range(STEPS * n + 2 * n):
        sizes = np.abs(d)
        if low > high:
            if first >= n:
                break
            if first > 0:
                e[first - 1] = 0.0
            following = np.append(sizes[1:], 0.0)
            small = np.abs(e) <= np.sqrt(sizes) * np.sqrt(following) * eps
            low = first
            high = np.argmax((places >= low) & (small | (places == n - 1)))
            e[high] = 0.0
            turn = -1 if sizes[high] < sizes[low] else 1
            first = high + 1
        else:
            low, high = _step(d, e, z, low, high, turn, eps)


def _step(d: Array, e: Array, z: Array, low: Array, high: Array, turn: Array, eps: Any) -> tuple[Array, Array]:
    """Splits off one or two eigenvalues at the end at hand, or does a step; what is left of the block."""
    n, tiny = len(d), np.finfo(d.dtype).tiny
    places = np.arange(n)
    products = np.abs(d) * np.append(np.abs(d)[1:], 0.0)
    small = e * e <= eps * eps * products + tiny
    begin = low if turn == 1 else high
    if turn == 1:
        end = np.argmax((places >= low) & (small | (places == high)))
        edge = end
    else:
        end = n - 1 - np.argmax(((places <= high) & (np.append(True, small[:-1]) | (places == low)))[::-1])
        edge = end - 1
    if end != (high if turn == 1 else low):
        e[edge] = 0.0
    length = turn * (end - begin)
    if length == 1:
        _split(d, e, z, min(begin, end))
    if length > 1:
        _sweep(d, e, z, begin, end, turn)
    done = 1 if length == 0 else 2 if length == 1 else 0
    return (low + done, high) if turn == 1 else (low, high - done)


def _sweep(d: Array, e: Array, z: Array, begin: Array, end: Array, turn: Array) -> None:
    """One implicit step from `end` to `begin`."""
    back = 0 if turn == 1 else -1  # the element of `e` between places k and k + turn is at min(k, k + turn)
    p = d[begin]
    between = e[begin + back]
    g = (d[begin + turn] - p) / (2.0 * between)
    g = d[end] - p + between / (g + np.copysign(np.sqrt(g * g + 1.0), g))
    s, c, p = 1.0, 1.0, 0.0
    length = turn * (end - begin)
    for k in range(len(d) - 1):
        if k < length:
            here = end - turn * (k + 1)
            there = here + turn
            f, b = s * e[here + back], c * e[here + back]
            c, s, r = _rotation(g, f)
            if k > 0:
                e[there + back] = r
            g = d[there] - p
            r = (d[here] - g) * s + 2.0 * c * b
            p = s * r
            d[there] = g + p
            g = c * r - b
            upper, lower = z[here].copy(), z[there].copy()
            z[there] = c * lower + s * upper
            z[here] = c * upper - s * lower
    d[begin] -= p
    e[begin + back] = g


def _rotation(f: Array, g: Array) -> tuple[Array, Array, Array]:
    """Cosine and sine of what turns (f, g) to (r, 0)."""
    if g == 0.0:
        c, s, r = 1.0, 0.0, f
    elif f == 0.0:
        c, s, r = 0.0, np.copysign(1.0, g), np.abs(g)
    else:
        length = np.sqrt(f * f + g * g)
        r = np.copysign(length, f)
        c, s = np.abs(f) / length, g / r
    return c, s, r


def _split(d: Array, e: Array, z: Array, k: Array) -> None:
    """Eigenvalues and vectors of the block of two at a place, that of larger size first."""
    a, b, c = d[k], e[k], d[k + 1]
    difference, double = a - c, 2.0 * b
    root = np.sqrt(difference * difference + double * double)
    sign = -1.0 if a + c < 0.0 else 1.0
    large = 0.5 * (a + c + sign * root)
    outer, inner = (a, c) if np.abs(a) > np.abs(c) else (c, a)
    small = -0.5 * root if a + c == 0.0 else outer / large * inner - b / large * b
    side = 1.0 if difference >= 0.0 else -1.0
    cosine = difference + side * root
    if np.abs(cosine) > np.abs(double):
        tangent = -double / cosine
        sine = 1.0 / np.sqrt(1.0 + tangent * tangent)
        cosine = tangent * sine
    elif double == 0.0:
        cosine, sine = 1.0, 0.0
    else:
        tangent = -cosine / double
        cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
        sine = tangent * cosine
    if sign == side:
        cosine, sine = -sine, cosine
    upper, lower = z[k].copy(), z[k + 1].copy()
    z[k + 1] = cosine * lower - sine * upper
    z[k] = sine * lower + cosine * upper
    d[k], d[k + 1] = large, small
    e[k] = 0.0


def _sort(d: Array, z: Array) -> None:
    """By exchanges, as LAPACK does it."""
    for k in range(len(d) - 1):
        least = k + np.argmin(d[k:])
        d[k], d[least] = d[least], d[k]
        z[k], z[least] = z[least].copy(), z[k].copy()


LINALG: dict[str, Callable[..., Any]] = {"eigh": eigh, "eigvalsh": eigvalsh}
SCIPY: dict[str, Callable[..., Any]] = {
    "expm": expm,
}
