"""Equations and functions of matrices, of `scipy.linalg`: SciPy solves them, an adjoint equation has the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.spectral.eigen import of_scipy

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]


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


def solve_sylvester(a: Array, b: Array, q: Array) -> Array:
    a, b, q = _real(a), _real(b), _real(q)
    return opaque(_sylvester_value, _sylvester_bars, np.zeros(q.shape), a, b, q)


def _continuous_value(a: Array, q: Array) -> Array:
    return array_of_scipy("solve_continuous_lyapunov", a, q)


def _continuous_bars(args: Any, x: Array, bar: Array) -> Bars:
    found = _continuous_value(args[0].T, bar)
    return -(found @ x.T + found.T @ x), found


def solve_continuous_lyapunov(a: Array, q: Array) -> Array:
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
    a, q = _real(a), _real(q)
    return opaque(_discrete_value, _discrete_bars, np.zeros(q.shape), a, q)


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


def solve_continuous_are(a: Array, b: Array, q: Array, r: Array, s: Any = None) -> Array:
    a, b, q, r = _real(a), _real(b), _real(q), _real(r)
    s = np.zeros(b.shape) if s is None else _real(s)
    return opaque(_continuous_riccati, _continuous_riccati_bars, np.zeros(q.shape), a, b, q, r, s)


def _discrete_riccati(a: Array, b: Array, q: Array, r: Array, s: Array) -> Array:
    return array_of_scipy("solve_discrete_are", a, b, q, r, s=s)


def _discrete_riccati_bars(args: Any, x: Array, bar: Array) -> Bars:
    a, b, _, r, s = args
    gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a + s.T)
    loop = a - b @ gain
    found = _discrete_value(loop, bar)
    return _shares(x @ loop, found, found + found.T, gain)


def solve_discrete_are(a: Array, b: Array, q: Array, r: Array, s: Any = None) -> Array:
    a, b, q, r = _real(a), _real(b), _real(q), _real(r)
    s = np.zeros(b.shape) if s is None else _real(s)
    return opaque(_discrete_riccati, _discrete_riccati_bars, np.zeros(q.shape), a, b, q, r, s)


def _function_value(name: str, further: Any, a: Array) -> Array:
    found = array_of_scipy(name, a, *further)
    if np.iscomplexobj(found):
        raise ValueError(f"'{name}' of this matrix is complex: not supported")
    return found


def _function_bars(args: Any, _: Array, bar: Array) -> Bars:
    """By a block of the function of a larger matrix, of which the derivative is one."""
    name, further, a = args
    n = len(a)
    block = np.block([[a.T, bar], [np.zeros((n, n)), a.T]])
    return None, None, _function_value(name, further, block)[:n, n:]


def _function(name: str) -> Callable[..., Array]:
    def of(A: Array) -> Array:
        a = _real(A)
        return opaque(_function_value, _function_bars, np.zeros(a.shape), name, (), a)

    return of


def signm(A: Array) -> Array:
    """Constant but where an eigenvalue crosses the imaginary axis."""
    a = _real(A)
    return opaque(_function_value, _function_bars, np.zeros(a.shape), "signm", (), a)


def fractional_matrix_power(A: Array, t: float) -> Array:
    a = _real(A)
    return opaque(_function_value, _function_bars, np.zeros(a.shape), "fractional_matrix_power", (t,), a)


EQUATIONS: dict[str, Callable[..., Any]] = {
    "solve_sylvester": solve_sylvester,
    "solve_continuous_lyapunov": solve_continuous_lyapunov,
    "solve_lyapunov": solve_continuous_lyapunov,
    "solve_discrete_lyapunov": solve_discrete_lyapunov,
    "solve_continuous_are": solve_continuous_are,
    "solve_discrete_are": solve_discrete_are,
    "logm": _function("logm"),
    "cosm": _function("cosm"),
    "sinm": _function("sinm"),
    "signm": signm,
    "fractional_matrix_power": fractional_matrix_power,
}
