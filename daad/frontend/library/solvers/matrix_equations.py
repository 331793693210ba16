"""Equations and functions of matrices, of `scipy.linalg`: SciPy solves them, an adjoint equation has the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.library.anchored import anchored, by_python, derivatives, held
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.spectral.eigen import of_scipy
from daad.frontend.library.spectral.eigen import sqrtm as of_symmetric

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]
WORST = 1e8
"""From here on eigenvectors are of no use."""


def array_of_scipy(name: str, *args: Any, **options: Any) -> Array:
    """What a function of `scipy.linalg` gives, as an array."""
    return np.asarray(of_scipy(name)(*args, **options))


def _real(a: Array) -> Array:
    value = np.asarray(a) * 1.0
    if value.dtype.kind == "c":
        raise ValueError("Equations of complex matrices are not supported")
    return value


def _sylvester_value(a: Array, b: Array, q: Array) -> Array:
    return array_of_scipy("solve_sylvester", a, b, q)


def _sylvester_bars(args: Any, x: Array, bar: Array) -> Bars:
    a, b, _ = args
    found = _sylvester_value(a.T, b.T, bar)
    return -found @ x.T, -x.T @ found, found


def _embedded(a: Array) -> Array:
    """Complex numbers as blocks of real ones, which are added and multiplied as they are."""
    return np.concatenate((np.concatenate((a.real, -a.imag), axis=1), np.concatenate((a.imag, a.real), axis=1)), axis=0)


def _of_blocks(found: Array, rows: int, columns: int) -> Array:
    return found[:rows, :columns] + 1j * found[rows:, :columns]


def _is_complex(*values: Array) -> bool:
    return any(np.iscomplexobj(value) for value in values)


def solve_sylvester(a: Array, b: Array, q: Array) -> Array:
    if _is_complex(a, b, q):
        a, b, q = (np.asarray(value) + 0j for value in (a, b, q))
        return _of_blocks(solve_sylvester(_embedded(a), _embedded(b), _embedded(q)), *q.shape)
    a, b, q = _real(a), _real(b), _real(q)
    return opaque(_sylvester_value, _sylvester_bars, np.zeros(q.shape), a, b, q)


def _root(a: Array) -> tuple[Array, ...]:
    """The root, and parts of its eigenvectors, of their inverse, and of sums of its eigenvalues."""
    found = of_scipy("sqrtm")(a)
    if np.iscomplexobj(found):
        raise Unsupported("The square root of this matrix is complex.", hint="Keep its eigenvalues off the negatives.")
    values, vectors = np.linalg.eig(found)
    if np.linalg.cond(vectors) > WORST:
        raise Unsupported("The eigenvectors of this matrix depend on each other.", hint="Its root has no derivative.")
    parts = vectors, np.linalg.inv(vectors), values[:, np.newaxis] + values
    return np.asarray(found, a.dtype), *(np.array(half) for part in parts for half in (part.real, part.imag))


def sqrtm(A: Array) -> Array:
    """Of a matrix without negative eigenvalues: `root @ d_root + d_root @ root = dA`, which eigenvectors solve."""
    if _is_complex(A):
        a = np.asarray(A)
        return _of_blocks(sqrtm(_embedded(a)), *a.shape)
    a = _real(A)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or derivatives() > 1:
        return of_symmetric(a)
    known = held(a)
    root, v, v_imag, back, back_imag, sums, sums_imag = by_python(lambda: _root(known), (known,) * 7)
    v, back = v + 1j * v_imag, back + 1j * back_imag
    change = v @ ((back @ a @ v) / (sums + 1j * sums_imag)) @ back
    return anchored(change.real, root)


def _continuous_value(a: Array, q: Array) -> Array:
    return array_of_scipy("solve_continuous_lyapunov", a, q)


def _continuous_bars(args: Any, x: Array, bar: Array) -> Bars:
    found = _continuous_value(args[0].T, bar)
    return -(found @ x.T + found.T @ x), found


def solve_continuous_lyapunov(a: Array, q: Array) -> Array:
    if _is_complex(a, q):
        a, q = np.asarray(a) + 0j, np.asarray(q) + 0j
        return _of_blocks(solve_continuous_lyapunov(_embedded(a), _embedded(q)), *q.shape)
    a, q = _real(a), _real(q)
    return opaque(_continuous_value, _continuous_bars, np.zeros(q.shape), a, q)


def _discrete_value(a: Array, q: Array) -> Array:
    return array_of_scipy("solve_discrete_lyapunov", a, q)


def _discrete_bars(args: Any, x: Array, bar: Array) -> Bars:
    a, _ = args
    found = _discrete_value(a.T, bar)
    return found @ a @ x.T + found.T @ a @ x, found


def solve_discrete_lyapunov(a: Array, q: Array, method: str | None = None) -> Array:
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    if _is_complex(a, q):
        a, q = np.asarray(a) + 0j, np.asarray(q) + 0j
        return _of_blocks(solve_discrete_lyapunov(_embedded(a), _embedded(q)), *q.shape)
    a, q = _real(a), _real(q)
    return opaque(_discrete_value, _discrete_bars, np.zeros(q.shape), a, q)


def _riccati_matrices(a: Array, b: Array, q: Array, r: Array, e: Any, s: Any) -> Any:
    """Those of the equation without `e`, which has the same solution."""
    a, b, q, r = (np.atleast_2d(_real(matrix)) for matrix in (a, b, q, r))
    s = np.zeros(b.shape) if s is None else np.atleast_2d(_real(s))
    if e is None:
        return a, b, q, r, s
    over = np.linalg.inv(np.atleast_2d(_real(e)))
    q = over.T @ q @ over
    return a @ over, b, 0.5 * (q + q.T), r, over.T @ s


def _continuous_riccati(a: Array, b: Array, q: Array, r: Array, s: Array) -> Array:
    return array_of_scipy("solve_continuous_are", a, b, q, r, s=s)


def _continuous_riccati_bars(args: Any, x: Array, bar: Array) -> Bars:
    """By the equation of the closed loop."""
    a, b, _, r, s = args
    gain = np.linalg.solve(r, b.T @ x + s.T)
    found = _continuous_value(a - b @ gain, -bar)
    return _shares(x, found, found + found.T, gain)


def _shares(before: Array, found: Array, both: Array, gain: Array) -> Bars:
    return before @ both, -before @ both @ gain.T, found, gain @ found @ gain.T, -both @ gain.T


def solve_continuous_are(a: Array, b: Array, q: Array, r: Array, e: Any = None, s: Any = None) -> Array:
    a, b, q, r, s = _riccati_matrices(a, b, q, r, e, s)
    return opaque(_continuous_riccati, _continuous_riccati_bars, np.zeros(q.shape), a, b, q, r, s)


def _discrete_riccati(a: Array, b: Array, q: Array, r: Array, s: Array) -> Array:
    return array_of_scipy("solve_discrete_are", a, b, q, r, s=s)


def _discrete_riccati_bars(args: Any, x: Array, bar: Array) -> Bars:
    a, b, _, r, s = args
    gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a + s.T)
    loop = a - b @ gain
    found = _discrete_value(loop, bar)
    return _shares(x @ loop, found, found + found.T, gain)


def solve_discrete_are(a: Array, b: Array, q: Array, r: Array, e: Any = None, s: Any = None) -> Array:
    a, b, q, r, s = _riccati_matrices(a, b, q, r, e, s)
    return opaque(_discrete_riccati, _discrete_riccati_bars, np.zeros(q.shape), a, b, q, r, s)


def _function_value(name: str, further: Any, a: Array, imag: Array) -> Array:
    """Real and imaginary parts."""
    found = array_of_scipy(name, a if imag is None else a + 1j * imag, *further)
    return np.stack((found.real, found.imag)).astype(np.float64)


def _function_bars(args: Any, _: Array, bar: Array) -> Bars:
    """By a block of the function of a larger matrix, of which the derivative is one: it is its own transpose."""
    name, further, real, imag = args
    a = real if imag is None else real + 1j * imag
    block = np.block([[a, (bar[0] + 1j * bar[1]).conj().T], [np.zeros(a.shape), a]])
    found = array_of_scipy(name, block, *further)[: len(a), len(a) :].conj().T
    return None, None, found.real, None if imag is None else found.imag


def _function(name: str, a: Array, *further: Any) -> tuple[Array, Array, Any]:
    """And whether the result is real: of real matrices that is for data to say."""
    a = np.asarray(a) * 1.0
    is_complex = np.iscomplexobj(a)
    real, imag = a.real, a.imag if is_complex else None
    found = opaque(_function_value, _function_bars, np.zeros((2, *a.shape)), name, further, real, imag)
    return found[0], found[1], not is_complex and np.all(found[1] == 0.0)


def logm(A: Array) -> Array:
    real, imag, is_real = _function("logm", A)
    return real if is_real else real + 1j * imag


def _power_value(a: Array, imag: Array, t: float) -> Array:
    return _function_value("fractional_matrix_power", (t,), a, imag)


def _power_bars(args: Any, found: Array, bar: Array) -> Bars:
    real, imag, t = args
    _, _, *bars = _function_bars(("fractional_matrix_power", (t,), real, imag), found, bar)
    logarithm = array_of_scipy("logm", real if imag is None else real + 1j * imag)
    slope = logarithm @ (found[0] + 1j * found[1])
    return *bars, np.sum(bar[0] * slope.real + bar[1] * slope.imag)


def fractional_matrix_power(A: Array, t: float) -> Array:
    a = np.asarray(A) * 1.0
    if np.iscomplexobj(a):
        found = opaque(_power_value, _power_bars, np.zeros((2, *a.shape)), a.real, a.imag, t)
        return found[0] + 1j * found[1]
    found = opaque(_power_value, _power_bars, np.zeros((2, *a.shape)), a, None, t)
    return found[0] if np.all(found[1] == 0.0) else found[0] + 1j * found[1]


def cosm(A: Array) -> Array:
    return _as_precise("cosm", A)


def sinm(A: Array) -> Array:
    return _as_precise("sinm", A)


def _as_precise(name: str, a: Array) -> Array:
    real, imag, _ = _function(name, a)
    found = real + 1j * imag if np.iscomplexobj(a) else real
    return found.astype((np.asarray(a) * 1.0).dtype)


def _sign_value(a: Array) -> Array:
    return array_of_scipy("signm", a).astype(a.dtype)


def _sign_bars(args: Any, sign: Array, bar: Array) -> Bars:
    """By `n @ ds + ds @ n = da - sign @ da @ sign` with the positive part `n = a @ sign`."""
    part = args[0] @ sign
    found = _sylvester_value(part.T, part.T, bar)
    return (found - sign.T @ found @ sign.T,)


def signm(A: Array) -> Array:
    """The eigenvalues' signs are constant, their vectors are not."""
    a = _real(A)
    return opaque(_sign_value, _sign_bars, np.zeros(a.shape, a.dtype), a)


EQUATIONS: dict[str, Callable[..., Any]] = {
    "solve_sylvester": solve_sylvester,
    "solve_continuous_lyapunov": solve_continuous_lyapunov,
    "solve_lyapunov": solve_continuous_lyapunov,
    "solve_discrete_lyapunov": solve_discrete_lyapunov,
    "solve_continuous_are": solve_continuous_are,
    "solve_discrete_are": solve_discrete_are,
    "logm": logm,
    "cosm": cosm,
    "sinm": sinm,
    "signm": signm,
    "sqrtm": sqrtm,
    "fractional_matrix_power": fractional_matrix_power,
}
