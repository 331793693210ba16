"""Every NumPy ufunc of one operand that has a derivative, and those whose derivative is zero."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def sin(x, w):
    return np.sum(w * np.sin(x))


def cos(x, w):
    return np.sum(w * np.cos(x))


def tan(x, w):
    return np.sum(w * np.tan(x))


def arcsin(x, w):
    return np.sum(w * np.arcsin(x))


def arccos(x, w):
    return np.sum(w * np.arccos(x))


def arctan(x, w):
    return np.sum(w * np.arctan(x))


def sinh(x, w):
    return np.sum(w * np.sinh(x))


def cosh(x, w):
    return np.sum(w * np.cosh(x))


def tanh(x, w):
    return np.sum(w * np.tanh(x))


def arcsinh(x, w):
    return np.sum(w * np.arcsinh(x))


def arccosh(x, w):
    return np.sum(w * np.arccosh(x + 1.0))


def arctanh(x, w):
    return np.sum(w * np.arctanh(x))


def exp(x, w):
    return np.sum(w * np.exp(x))


def exp2(x, w):
    return np.sum(w * np.exp2(x))


def expm1(x, w):
    return np.sum(w * np.expm1(x))


def log(x, w):
    return np.sum(w * np.log(x))


def log2(x, w):
    return np.sum(w * np.log2(x))


def log10(x, w):
    return np.sum(w * np.log10(x))


def log1p(x, w):
    return np.sum(w * np.log1p(x))


def sqrt(x, w):
    return np.sum(w * np.sqrt(x))


def cbrt(x, w):
    return np.sum(w * np.cbrt(x))


def square(x, w):
    return np.sum(w * np.square(x))


def reciprocal(x, w):
    return np.sum(w * np.reciprocal(x))


def negative(x, w):
    return np.sum(w * np.negative(x) * x)


def positive(x, w):
    return np.sum(w * np.positive(x) * x)


def minus_operator(x, w):
    return np.sum(-x * w + -(x * x))


def minus_squared(x, w):
    y = -x
    return np.sum(w * (y * y))


def absolute(x, w):
    return np.sum(w * np.absolute(x) * x)


def builtin_abs(x, w):
    return np.sum(w * abs(x))


def np_abs(x, w):
    return np.sum(w * np.abs(x))


def fabs(x, w):
    return np.sum(w * np.fabs(x))


def sign(x, w):
    return np.sum(w * np.sign(x) * x**2)


def floor(x, w):
    return np.sum(w * x * np.floor(3.0 * x))


def ceil(x, w):
    return np.sum(w * x * np.ceil(3.0 * x))


def trunc(x, w):
    return np.sum(w * x * np.trunc(3.0 * x))


def rint(x, w):
    return np.sum(w * x * np.rint(3.0 * x))


def deg2rad(x, w):
    return np.sum(w * np.deg2rad(x) * x)


def rad2deg(x, w):
    return np.sum(w * np.rad2deg(x) * x)


def degrees_radians(x, w):
    return np.sum(w * np.degrees(x) * np.radians(x))


def sinc(x, w):
    return np.sum(w * np.sinc(x))


def integer_powers(x, w):
    return np.sum(w * (x**2 - x**3 + 0.5 * x**4 + x**1 + x**0)) + np.sum(x**-1 - x**-2)


def half_powers(x, w):
    return np.sum(w * (x**0.5 + x**1.5 - x**-0.5))


def constant_base(x, w):
    return np.sum(w * 2.0**x + 3**x)


def chain_of_functions(x, w):
    return np.sum(np.tanh(np.exp(np.sin(x) * w) - np.log1p(x * x)))


def result_used_twice(x, w):
    y = np.exp(x)
    z = np.sqrt(y)
    return np.sum(y * z * w + z)


def logic_is_inactive(x, w):
    mask = np.logical_and(np.isfinite(x), np.logical_not(np.isnan(w)))
    other = np.logical_or(x > 100.0, np.signbit(w))
    return np.sum(x * w * mask + x * other)


def scaled_by_constants(x, w):
    return np.sum(np.pi * x + np.e * w / 3 - (x - 1) / 7.0 * (2 - w))


EVERYWHERE = (sin, cos, tan, arctan, sinh, cosh, tanh, arcsinh, exp, exp2, expm1, square, negative, positive)
EVERYWHERE += (
    minus_operator,
    minus_squared,
    absolute,
    builtin_abs,
    np_abs,
    fabs,
    sign,
    deg2rad,
    rad2deg,
    degrees_radians,
    sinc,
)
EVERYWHERE += (cbrt, reciprocal, constant_base, chain_of_functions, result_used_twice, logic_is_inactive)
EVERYWHERE += (scaled_by_constants,)
POSITIVE = (log, log2, log10, log1p, sqrt, cbrt, arccosh, integer_powers, half_powers, reciprocal)
INSIDE_ONE = (arcsin, arccos, arctanh)
STEPS = (floor, ceil, trunc, rint)

CASES = (
    *(row(f, lambda: (normal(1, 7), normal(2, 7)), "x, w") for f in EVERYWHERE),
    *(row(f, lambda: (uniform(3, 7), normal(4, 7)), "x, w", tag="positive") for f in POSITIVE),
    *(row(f, lambda: (uniform(5, 7, low=-0.8, high=0.8), normal(6, 7)), "x, w") for f in INSIDE_ONE),
    *(row(f, lambda: (np.array([-1.45, -0.9, -0.4, 0.25, 0.6, 1.22]), normal(8, 6)), "x, w") for f in STEPS),
)
