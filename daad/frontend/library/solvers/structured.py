"""Factors and systems of matrices with a structure, of `scipy.linalg`: diagonals, Toeplitz's, circulant ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, held
from daad.frontend.library.linear import SCIPY, order_of_rows
from daad.frontend.library.solvers.matrix_equations import array_of_scipy
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.spectral.eigen import _of_each_pair, of_scipy

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]


def lu(a: Array, permute_l: bool = False, p_indices: bool = False) -> Any:
    """With the largest pivot of each column, whose place has no derivative."""
    a = np.asarray(a) * 1.0
    order, low, up = _factors(a)
    back = np.argsort(order, kind="stable").astype(np.int32)
    if permute_l:
        return low[back], up
    return (back, low, up) if p_indices else (np.eye(len(a))[back][:, np.arange(len(a))], low, up)


def _factors(a: Array) -> tuple[Array, Array, Array]:
    m, n = a.shape
    size = min(m, n)
    order = order_of_rows(a.copy(), min(m - 1, n))
    a = a[order]
    for k in range(min(m - 1, n)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return order, np.tril(a[:, :size], -1) + np.eye(m, size, dtype=a.dtype), np.triu(a[:size])


def lu_factor(a: Array) -> tuple[Array, Array]:
    """Both factors in one array, and with which row each row changes places."""
    a = np.asarray(a) * 1.0
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("'scipy.linalg.lu_factor' is supported for one square matrix")
    order, low, up = _factors(a)
    return np.tril(low, -1) + up, _exchanges(order).astype(np.int32)


def _exchanges(order: Array) -> Array:
    places, found = np.arange(len(order)), np.arange(len(order))
    for k in range(len(order)):
        p = k + np.argmax(places[k:] == order[k])
        found[k] = p
        places[k], places[p] = places[p], places[k]
    return found


def _order(exchanges: Array) -> Array:
    order = np.arange(len(exchanges))
    for k in range(len(exchanges)):
        p = exchanges[k]
        order[k], order[p] = order[p], order[k]
    return order


def lu_solve(lu_and_piv: Any, b: Array, trans: int = 0) -> Array:
    factors, order = np.asarray(lu_and_piv[0]), _order(lu_and_piv[1])
    b = np.asarray(b) * 1.0
    triangular = SCIPY["solve_triangular"]
    if np.iscomplexobj(factors):
        b = b + 0j
    if trans == 0:
        return triangular(factors, triangular(factors, b[order], 0, True, True), 0, False)
    found = triangular(factors, triangular(factors, b, trans, False), trans, True, True)
    return found[np.argsort(order, kind="stable")]


def _banded_value(below: int, above: int, ab: Array, b: Array) -> Array:
    return array_of_scipy("solve_banded", (below, above), ab, b)


def _turned(below: int, above: int, ab: Array) -> Array:
    """The diagonals of the transposed matrix."""
    n, found = ab.shape[1], np.zeros_like(ab)
    for k in range(-below, above + 1):
        first, count = max(k, 0), n - abs(k)
        found[below + k, max(-k, 0) : max(-k, 0) + count] = ab[above - k, first : first + count]
    return found


def _banded_bars(args: Any, x: Array, bar: Array) -> Bars:
    below, above, ab, _ = args
    b_bar = _banded_value(above, below, _turned(below, above, ab), bar)
    n, found = ab.shape[1], np.zeros_like(ab)
    for k in range(-below, above + 1):
        cols = np.arange(max(k, 0), max(k, 0) + n - abs(k))
        share = b_bar[cols - k] * x[cols]
        found[above - k, cols] = -(share if share.ndim == 1 else share.sum(axis=1))
    return None, None, found, b_bar


def solve_banded(l_and_u: Any, ab: Array, b: Array) -> Array:
    ab, b = np.asarray(ab) * 1.0, np.asarray(b) * 1.0
    below, above = (int(k) for k in l_and_u)
    return opaque(_banded_value, _banded_bars, np.zeros(b.shape), below, above, ab, b)


def _whole(ab: Array, lower: bool) -> Array:
    """All diagonals of the symmetric matrix of which these are half."""
    u, n = ab.shape[0] - 1, ab.shape[1]
    found = np.zeros((2 * u + 1, n), ab.dtype)
    for k in range(u + 1):
        own = ab[k, : n - k] if lower else ab[u - k, k:]
        found[u - k, k:] = own
        found[u + k, : n - k] = own
    return found


def solveh_banded(ab: Array, b: Array, lower: bool = False) -> Array:
    ab = np.asarray(ab) * 1.0
    u = ab.shape[0] - 1
    return solve_banded((u, u), _whole(ab, lower), b)


def _dense(ab: Array, lower: bool) -> Array:
    u, n = ab.shape[0] - 1, ab.shape[1]
    found = np.zeros((n, n), ab.dtype)
    for k in range(u + 1):
        own = ab[k, : n - k] if lower else ab[u - k, k:]
        places = np.arange(n - k)
        found[places + k, places] = own
        found[places, places + k] = own
    return found


def cholesky_banded(ab: Array, lower: bool = False) -> Array:
    ab = np.asarray(ab) * 1.0
    u, n = ab.shape[0] - 1, ab.shape[1]
    factor, found = np.linalg.cholesky(_dense(ab, lower)), ab.copy()
    for k in range(u + 1):
        own = np.diagonal(factor, -k)
        if lower:
            found[k, : n - k] = own
        else:
            found[u - k, k:] = own
    return found


def cho_solve_banded(cb_and_lower: Any, b: Array) -> Array:
    cb, lower = cb_and_lower
    u, b = cb.shape[0] - 1, np.asarray(b) * 1.0
    cb, zero = np.asarray(cb) * 1.0, 0 * cb.shape[0]
    if lower:
        above = _flipped(cb)
        return solve_banded((zero, u), above, solve_banded((u, zero), cb, b))
    return solve_banded((zero, u), cb, solve_banded((u, zero), _flipped(cb, False), b))


def _flipped(cb: Array, lower: bool = True) -> Array:
    """The diagonals of the transposed factor."""
    u, n = cb.shape[0] - 1, cb.shape[1]
    found = np.zeros(cb.shape)
    for k in range(u + 1):
        if lower:
            found[u - k, k:] = cb[k, : n - k]
        else:
            found[k, : n - k] = cb[u - k, k:]
    return found


def toeplitz(c: Array, r: Any = None) -> Array:
    column = _vector(c)
    row = np.conj(column) if r is None else _vector(r)
    values = np.concatenate((row[:0:-1], column))
    places = np.arange(len(column))[:, np.newaxis] - np.arange(len(row)) + len(row) - 1
    return values[places]


def _vector(c: Array) -> Array:
    """Of arrays of more dimensions, SciPy's versions make different things."""
    c = np.atleast_1d(np.asarray(c))
    if c.ndim > 1:
        raise ValueError("Rows and columns that are no vectors are not supported")
    return c


