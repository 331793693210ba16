"""Linear systems, inverses, determinants and Cholesky factors as NumPy programs.

Elimination takes rows (for determinants, columns too) in an order that is found first, on a copy. The order has no
derivative; what is differentiated is elimination without pivoting, of a matrix in that order. Solutions of real
systems have the derivative of a step of refinement instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import anchored, derivatives, held
from daad.runtime.package_versions import is_at_least

Array = Any  # staged while the program is read


FEW_ROWS, BLOCK, MOST_BLOCKS = 64, 32, 8
"""Beyond so many rows elimination goes through blocks of columns, at least so wide, so many at most."""
SYMMETRIC = ("sym", "symmetric")
POSITIVE = ("pos", "positive definite")
HERMITIAN = ("her", "hermitian", *POSITIVE)
CLEANS = is_at_least("scipy", 1, 18)
"""Whether `cho_factor` leaves zeros in the other triangle."""


PARTS: dict[Any, Callable[[Array], Array]] = {
    "diagonal": lambda a: np.where(np.eye(a.shape[-1], dtype=bool), a, 0.0),
    "tridiagonal": lambda a: np.triu(np.tril(a, 1), -1),
    "upper triangular": lambda a: np.triu(a),
    "lower triangular": lambda a: np.tril(a),
}
"""What is looked at of a matrix that is said to have a structure."""


RANK = "The determinant of a matrix whose rank is lower by more than one has first derivatives only"


class SlogdetResult(NamedTuple):
    """As NumPy's."""

    sign: Array
    logabsdet: Array


def solve(a: Array, b: Array) -> Array:
    a = _square(a)
    a, b = in_one_precision(a, _side(a, b))
    if a.ndim == 2 and b.ndim < 3:
        return _solved(a, b)
    if b.ndim == 1:
        return solve(a, b[:, np.newaxis])[..., 0]
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    matrices = _stack(np.broadcast_to(a, (*shape[:-2], *a.shape[-2:])))
    x = _stack(np.broadcast_to(b, shape)).copy()
    for k in range(len(x)):
        x[k] = _solved(matrices[k], x[k])
    return x.reshape(shape)


def inv(a: Array) -> Array:
    a = _square(a)
    return solve(a, np.eye(a.shape[-1], dtype=a.dtype))


def matrix_power(a: Array, n: int) -> Array:
    """By squares of the matrix, or of its inverse."""
    a, digits = _of_matrices(np.asanyarray(a)), bin(n)
    if digits == "0b0":
        return np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape).copy()
    result = once = inv(a) if digits[0] == "-" else a
    for digit in digits.partition("b")[2][1:]:
        result = result @ result
        if digit == "1":
            result = result @ once
    return result


def det(a: Array) -> Array:
    return _of_each(_determinant, _square(a), ())


def slogdet(a: Array) -> Array:
    pairs = _of_each(_sign_and_logarithm, _square(a), (2,))
    return SlogdetResult(pairs[..., 0], pairs[..., 1].real)


def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """Of the lower triangle, or of the upper one: the rest of `a` is not looked at."""
    a = _square(a)
    if upper:
        return np.conj(_of_each(_lower_factor, np.conj(a.mT), a.shape[-2:]).mT)
    return _of_each(_lower_factor, a, a.shape[-2:])


def _square(a: Array) -> Array:
    """A copy in floating point."""
    return _of_matrices(np.asarray(a) * 1.0)


def _of_matrices(a: Array) -> Array:
    """The array, of square matrices."""
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _side(a: Array, b: Array) -> Array:
    """A copy of a right-hand side in floating point."""
    b = np.asarray(b) * 1.0
    if b.ndim == 0 or b.shape[-2:][0] != a.shape[-1]:
        raise ValueError("The shapes of the matrix and the right-hand side do not fit")
    kind = np.result_type(a, b)
    return b if b.dtype == kind else b.astype(kind)


