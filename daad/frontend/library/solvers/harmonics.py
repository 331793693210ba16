"""Legendre's functions and spherical harmonics of `scipy.special`, which give their own slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers.primitives import natively, opaque

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]


def _of(name: str, orders: Any, ways: Any, x: Array, diff_n: int) -> Array:
    return np.asarray(python_function("scipy.special", name)(*orders, x, diff_n=diff_n, **ways))


def _value(name: str, orders: Any, ways: Any, x: Array) -> Array:
    return _of(name, orders, ways, x, 0)


def _bars(args: Any, _: Array, bar: Array) -> Bars:
    name, orders, ways, x = args
    slopes = _of(name, orders, ways, x, 1)[1]
    slopes = bar.reshape(slopes.shape) * slopes
    lead = slopes.ndim - np.ndim(x)
    return None, None, None, np.sum(slopes, axis=tuple(range(lead)))


def _orders(orders: Any) -> Any:
    if not all(isinstance(order, int) for order in orders):
        raise ValueError("Legendre's functions are supported for degrees and orders that are whole numbers")
    return orders


def _legendre(name: str, orders: Any, x: Array, diff_n: int, **ways: Any) -> Array:
    if diff_n:
        raise ValueError(f"'{name}' with 'diff_n' is not supported")
    if np.iscomplexobj(x):
        raise ValueError("Legendre's functions of complex numbers are not supported")
    x, orders = np.asarray(x) * 1.0, _orders(orders)
    like = natively("scipy.special", name, *orders, np.zeros(x.shape))
    return opaque(_value, _bars, np.zeros(like.shape), name, orders, ways, x)


def legendre_p(n: int, z: Array, diff_n: int = 0) -> Array:
    return _legendre("legendre_p", (n,), z, diff_n)


def legendre_p_all(n: int, z: Array, diff_n: int = 0) -> Array:
    return _legendre("legendre_p_all", (n,), z, diff_n)


def assoc_legendre_p(n: int, m: int, z: Array, branch_cut: int = 2, norm: bool = False, diff_n: int = 0) -> Array:
    return _legendre("assoc_legendre_p", (n, m), z, diff_n, branch_cut=branch_cut, norm=norm)


def assoc_legendre_p_all(n: int, m: int, z: Array, branch_cut: int = 2, norm: bool = False, diff_n: int = 0) -> Array:
    return _legendre("assoc_legendre_p_all", (n, m), z, diff_n, branch_cut=branch_cut, norm=norm)


def sph_legendre_p(n: int, m: int, theta: Array, diff_n: int = 0) -> Array:
    return _legendre("sph_legendre_p", (n, m), theta, diff_n)


def sph_legendre_p_all(n: int, m: int, theta: Array, diff_n: int = 0) -> Array:
    return _legendre("sph_legendre_p_all", (n, m), theta, diff_n)


def _harmonic(n: Array, m: Array, theta: Array, phi: Array) -> Array:
    found = python_function("scipy.special", "sph_harm_y")(n, m, theta, phi)
    return np.stack((np.real(found), np.imag(found)))


def _harmonic_bars(args: Any, _: Array, bar: Array) -> Bars:
    slopes = python_function("scipy.special", "sph_harm_y")(*args, diff_n=1)[1]
    found = [bar[0] * slopes[..., k].real + bar[1] * slopes[..., k].imag for k in (0, 1)]
    return None, None, found[0], found[1]


def sph_harm_y(n: Any, m: Any, theta: Array, phi: Array, diff_n: int = 0) -> Array:
    """Degrees and orders may be known arrays."""
    if diff_n:
        raise ValueError("'sph_harm_y' with 'diff_n' is not supported")
    n, m = np.asarray(n), np.asarray(m)
    theta, phi = np.asarray(theta) * 1.0, np.asarray(phi) * 1.0
    shape = np.broadcast_shapes(n.shape, m.shape, theta.shape, phi.shape)
    theta, phi = np.broadcast_to(theta, shape) * 1.0, np.broadcast_to(phi, shape) * 1.0
    found = opaque(_harmonic, _harmonic_bars, np.zeros((2, *shape)), n, m, theta, phi)
    return (found[0] + 1j * found[1])[()]


def factorial(n: Array, exact: bool = False, extend: str = "zero") -> Array:
    if exact or extend != "zero":
        raise ValueError("'factorial' with 'exact' or 'extend' is not supported")
    n = np.asarray(n) * 1.0
    gamma = python_function("scipy.special", "gamma")
    return np.where(n < 0, 0.0, gamma(np.where(n < 0, 1.0, n + 1.0)))[()]


def _of_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """As SciPy's objects are called, which have no signature."""

    def program(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return program


HARMONICS: dict[str, Callable[..., Any]] = {
    "factorial": factorial,
    **{
        function.__name__: _of_arguments(function)
        for function in (
            *(legendre_p, legendre_p_all, assoc_legendre_p, assoc_legendre_p_all, sph_legendre_p, sph_legendre_p_all),
            sph_harm_y,
        )
    },
}
