"""Singular values, and what is made of them, as NumPy programs.

Singular values of small matrices are found by rotations of pairs of columns, on numbers without a derivative; those of
others, and all vectors, by Python. Their derivative is the diagonal of `u.T @ da @ v`, and for second ones they are the
lengths of `a @ v` for eigenvectors `v` of `a.T @ a`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, derivatives, held
from daad.frontend.library.linear import hermitian as hermitian_of
from daad.frontend.library.linear import inv
from daad.frontend.library.spectral.complex_vectors import complex_vectors
from daad.frontend.library.spectral.eigen import better_pairs, eigh, of_scipy
from daad.frontend.library.spectral.null_vectors import rest_of
from daad.frontend.library.spectral.turns import STEEP, beside, moved, slopes_of, slopes_of_sums, turned

Array = Any  # staged while the program is read

FEW = 25
"""Columns of a matrix whose singular values are found by rotations."""
SWEEPS = 40
TWICE = "Singular vectors have first derivatives only"
SINGULAR = "Of a singular matrix there is more than one nearest orthogonal one"


class SVDResult(NamedTuple):
    """As NumPy's."""

    U: Array
    S: Array
    Vh: Array


def plain_norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """A norm that needs no singular values."""
    return np.linalg.norm(x, ord, axis, keepdims)


def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    x = np.asarray(x)
    if not _is_of_values(ord, x.ndim if axis is None else np.size(axis)):
        return plain_norm(x, ord, axis, keepdims)
    places = (0, 1) if axis is None else axis
    found = _norm_of_values(_values_of_each(np.moveaxis(x, places, (-2, -1))), ord)
    return np.expand_dims(found, tuple(k % x.ndim for k in places)) if keepdims else found


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    return norm(x, ord, (-2, -1), keepdims)