def in_one_precision(a: Array, b: Array) -> tuple[Array, Array]:
    """Numbers in floating point, real or complex as they are."""
    kind = np.result_type(a, b)
    kinds = [kind if np.iscomplexobj(value) else np.finfo(kind).dtype for value in (a, b)]
    return a if a.dtype == kinds[0] else a.astype(kinds[0]), b if b.dtype == kinds[1] else b.astype(kinds[1])


def _stack(a: Array) -> Array:
    return a.reshape((-1, *a.shape[-2:]))


def _of_each(function: Callable[[Array], Array], a: Array, shape: tuple[int, ...]) -> Array:
    """What a function gives of each matrix of a stack: arrays of a shape."""
    if a.ndim == 2:
        return function(a)
    matrices = _stack(a)
    results = np.empty((len(matrices), *shape), a.dtype)
    for k in range(len(matrices)):
        results[k] = function(matrices[k])
    return results.reshape((*a.shape[:-2], *shape))


def _solved(a: Array, b: Array) -> Array:
    """With the derivative of steps of iterative refinement, of which the factors need none."""
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        order = order_of_rows(a.copy())
        return _substituted(_eliminated(a[order]), b[order])
    factors = held(a).copy()
    order = order_of_rows(factors)
    x = held(_substituted(factors, b[order]))
    for _ in range(derivatives()):
        x = anchored(x - _substituted(factors, (a @ x - b)[order]), x)
    return x


def _substituted(factors: Array, x: Array) -> Array:
    return _backward(factors, _forward(factors, x, True), False)


def _forward(a: Array, x: Array, unit: bool) -> Array:
    """Solves with the lower triangle of `a`, in place; a `unit` diagonal is not looked at."""
    for i in range(len(x)):
        x[i] -= a[i, :i] @ x[:i]
        if not unit:
            x[i] /= a[i, i]
    return x


def _backward(a: Array, x: Array, unit: bool) -> Array:
    """The same with the upper triangle."""
    for i in range(len(x) - 1, -1, -1):
        x[i] -= a[i, i + 1 :] @ x[i + 1 :]
        if not unit:
            x[i] /= a[i, i]
    return x


def _eliminated(a: Array) -> Array:
    """Both factors in place: the unit diagonal of the lower one is left out."""
    for k in range(len(a) - 1):
        _eliminate(a, k, a[k, k])
    return a


def _eliminate(a: Array, k: int, pivot: Array) -> None:
    """One column, in the rows below."""
    a[k + 1 :, k] /= pivot
    a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])


def _or_one(pivot: Array) -> Array:
    """Below a pivot of zero that is the largest there is nothing to eliminate."""
    return np.where(pivot == 0.0, 1.0, pivot)


def order_of_rows(
    a: Array, steps: int | None = None, pivot_of: Callable[[Array], Array] = lambda pivot: pivot
) -> Array:
    """The order in which each pivot is the largest of its column; `a` is overwritten by both factors."""
    if steps is None and a.shape[1] == len(a) > FEW_ROWS:
        return _order_by_blocks(a, pivot_of)
    order = np.arange(len(a))
    for k in range(len(a) - 1 if steps is None else steps):
        p = k + np.argmax(_size(a[k:, k]))
        a[k], a[p] = a[p].copy(), a[k].copy()
        order[k], order[p] = order[p], order[k]
        _eliminate(a, k, pivot_of(a[k, k]))
    return order