def _toeplitz_value(c: Array, r: Array, b: Array) -> Array:
    return array_of_scipy("solve_toeplitz", (c, r), b)


def _toeplitz_bars(args: Any, x: Array, bar: Array) -> Bars:
    c, r, _ = args
    b_bar = _toeplitz_value(np.concatenate((c[:1], r[1:])), np.concatenate((c[:1], c[1:])), bar)
    share = -(b_bar @ x.T if x.ndim == 2 else np.outer(b_bar, x))
    n = len(c)
    row_bar = np.array([0.0, *(np.trace(share, k) for k in range(1, n))])
    return np.array([np.trace(share, -k) for k in range(n)]), row_bar, b_bar


def solve_toeplitz(c_or_cr: Any, b: Array) -> Array:
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, c_or_cr)
    c, r, b = _vector(c) * 1.0, _vector(r) * 1.0, np.asarray(b) * 1.0
    return opaque(_toeplitz_value, _toeplitz_bars, np.zeros(b.shape), c, r, b)


def issymmetric(a: Array, atol: float | None = None, rtol: float | None = None) -> Any:
    known = held(np.asarray(a) * 1.0)
    return by_python(lambda: bool(of_scipy("issymmetric")(known, atol=atol, rtol=rtol)), True)


def ishermitian(a: Array, atol: float | None = None, rtol: float | None = None) -> Any:
    known = held(np.asarray(a) * 1.0)
    return by_python(lambda: bool(of_scipy("ishermitian")(known, atol=atol, rtol=rtol)), True)