def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Of a matrix that is called Hermitian, the lower triangle counts."""
    a = np.asarray(a)
    if hermitian:
        a = hermitian_of(a, True)
    if not compute_uv:
        return _values_of_each(a)
    return SVDResult(*(_of_symmetric(a) if hermitian else _with_vectors(a, full_matrices, np.linalg.svd)))


def svdvals(x: Array, /) -> Array:
    return _values_of_each(np.asarray(x))


def norm_of_scipy(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """A Python number, where BLAS or LAPACK computes it."""
    found, a = norm(a, ord, axis, keepdims), np.asarray(a)
    of_one_call = {1: (None, 2), 2: (1, math.inf)}.get(a.ndim, ())
    return float(found) if ord in of_one_call and axis is None and not keepdims and a.dtype.kind == "f" else found


def svd_of_scipy(a: Array, full_matrices: bool = True, compute_uv: bool = True, lapack_driver: str = "gesdd") -> Any:
    if not compute_uv:
        return svdvals(a)

    def by_driver(a: Array, full_matrices: bool) -> Any:
        return of_scipy("svd")(a, full_matrices, lapack_driver=lapack_driver)

    a = np.asarray(a) * 1.0
    if a.ndim != 2:
        raise ValueError("A matrix is expected")
    return _with_vectors(a, full_matrices, by_driver)


def svdvals_of_scipy(a: Array) -> Array:
    return svdvals(a)


def cond(x: Array, p: Any = None) -> Array:
    if p is None or p in (2, -2):
        values = svdvals(x)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else first / last
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    a = np.asarray(A)
    if a.ndim < 2:
        return int(np.any(a != 0))
    if any(given is not None and np.ndim(given) > 0 for given in (tol, rtol)):
        raise ValueError("Several tolerances are not supported")
    values = held(svd(a, compute_uv=False, hermitian=hermitian))
    part = max(a.shape[-2:]) * np.finfo(values.dtype).eps if rtol is None else rtol
    least = values[..., :1] * part if tol is None else tol
    return np.count_nonzero(values > least, axis=-1)


def polar(a: Array, side: str = "right") -> Any:
    """The nearest matrix with orthogonal columns (or rows), and what is left; singular values must not be zero."""
    if np.iscomplexobj(a):
        return _polar_of_complex(np.asarray(a), side)
    a = _matrix(a)
    if side == "left":
        u, p = polar(a.T)
        return u.T, p.T
    u = _orthogonal(a.T).T if a.shape[0] < a.shape[1] else _orthogonal(a)
    p = u.T @ a
    return u, 0.5 * (p + p.T)


def _polar_of_complex(a: Array, side: str) -> tuple[Array, Array]:
    """Complex numbers as blocks of real ones."""
    m, n = a.shape
    rows = np.concatenate((a.real, -a.imag), axis=1), np.concatenate((a.imag, a.real), axis=1)
    u, p = polar(np.concatenate(rows, axis=0), side)
    size = m if side == "left" else n
    return u[:m, :n] + 1j * u[m:, :n], p[:size, :size] + 1j * p[size:, :size]


def orthogonal_procrustes(A: Array, B: Array) -> Any:
    product = (_matrix(B).T @ _matrix(A)).T
    return _orthogonal(product), np.sum(svdvals(product))


def _is_of_values(ord: Any, dimensions: int) -> bool:
    return dimensions == 2 and (ord == "nuc" or (not isinstance(ord, str) and ord is not None and abs(ord) == 2))


def _norm_of_values(values: Array, ord: Any) -> Array:
    return np.sum(values, axis=-1) if ord == "nuc" else values[..., 0 if ord == 2 else -1]


def _matrix(a: Array) -> Array:
    a = _real(a)
    if a.ndim != 2:
        raise ValueError("A matrix is expected")
    return a


def _real(a: Array) -> Array:
    if np.iscomplexobj(a):
        raise ValueError("Singular values of complex matrices are not supported")
    return np.asarray(a) * 1.0


def _values_of_each(a: Array) -> Array:
    a = np.asarray(a) * 1.0
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.ndim == 2:
        return _values(a)
    matrices = a.reshape((-1, *a.shape[-2:]))
    found = np.empty((len(matrices), min(a.shape[-2:])), a.real.dtype)
    for k in range(len(matrices)):
        found[k] = _values(matrices[k])
    return found.reshape((*a.shape[:-2], -1))


def _complex_values(a: Array) -> Array:
    if derivatives() > 1:
        raise ValueError("Singular values of complex matrices have first derivatives only")
    real, imag, few = held(a.real), held(a.imag), min(a.shape)
    left, right = np.zeros((a.shape[0], few), real.dtype), np.zeros((few, a.shape[1]), real.dtype)

    def found() -> Any:
        u, s, vh = np.linalg.svd(real + 1j * imag, full_matrices=False)
        return s, u.real.copy(), u.imag.copy(), vh.real.copy(), vh.imag.copy()

    s, u_real, u_imag, v_real, v_imag = by_python(found, (left[0], left, left, right, right))
    images = a @ (v_real - 1j * v_imag).T
    return anchored(np.sum(((u_real - 1j * u_imag) * images).real, axis=0), s)


def _values(a: Array) -> Array:
    if np.iscomplexobj(a):
        return _complex_values(a)
    if a.shape[0] < a.shape[1]:
        return _values(a.T)
    u, s, v = singular(held(a))
    if derivatives() == 1:
        return anchored(np.sum(u * (a @ v), axis=0), s)
    sums = s[:, np.newaxis] + s
    slopes = slopes_of(s) / np.where(sums > 0.0, sums, 1.0)
    images = a @ v
    squares, vectors = s * s, anchored(v @ ((images.T @ images) * slopes), v)
    for _ in range(2, derivatives()):
        images = a @ vectors
        squares, vectors = better_pairs(images.T @ images, squares, vectors, slopes)
    return anchored(_lengths(a @ vectors) / _lengths(vectors), s)


def _with_vectors(a: Array, is_full: bool, method: Callable[..., Any]) -> tuple[Array, Array, Array]:
    """By LAPACK, whose signs nobody else finds in all matrices."""
    if a.ndim > 2:
        return _of_each(a, is_full, method)
    if derivatives() > 1:
        raise ValueError(TWICE)
    if np.iscomplexobj(a):
        return complex_vectors(a, is_full, method)
    a = _real(a)
    few = min(a.shape)
    left, s, right = _by_python(held(a), method, is_full)
    u, v = left[:, :few], right[:, :few]
    inner = u.T @ a @ v
    large = s > few * np.finfo(s.dtype).eps * s[0]
    inverse = np.where(large, 1.0 / np.where(large, s, 1.0), STEEP[s.dtype.char])
    slopes = slopes_of(s)
    values, both = moved(slopes, u, np.diagonal(inner), 0.5 * (inner + inner.T))
    apart = turned(slopes_of_sums(s), 0.5 * (inner - inner.T))
    u_change, v_change = u @ (both + apart), v @ (both - apart)
    if a.shape[0] > few:
        u_change = u_change + (a @ v - u @ inner) * inverse
    if a.shape[1] > few:
        v_change = v_change + (a.T @ u - v @ inner.T) * inverse
    if is_full:
        u, u_change = left, _with_rest(u_change, left, a @ v * inverse, a)
        v, v_change = right, _with_rest(v_change, right, a.T @ u[:, :few] * inverse, a.T)
    return anchored(u_change, u), anchored(beside(slopes, values, both), s), anchored(v_change, v).T


def _of_each(a: Array, is_full: bool, method: Callable[..., Any]) -> tuple[Array, Array, Array]:
    m, n = a.shape[-2:]
    few = min(m, n)
    matrices = a.reshape((-1, m, n))
    u = np.empty((len(matrices), m, m if is_full else few), a.dtype)
    s, vh = np.empty((len(matrices), few), a.real.dtype), np.empty((len(matrices), n if is_full else few, n), a.dtype)
    for k in range(len(matrices)):
        u[k], s[k], vh[k] = _with_vectors(matrices[k], is_full, method)
    before = a.shape[:-2]
    return u.reshape((*before, *u.shape[1:])), s.reshape((*before, few)), vh.reshape((*before, *vh.shape[1:]))


def _by_python(a: Array, method: Callable[..., Any], is_full: bool) -> tuple[Array, Array, Array]:
    m, n = a.shape
    few = min(m, n)
    like = np.empty((m, m if is_full else few)), np.empty(few), np.empty((n if is_full else few, n))
    u, s, v = by_python(lambda: tuple(method(a, full_matrices=is_full)), tuple(part.astype(a.dtype) for part in like))
    return u, s, v.T


def _with_rest(change: Array, vectors: Array, images: Array, a: Array) -> Array:
    """What the vectors of the null space change by, too: they stay orthogonal to the others. Where there are several,
    LAPACK takes what its reflections make of the last axes."""
    few, size = change.shape[1], len(vectors)
    if few == size:
        return change
    rest = vectors[:, few:]
    if size - few == 1:
        return np.concatenate((change, -vectors[:, :few] @ (images.T @ rest)), axis=1)
    found = rest_of(a)
    is_other = np.max(np.abs(held(found) - rest)) > math.sqrt(np.finfo(a.dtype).eps)
    return np.concatenate((change, found + np.where(is_other, STEEP[a.dtype.char], 0.0) * np.sum(a)), axis=1)


def _of_symmetric(a: Array) -> tuple[Array, Array, Array]:
    """By eigenvectors, as NumPy does it."""
    values, vectors = eigh(a)
    order = np.argsort(np.abs(held(values)), axis=-1, kind="stable")[..., ::-1]
    values = np.take_along_axis(values, order, axis=-1)
    vectors = np.take_along_axis(vectors, order[..., np.newaxis, :], axis=-1)
    return vectors, np.abs(values), np.conj(vectors * np.sign(values)[..., np.newaxis, :]).mT


def _lengths(columns: Array) -> Array:
    return np.sqrt(np.sum(columns * columns, axis=0))


def _orthogonal(a: Array) -> Array:
    """`u @ v.T` of the singular vectors: over sums of singular values, its derivative has no differences of them."""
    u, s, v = singular(held(a))
    if s[-1] <= len(s) * np.finfo(s.dtype).eps * s[0]:
        raise ValueError(SINGULAR)
    result = anchored(_change(a, u, s, v) @ v.T, u @ v.T)
    for _ in range(1, derivatives()):
        u = result @ v
        u = u + 0.5 * (u - u @ (u.T @ u))  # orthonormal columns
        result = anchored((u + _change(a, u, s, v)) @ v.T, result)
    return result


def _change(a: Array, u: Array, s: Array, v: Array) -> Array:
    """What makes `u.T @ a @ v` symmetric and `a @ v` lie in the columns of `u`."""
    inner = u.T @ a @ v
    turned = (inner - inner.T) / (s[:, np.newaxis] + s)
    across = a @ v - u @ inner
    return u @ turned + across / s


def singular(a: Array) -> tuple[Array, Array, Array]:
    """Left vectors as columns, singular values in descending order, right vectors as columns; no fewer rows than
    columns."""
    if a.shape[1] > FEW:
        return _by_python(a, np.linalg.svd, False)
    columns, v = a.T.copy(), np.eye(a.shape[1], dtype=a.dtype)
    if a.shape[1] > 1:
        _rotate(columns, v)
    s = np.sqrt(np.sum(columns * columns, axis=1))
    order = np.argsort(-s, kind="stable")
    s, columns, v = s[order], columns[order], v[order]
    return (columns / np.where(s > 0.0, s, 1.0)[:, np.newaxis]).T, s, v.T


def _rotate(columns: Array, v: Array) -> None:
    """Until all columns (rows of the array) are orthogonal."""
    n, least = len(columns), math.sqrt(columns.shape[1]) * np.finfo(columns.dtype).eps
    for _ in range(SWEEPS):
        rotations = 0
        squares = np.sum(columns * columns, axis=1)
        for p in range(n - 1):
            for q in range(p + 1, n):
                a, b, c = squares[p], squares[q], columns[p] @ columns[q]
                if np.abs(c) > least * np.sqrt(np.abs(a * b)):
                    rotations += 1
                    ratio = (b - a) / (2.0 * c)
                    tangent = np.copysign(1.0, ratio) / (np.abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                    sine = cosine * tangent
                    _turn(columns, p, q, cosine, sine)
                    _turn(v, p, q, cosine, sine)
                    squares[p], squares[q] = a - tangent * c, b + tangent * c
        if rotations == 0:
            break


def _turn(rows: Array, p: Array, q: Array, cosine: Array, sine: Array) -> None:
    first, second = rows[p].copy(), rows[q].copy()
    rows[p] = cosine * first - sine * second
    rows[q] = sine * first + cosine * second


LINALG: dict[str, Callable[..., Any]] = {
    "norm": norm,
    "matrix_norm": matrix_norm,
    "svd": svd,
    "svdvals": svdvals,
    "cond": cond,
    "matrix_rank": matrix_rank,
}
SCIPY: dict[str, Callable[..., Any]] = {
    "norm": norm_of_scipy,
    "svd": svd_of_scipy,
    "svdvals": svdvals_of_scipy,
    "polar": polar,
    "orthogonal_procrustes": orthogonal_procrustes,
}