def _order_by_blocks(a: Array, pivot_of: Callable[[Array], Array]) -> Array:
    """The same with a product of matrices for each block of columns, but for that block itself."""
    n, order = len(a), np.arange(len(a))
    width = max(BLOCK, -(-n // MOST_BLOCKS))
    for start in range(0, n, width):
        end = min(start + width, n)
        for k in range(start, end):
            p = k + np.argmax(_size(a[k:, k]))
            a[k], a[p] = a[p].copy(), a[k].copy()
            order[k], order[p] = order[p], order[k]
            a[k + 1 :, k] /= pivot_of(a[k, k])
            a[k + 1 :, k + 1 : end] -= np.outer(a[k + 1 :, k], a[k, k + 1 : end])
        for i in range(start + 1, end):
            a[i, end:] -= a[i, start:i] @ a[start:i, end:]
        a[end:, end:] -= a[end:, start:end] @ a[start:end, end:]
    return order


def _size(a: Array) -> Array:
    """By which LAPACK compares pivots."""
    return np.abs(a.real) + np.abs(a.imag) if np.iscomplexobj(a) else np.abs(a)


def _lower_factor(a: Array) -> Array:
    factor = np.tril(a)
    for j in range(len(a)):
        row = np.conj(factor[j, :j])
        factor[j, j] = np.sqrt((factor[j, j] - factor[j, :j] @ row).real)
        factor[j + 1 :, j] = (factor[j + 1 :, j] - factor[j + 1 :, :j] @ row) / factor[j, j]
    return factor


def _pivots(a: Array) -> tuple[Array, Array]:
    """The pivots where each is the largest of all that is left, and the sign of the two orders.

    Thus a pivot of zero comes last, or with all others of a matrix whose derivative is zero.
    """
    rows, columns, sign = _orders(a.copy())
    a = a[rows][:, columns]
    for k in range(len(a) - 1):
        _eliminate(a, k, _or_one(a[k, k]))
    return np.diagonal(a), sign


def _orders(a: Array) -> tuple[Array, Array, Array]:
    n = len(a)
    rows, columns, sign = np.arange(n), np.arange(n), np.ones_like(a[0, 0])
    for k in range(n - 1):
        largest = np.max(np.abs(a[k:, k:]), axis=1)
        p = k + np.argmax(largest)
        q = k + np.argmax(np.abs(a[p, k:]))
        a[k], a[p] = a[p].copy(), a[k].copy()
        a[:, k], a[:, q] = a[:, q].copy(), a[:, k].copy()
        rows[k], rows[p] = rows[p], rows[k]
        columns[k], columns[q] = columns[q], columns[k]
        sign = np.where((p == k) == (q == k), sign, -sign)
        _eliminate(a, k, _or_one(a[k, k]))
    return rows, columns, sign


def _determinant(a: Array) -> Array:
    pivots, sign = _pivots(a)
    if derivatives() > 1 and len(a) > 1:
        sizes = np.abs(pivots)
        if np.sum(sizes <= 8 * len(a) * np.finfo(sizes.dtype).eps * np.max(sizes)) > 1:
            raise ValueError(RANK)
    return sign * np.prod(pivots)


def _sign_and_logarithm(a: Array) -> Array:
    if not np.iscomplexobj(a) and derivatives() == 1:
        return _by_the_inverse(a)
    pivots, sign = _pivots(a)
    return np.stack((sign * np.prod(np.sign(pivots)), np.sum(np.log(np.abs(pivots)))))


def _by_the_inverse(a: Array) -> Array:
    """The same with the derivative of the logarithm: the transposed inverse."""
    factors = held(a).copy()
    order = order_of_rows(factors, pivot_of=_or_one)
    pivots = np.diagonal(factors)
    inverse = held(_substituted(factors, np.eye(len(a), dtype=a.dtype)[order]))
    logarithm = held(np.sum(np.log(np.abs(pivots))))
    sign = np.prod(np.sign(pivots)) * _sign_of(order).astype(a.dtype)
    return np.stack((sign, anchored(np.sum(inverse.T * a), logarithm)))


def _sign_of(order: Array) -> Array:
    """That of a permutation, by the pairs that it turns."""
    before = np.tril(np.ones((len(order), len(order)), bool), -1)
    turned = np.sum(before & (order[:, np.newaxis] < order[np.newaxis, :]))
    return np.where(turned % 2 == 0, 1, -1)


def _single(a: Array) -> Array:
    """A matrix, no stack of them."""
    a = np.asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("A square matrix is expected")
    return a


def solve_of_scipy(
    a: Array, b: Array, lower: bool = False, assume_a: str | None = None, transposed: bool = False
) -> Array:
    """One triangle stands for both where `assume_a` says so."""
    a = _structured(np.asarray(a), lower, assume_a, "solve")
    if assume_a in POSITIVE and not np.all(np.isfinite(cholesky(held(a)))):
        raise np.linalg.LinAlgError("A matrix that is said to be positive definite is not")
    return solve(a.mT if transposed else a, b)


def _structured(a: Array, lower: bool, assume_a: str | None, name: str) -> Array:
    """What is looked at of a matrix about which something is said."""
    if assume_a in SYMMETRIC:
        a = from_triangle(a, lower)
    elif assume_a in HERMITIAN:
        a = hermitian(a, lower)
    elif assume_a in PARTS:
        a = PARTS[assume_a](a)
    elif assume_a not in (None, "gen", "general", "banded"):
        raise ValueError(f"'scipy.linalg.{name}' of a matrix that is '{assume_a}' is not supported")
    return a


def from_triangle(a: Array, lower: bool) -> Array:
    """The symmetric matrix that one triangle stands for."""
    own = np.tri(a.shape[-1], dtype=bool)
    return np.where(own if lower else own.T, a, a.mT)


def hermitian(a: Array, lower: bool) -> Array:
    """The same of complex numbers: the other triangle is conjugate, the diagonal real."""
    if not np.iscomplexobj(a):
        return from_triangle(a, lower)
    half = np.tril(a, -1) if lower else np.conj(np.triu(a, 1).mT)
    return half + np.conj(half.mT) + np.where(np.eye(a.shape[-1], dtype=bool), a.real, 0.0)


def inv_of_scipy(a: Array, assume_a: str | None = None, lower: bool = False) -> Array:
    a = np.asarray(a)
    if assume_a == "diagonal":
        return np.where(np.eye(a.shape[-1], dtype=bool), 1.0 / a, a)
    return inv(_structured(a, lower, assume_a, "inv"))


def det_of_scipy(a: Array) -> Array:
    """In double precision."""
    return det(np.asarray(a) * np.float64(1.0))


def cholesky_of_scipy(a: Array, lower: bool = False) -> Array:
    return cholesky(_single(a), upper=not lower)


def cho_factor(a: Array, lower: bool = False) -> Array:
    """The other triangle stays as it is in `a`; from SciPy 1.18 on it is zero."""
    a = _single(a) * 1.0
    factor = cholesky(a, upper=not lower)
    return factor if CLEANS else factor + (np.triu(a, 1) if lower else np.tril(a, -1)), lower


def cho_solve(c_and_lower: Array, b: Array) -> Array:
    factor, lower = _single(c_and_lower[0]), c_and_lower[1]
    low = factor if lower else np.conj(factor.mT)
    return _backward(np.conj(low.mT), _forward(low, _side(low, b), False), False)


def solve_triangular(
    a: Array,
    b: Array,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    a = _single(a)
    x = _side(a, b)
    if trans in (0, "N"):
        return (_forward if lower else _backward)(a, x, unit_diagonal)
    turned = np.conj(a.mT) if trans in (2, "C") else a.mT
    return (_backward if lower else _forward)(turned, x, unit_diagonal)


NUMPY: dict[str, Callable[..., Any]] = {
    "solve": solve,
    "inv": inv,
    "matrix_power": matrix_power,
    "det": det,
    "slogdet": slogdet,
    "cholesky": cholesky,
}
SCIPY: dict[str, Callable[..., Any]] = {
    "solve": solve_of_scipy,
    "inv": inv_of_scipy,
    "det": det_of_scipy,
    "cholesky": cholesky_of_scipy,
    "cho_factor": cho_factor,
    "cho_solve": cho_solve,
    "solve_triangular": solve_triangular,
}