def bandwidth(a: Array) -> Any:
    known = held(np.asarray(a) * 1.0)
    lower, upper = by_python(lambda: tuple(int(k) for k in of_scipy("bandwidth")(known)), (0, 0))
    return int(lower), int(upper)


def circulant(c: Array) -> Array:
    values = _vector(c)
    n = len(values)
    return values[(np.arange(n)[:, np.newaxis] - np.arange(n)) % n]


def block_diag(*arrs: Array) -> Array:
    blocks = [np.atleast_2d(np.asarray(one)) for one in arrs]
    shape = (sum(one.shape[0] for one in blocks), sum(one.shape[1] for one in blocks))
    found = np.zeros(shape, np.result_type(*blocks))
    row = col = 0
    for one in blocks:
        found[row : row + one.shape[0], col : col + one.shape[1]] = one
        row, col = row + one.shape[0], col + one.shape[1]
    return found


def _tridiagonal(d: Array, e: Array) -> Array:
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def eigh_tridiagonal(
    d: Array,
    e: Array,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: Any = None,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Any:
    d, e = np.asarray(d) * 1.0, np.asarray(e) * 1.0

    def found(a: Array) -> Any:
        places = (select, select_range)
        whole = partial(of_scipy("eigh_tridiagonal"), np.diagonal(a), np.diagonal(a, 1), tol=tol)
        return _as_chosen(partial(whole, lapack_driver="auto" if select != "a" else lapack_driver), whole, places)

    return _selected(_tridiagonal(d, e), True, found, eigvals_only, select, select_range)


def eigvalsh_tridiagonal(
    d: Array, e: Array, select: str = "a", select_range: Any = None, tol: float = 0.0, lapack_driver: str = "auto"
) -> Any:
    return eigh_tridiagonal(d, e, True, select, select_range, tol, lapack_driver)


def eig_banded(
    a_band: Array, lower: bool = False, eigvals_only: bool = False, select: str = "a", select_range: Any = None
) -> Any:
    band = np.asarray(a_band) * 1.0
    u = band.shape[0] - 1

    def found(a: Array) -> Any:
        rows = np.zeros((u + 1, len(a)), a.dtype)
        for k in range(u + 1):
            own = np.diagonal(a, k)
            rows[k if lower else u - k, slice(0, len(own)) if lower else slice(k, None)] = own
        whole = partial(of_scipy("eig_banded"), rows, lower=lower)
        return _as_chosen(whole, whole, (select, select_range))

    return _selected(_dense(band, lower), lower, found, eigvals_only, select, select_range)


def eigvals_banded(a_band: Array, lower: bool = False, select: str = "a", select_range: Any = None) -> Any:
    return eig_banded(a_band, lower, True, select, select_range)


def _as_chosen(whole: Any, some: Any, places: tuple[str, Any]) -> Any:
    """All pairs; those that are asked for have the signs that they are found with."""
    values, vectors = whole()
    if places[0] not in ("a", 0, "all"):
        few, own = some(select=places[0], select_range=places[1])
        first = np.argmin(np.abs(values - few[0])) if len(few) else 0
        values[first : first + len(few)], vectors[:, first : first + len(few)] = few, own
    return values, vectors


def _selected(a: Array, lower: bool, method: Any, eigvals_only: bool, select: str, select_range: Any) -> Any:
    """Those of some places in ascending order, or between two numbers (the upper one included)."""
    values, vectors = _of_each_pair(a, "L" if lower else "U", None if eigvals_only else method)
    if select in ("i", 1, "index"):
        chosen = slice(int(select_range[0]), int(select_range[1]) + 1)
        values, vectors = values[chosen], vectors[:, chosen]
    elif select in ("v", 2, "value"):
        inside = (values > select_range[0]) & (values <= select_range[1])
        values, vectors = values[inside], vectors[:, inside]
    return values if eigvals_only else (values, vectors)


STRUCTURED: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(lu, lu_factor, lu_solve, solve_banded, solveh_banded, cholesky_banded, cho_solve_banded),
        *(toeplitz, solve_toeplitz, circulant, block_diag, eigvalsh_tridiagonal, eigvals_banded),
        *(eigh_tridiagonal, eig_banded, issymmetric, ishermitian, bandwidth),
    )
}
