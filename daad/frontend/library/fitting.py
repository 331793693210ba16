"""Orthogonal factors, least squares and fits of polynomials as NumPy programs, of matrices of full rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import by_python, held, python_function
from daad.frontend.library.linear import hermitian as hermitian_of
from daad.frontend.library.linear import in_one_precision
from daad.frontend.library.special import logsumexp
from daad.frontend.library.spectral.singular import svdvals
from daad.runtime.package_versions import is_at_least

Array = Any  # staged while the program is read
DEFICIENT = "The columns or rows of this matrix depend on each other: least squares have no derivative there"
TYPED = is_at_least("scipy", 1, 18)
"""Whether sums of squares are complex where numbers are."""


class QRResult(NamedTuple):
    """As NumPy's."""

    Q: Array
    R: Array


def qr(a: Array, mode: str = "reduced") -> Any:
    """By reflections, with LAPACK's signs: the diagonal of `R` is real."""
    if np.ndim(a) > 2:
        return _of_each(np.asarray(a) * 1.0, mode)
    r = _matrix(a)
    is_complex = np.iscomplexobj(r)
    m, n = r.shape
    size, steps = m if mode == "complete" else min(m, n), min(m, n) if is_complex else min(m - 1, n)
    vectors, factors, signs = np.zeros((m, steps), r.dtype), np.zeros(steps, r.dtype), np.ones(steps, r.real.dtype)
    for k in range(steps):
        below, square = _squares(r[k:, k])
        if square > 0.0:
            factor, v, signs[k] = _reflection(r[k:, k], below, square)
            r[k:, k:] -= np.conj(factor) * np.outer(v, np.conj(v) @ r[k:, k:])
            vectors[k:, k] = v
            factors[k] = factor
    r[:steps] *= signs[:, np.newaxis]
    if mode == "r":
        return np.triu(r[: min(m, n)])
    if mode not in ("reduced", "complete"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q = np.eye(m, size, dtype=r.dtype)
    for k in range(steps - 1, -1, -1):  # the last first: columns before k are still unit vectors
        v = vectors[k:, k]
        q[k:, k:] -= factors[k] * np.outer(v, np.conj(v) @ q[k:, k:])
    q[:, :steps] *= signs
    return QRResult(q, np.triu(r[:size]))


def _squares(x: Array) -> tuple[Array, Array]:
    """Of what a reflection makes zero, and of all of `x`."""
    below = (np.conj(x[1:]) @ x[1:]).real
    if np.iscomplexobj(x):
        below = below + x[0].imag * x[0].imag
    return below, x[0].real * x[0].real + below


def _reflection(x: Array, below: Array, square: Array) -> tuple[Array, Array, Array]:
    """The factor and the vector of what makes all of `x` zero but a real first element, and the sign to turn that by:
    where nothing is below, LAPACK does not reflect, and what does for the derivative is turned back."""
    length = -np.copysign(np.sqrt(square), x[0].real)
    v = x / (x[0] - length)
    v[0] = 1.0
    return (length - x[0]) / length, v, np.where(below > 0.0, 1.0, -1.0)


def _of_each(a: Array, mode: str) -> Any:
    """Of a stack of matrices."""
    m, n = a.shape[-2:]
    size = m if mode == "complete" else min(m, n)
    matrices = a.reshape((-1, m, n))
    q, r = np.empty((len(matrices), m, size), a.dtype), np.empty((len(matrices), size, n), a.dtype)
    for k in range(len(matrices)):
        if mode == "r":
            r[k] = qr(matrices[k], mode)
        else:
            q[k], r[k] = qr(matrices[k], mode)
    r = r.reshape((*a.shape[:-2], size, n))
    return r if mode == "r" else QRResult(q.reshape((*a.shape[:-2], m, size)), r)


def hessenberg(a: Array, calc_q: bool = False) -> Any:
    """By reflections from both sides, as LAPACK does it: what lies below the diagonal is real."""
    h = np.asarray(a) * 1.0
    if h.ndim != 2 or h.shape[0] != h.shape[1]:
        raise ValueError("expected square matrix")
    n, q, is_complex = len(h), np.eye(len(h), dtype=h.dtype), np.iscomplexobj(h)
    for k in range(n - 1 if is_complex else n - 2):
        below, square = _squares(h[k + 1 :, k])
        if square > 0.0:
            factor, v, sign = _reflection(h[k + 1 :, k], below, square)
            h[k + 1 :] -= np.conj(factor) * np.outer(v, np.conj(v) @ h[k + 1 :])
            h[:, k + 1 :] -= factor * np.outer(h[:, k + 1 :] @ v, np.conj(v))
            q[:, k + 1 :] -= factor * np.outer(q[:, k + 1 :] @ v, np.conj(v))
            h[k + 1] *= sign
            h[:, k + 1] *= sign
            q[:, k + 1] *= sign
    return (np.triu(h, -1), q) if calc_q else np.triu(h, -1)


def qr_of_scipy(a: Array, mode: str = "full", pivoting: bool = False) -> Any:
    """The second factor has all rows, but where they are left out on request."""
    if mode not in ("full", "r", "economic"):
        raise ValueError("'scipy.linalg.qr' is supported in the modes 'full', 'r' and 'economic'")
    if pivoting:
        order = _order_of_columns(np.asarray(a) * 1.0)
        return (*qr_of_scipy(np.asarray(a)[:, order], mode), order)
    q, r = qr(a, "reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


def _order_of_columns(a: Array) -> Array:
    """That of LAPACK's pivots, which has no derivative."""
    real, imag = held(a.real), held(a.imag) if np.iscomplexobj(a) else None
    like = np.zeros(a.shape[1], np.int32)
    return by_python(
        lambda: python_function("scipy.linalg", "qr")(
            real if imag is None else real + 1j * imag, mode="r", pivoting=True
        )[1],
        like,
    )


def lstsq_of_scipy(a: Array, b: Array, cond: float | None = None, lapack_driver: str | None = None) -> Any:
    """Of one right-hand side the sum of squares is a number; `cond` says which singular values are zero."""
    x, squares, _, values = lstsq(a, b)
    rank = min(np.shape(a))
    if lapack_driver == "gelsy":
        if cond is not None:
            raise ValueError("'scipy.linalg.lstsq' with 'cond' and 'gelsy' is not supported")
        return x, np.zeros(0, x.dtype), rank, None
    if cond is not None and values[-1] <= cond * values[0]:
        raise ValueError(DEFICIENT)
    squares = squares.astype(x.dtype) if TYPED else squares
    is_one = np.ndim(b) == 1 and np.shape(a)[0] > np.shape(a)[1]
    return x, squares[0] if is_one else squares, rank, values


def lstsq(a: Array, b: Array, rcond: float | None = None) -> Any:
    """The solution, the sums of squared residuals, the rank, the singular values."""
    a, b = in_one_precision(_matrix(a), np.asarray(b) * 1.0)
    x = _solution(a, b, rcond)
    rest = b - a @ x
    squares = np.sum((np.conj(rest) * rest).real, axis=0)
    squares = np.atleast_1d(squares) if a.shape[0] > a.shape[1] else np.zeros(0, squares.dtype)
    return x, squares, np.int32(min(a.shape)), svdvals(a)


def _solution(a: Array, b: Array, rcond: float | None) -> Array:
    _require_all(rcond, a)
    return pinv(a) @ b if a.shape[0] < a.shape[1] else of_full_rank(a, b)


def pinv(a: Array, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None) -> Array:
    """Of a matrix that is called Hermitian, the lower triangle counts."""
    a = hermitian_of(_matrix(a), True) if hermitian else _matrix(a)
    if a.size == 0:
        return np.zeros(a.shape[::-1], a.dtype)
    rcond = rtol if rcond is None else rcond
    _require_all(rcond, a)
    if a.shape[0] < a.shape[1]:
        return pinv(a.T).T
    return of_full_rank(a, np.eye(a.shape[0], dtype=a.dtype))


def pinv_of_scipy(a: Array, *, rtol: float | None = None, return_rank: bool = False) -> Any:
    found = pinv(a, rtol=rtol)
    return (found, np.int64(min(np.shape(a)))) if return_rank else found


def polyfit(
    x: Array, y: Array, deg: int, rcond: float | None = None, full: bool = False, w: Array = None, cov: Any = False
) -> Any:
    powers, values = np.vander(np.asarray(x) * 1.0, deg + 1), np.asarray(y) * 1.0
    if w is not None:
        weights = np.asarray(w) * 1.0
        powers = powers * weights[:, np.newaxis]
        values = values * (weights[:, np.newaxis] if values.ndim == 2 else weights)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    scaled = powers / scale
    if full:
        found, squares, rank, sizes = lstsq(scaled, values, rcond)
        return (
            (found.T / scale).T,
            squares,
            rank,
            sizes,
            len(x) * np.finfo(powers.dtype).eps if rcond is None else rcond,
        )
    found = (_solution(scaled, values, rcond).T / scale).T
    return (found, _covariance(powers, scale, values, found, cov)) if cov else found


def _covariance(powers: Array, scale: Array, values: Array, found: Array, cov: Any) -> Array:
    """Of the coefficients: where the weights are the only errors ('unscaled'), or by the residuals."""
    scaled, (count, order) = powers / scale, powers.shape
    spread = np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        return spread if values.ndim == 1 else spread[:, :, np.newaxis]
    if count <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    squares = np.sum((values - powers @ found) ** 2, axis=0) / (count - order)
    return spread * squares if values.ndim == 1 else spread[:, :, np.newaxis] * squares


def reduce_logaddexp(array: Array, axis: Any = 0, keepdims: bool = False) -> Array:
    return logsumexp(array, axis=axis, keepdims=keepdims)


def _matrix(a: Array) -> Array:
    """A copy in floating point."""
    a = np.asarray(a) * 1.0
    if a.ndim != 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Only two dimensions are supported")
    return a


def _require_all(rcond: float | None, a: Array) -> None:
    """No singular value is left out but those that are rounding."""
    if rcond is not None and np.ndim(rcond) > 0:
        raise ValueError("Several values of 'rcond' are not supported")
    if rcond is not None and rcond > _rounding(a):
        raise ValueError("An 'rcond' that leaves out more than rounding is not supported")


def _rounding(a: Array) -> Any:
    return max(a.shape) * np.finfo(a.dtype).eps


def of_full_rank(a: Array, b: Array) -> Array:
    """What minimises `|a @ x - b|`, of no fewer rows than columns."""
    q, r = qr(a)
    sizes = np.abs(np.diagonal(r))
    if not np.min(sizes) > np.max(sizes) * _rounding(a):
        raise ValueError(DEFICIENT)
    x = (np.conj(q.T) @ b).copy()
    for k in range(a.shape[1] - 1, -1, -1):
        x[k] = (x[k] - r[k, k + 1 :] @ x[k + 1 :]) / r[k, k]
    return x


NUMPY: dict[str, Callable[..., Any]] = {"polyfit": polyfit, "logaddexp.reduce": reduce_logaddexp}
LINALG: dict[str, Callable[..., Any]] = {"qr": qr, "lstsq": lstsq, "pinv": pinv}
SCIPY: dict[str, Callable[..., Any]] = {
    "qr": qr_of_scipy,
    "pinv": pinv_of_scipy,
    "lstsq": lstsq_of_scipy,
    "hessenberg": hessenberg,
}
