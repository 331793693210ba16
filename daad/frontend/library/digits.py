"""Digits and exponents of floating-point numbers, as NumPy programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def real_if_close(a: Array, tol: float = 100) -> Array:
    a = np.asarray(a)
    if not np.iscomplexobj(a):
        return a
    return a.real if np.all(np.abs(a.imag) < (tol * np.finfo(a.real.dtype).eps if tol > 1 else tol)) else a


def frexp(x: Array, out1: Array = None, out2: Array = None, /, *, out: Any = (None, None)) -> tuple[Array, Array]:
    """The exponent has no derivative."""
    places = (out1 if out1 is not None else out[0], out2 if out2 is not None else out[1])
    part, exponent = _digits(np.asarray(x))
    return _stored(part, places[0]), _stored(exponent, places[1])


def _stored(value: Array, place: Array) -> Array:
    if place is None:
        return value
    place[...] = value
    return place


def _digits(x: Array) -> tuple[Array, Array]:
    size = np.abs(x)
    plain = (size > 0.0) & np.isfinite(x)
    guess = np.floor(np.log2(np.where(plain, size, 1.0))).astype(np.int32)
    part = np.ldexp(np.where(plain, x, 0.5), -guess)
    large, small = np.abs(part) >= 2.0, np.abs(part) < 1.0
    exponent = guess + large.astype(np.int32) - small.astype(np.int32) + np.int32(1)
    part = np.ldexp(np.where(plain, x, 0.0), -exponent)
    return np.where(plain, part, x), np.where(plain, exponent, np.int32(0))


def spacing(x: Array, /) -> Array:
    x = np.asarray(x)
    size = np.abs(x)
    return np.copysign(np.nextafter(size, np.asarray(np.inf, x.dtype)) - size, x)


def frexp_of_python(x: Array, /) -> tuple[Array, Array]:
    part, exponent = _digits(np.asarray(float(x)))
    return float(part), int(exponent)


def ldexp_of_python(x: Array, i: Array, /) -> Array:
    return float(np.ldexp(float(x), i))


def modf_of_python(x: Array, /) -> tuple[Array, Array]:
    x = float(x)
    whole = float(np.trunc(x))
    rest = x - whole if np.isfinite(x) else 0.0 * np.isinf(x) + x * np.isnan(x)
    return float(np.copysign(rest, x)), whole


def rect(r: Array, phi: Array, /) -> Array:
    return complex(r * np.cos(phi), r * np.sin(phi))


def polar(z: Array, /) -> tuple[Array, Array]:
    z = complex(z)
    return float(abs(z)), float(np.angle(z))


NUMPY: dict[str, Callable[..., Any]] = {"frexp": frexp, "real_if_close": real_if_close, "spacing": spacing}
MATH: dict[str, Callable[..., Any]] = {"frexp": frexp_of_python, "ldexp": ldexp_of_python, "modf": modf_of_python}
CMATH: dict[str, Callable[..., Any]] = {"polar": polar, "rect": rect}
