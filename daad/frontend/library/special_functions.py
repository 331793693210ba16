"""Functions of `scipy.special` that SciPy's C code computes: Python is called for the values of a whole array at once,
and the slopes are rows of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import CustomRule
from daad.frontend.library.special import SCIPY, xlogy

Array = Any  # staged while the program is read
Slope = Callable[..., Array] | None
ROOT_PI, ROOT_2PI, DEGREE = math.sqrt(math.pi), math.sqrt(2.0 * math.pi), math.pi / 180.0
_gammaln, _betaln, _erf = SCIPY["gammaln"], SCIPY["betaln"], SCIPY["erf"]


def _value(name: str, *operands: Any) -> Any:
    return getattr(import_module("scipy.special"), name)(*operands)


def _of(name: str) -> Callable[..., Array]:
    """The function of a row, for the slopes of others."""
    return lambda *operands: RULES[name](*operands)


j0, j1, jv, y0, y1, yv = map(_of, ("j0", "j1", "jv", "y0", "y1", "yv"))
i0, i1, iv, k0, k1, kv = map(_of, ("i0", "i1", "iv", "k0", "k1", "kv"))
i0e, i1e, ive, k0e, k1e, kve = map(_of, ("i0e", "i1e", "ive", "k0e", "k1e", "kve"))
psi, zeta, expn, elliprd = map(_of, ("psi", "zeta", "expn", "elliprd"))
hyp0f1, hyp1f1, hyp2f1, sindg, cosdg = map(_of, ("hyp0f1", "hyp1f1", "hyp2f1", "sindg", "cosdg"))


def _gamma_density(a: Array, x: Array) -> Array:
    return np.exp(xlogy(a - 1.0, x) - x - _gammaln(a))


def _beta_density(a: Array, b: Array, x: Array) -> Array:
    return np.exp(xlogy(a - 1.0, x) + xlogy(b - 1.0, 1.0 - x) - _betaln(a, b))


def _expn_slope(n: Array, x: Array, r: Array) -> Array:
    return np.where(n == 0, -r * (1.0 + 1.0 / x), -expn(np.maximum(n - 1, 0), x))


def _spence_slope(x: Array, _r: Array) -> Array:
    return np.where(x == 1.0, -1.0, np.log1p(x - 1.0) / np.where(x == 1.0, 1.0, 1.0 - x))


SLOPES: dict[str, tuple[Slope, ...]] = {
    "j0": (lambda x, _r: -j1(x),),
    "j1": (lambda x, _r: 0.5 * (j0(x) - jv(2, x)),),
    "jv": (None, lambda v, x, _r: 0.5 * (jv(v - 1, x) - jv(v + 1, x))),
    "y0": (lambda x, _r: -y1(x),),
    "y1": (lambda x, _r: 0.5 * (y0(x) - yv(2, x)),),
    "yv": (None, lambda v, x, _r: 0.5 * (yv(v - 1, x) - yv(v + 1, x))),
    "yn": (None, lambda v, x, _r: 0.5 * (yv(v - 1, x) - yv(v + 1, x))),
    "i0": (lambda x, _r: i1(x),),
    "i1": (lambda x, _r: 0.5 * (i0(x) + iv(2, x)),),
    "iv": (None, lambda v, x, _r: 0.5 * (iv(v - 1, x) + iv(v + 1, x))),
    "k0": (lambda x, _r: -k1(x),),
    "k1": (lambda x, _r: -0.5 * (k0(x) + kv(2, x)),),
    "kv": (None, lambda v, x, _r: -0.5 * (kv(v - 1, x) + kv(v + 1, x))),
    "kn": (None, lambda v, x, _r: -0.5 * (kv(v - 1, x) + kv(v + 1, x))),
    "i0e": (lambda x, r: i1e(x) - np.sign(x) * r,),
    "i1e": (lambda x, r: 0.5 * (i0e(x) + ive(2, x)) - np.sign(x) * r,),
    "ive": (None, lambda v, x, r: 0.5 * (ive(v - 1, x) + ive(v + 1, x)) - np.sign(x) * r),
    "k0e": (lambda x, r: r - k1e(x),),
    "k1e": (lambda x, r: r - 0.5 * (k0e(x) + kve(2, x)),),
    "kve": (None, lambda v, x, r: r - 0.5 * (kve(v - 1, x) + kve(v + 1, x))),
    "psi": (lambda x, _r: zeta(2, x),),
    "zeta": (None, lambda s, x, _r: -s * zeta(s + 1, x)),
    "erfinv": (lambda _x, r: 0.5 * ROOT_PI * np.exp(r * r),),
    "erfcinv": (lambda _x, r: -0.5 * ROOT_PI * np.exp(r * r),),
    "erfcx": (lambda x, r: 2.0 * x * r - 2.0 / ROOT_PI,),
    "erfi": (lambda x, _r: 2.0 / ROOT_PI * np.exp(x * x),),
    "dawsn": (lambda x, r: 1.0 - 2.0 * x * r,),
    "ndtri": (lambda _x, r: ROOT_2PI * np.exp(0.5 * r * r),),
    "log_ndtr": (lambda x, r: np.exp(-0.5 * x * x - r) / ROOT_2PI,),
    "exp1": (lambda x, _r: -np.exp(-x) / x,),
    "expi": (lambda x, _r: np.exp(x) / x,),
    "expn": (None, _expn_slope),
    "exprel": (lambda x, _r: 0.5 * hyp1f1(2, 3, x),),
    "gammainc": (None, lambda a, x, _r: _gamma_density(a, x)),
    "gammaincc": (None, lambda a, x, _r: -_gamma_density(a, x)),
    "gammaincinv": (None, lambda a, _x, r: 1.0 / _gamma_density(a, r)),
    "gammainccinv": (None, lambda a, _x, r: -1.0 / _gamma_density(a, r)),
    "betainc": (None, None, lambda a, b, x, _r: _beta_density(a, b, x)),
    "betaincc": (None, None, lambda a, b, x, _r: -_beta_density(a, b, x)),
    "chdtr": (None, lambda v, x, _r: 0.5 * _gamma_density(0.5 * v, 0.5 * x)),
    "betaincinv": (None, None, lambda a, b, _x, r: 1.0 / _beta_density(a, b, r)),
    "ellipk": (lambda x, _r: elliprd(0, 1, 1.0 - x) / 6.0,),
    "ellipkm1": (lambda x, _r: -elliprd(0, 1, x) / 6.0,),
    "ellipe": (lambda x, _r: -elliprd(0, 1.0 - x, 1) / 6.0,),
    "ellipkinc": (lambda phi, m, _r: 1.0 / np.sqrt(1.0 - m * np.sin(phi) ** 2), None),
    "ellipeinc": (lambda phi, m, _r: np.sqrt(1.0 - m * np.sin(phi) ** 2), None),
    "elliprd": (None, None, None),
    "hyp0f1": (None, lambda v, x, _r: hyp0f1(v + 1, x) / v),
    "hyp1f1": (None, None, lambda a, b, x, _r: a / b * hyp1f1(a + 1, b + 1, x)),
    "hyp2f1": (None, None, None, lambda a, b, c, x, _r: a * b / c * hyp2f1(a + 1, b + 1, c + 1, x)),
    "owens_t": (
        lambda h, a, _r: -np.exp(-0.5 * h * h) * _erf(a * h / math.sqrt(2.0)) / (2.0 * ROOT_2PI),
        lambda h, a, _r: np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a)),
    ),
    "spence": (_spence_slope,),
    "cosm1": (lambda x, _r: -np.sin(x),),
    "sindg": (lambda x, _r: DEGREE * cosdg(x),),
    "cosdg": (lambda x, _r: -DEGREE * sindg(x),),
    "tandg": (lambda _x, r: DEGREE * (1.0 + r * r),),
}
"""By the function: its slope in each operand, of all operands and the result; None where there is no closed form."""


def _rule(name: str, slopes: tuple[Slope, ...]) -> CustomRule:
    value = CustomRule(partial(_value, name), opaque=True)

    def program(*operands: Array) -> Array:
        return value(*operands)

    def tangent(primals: Any, tangents: Any) -> Any:
        result = RULES[name](*primals)
        total = np.zeros_like(result)
        for k, (slope, moved) in enumerate(zip(slopes, tangents, strict=True)):
            if moved is not None:
                if slope is None:
                    raise ValueError(f"Argument {k + 1} of 'scipy.special.{name}' must be a number or of whole numbers")
                total = total + slope(*primals, result) * moved
        return result, total

    program.__name__ = name
    rule = CustomRule(program)
    rule.defjvp(tangent)
    return rule


RULES = {name: _rule(name, slopes) for name, slopes in SLOPES.items()}


def _program(name: str) -> Callable[..., Array]:
    if len(SLOPES[name]) == 1:
        return lambda x: RULES[name](np.asarray(x) * 1.0)
    return lambda *operands: RULES[name](*[np.asarray(x) if isinstance(x, list | tuple) else x for x in operands])


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _program(name) for name, slopes in SLOPES.items() if any(slopes)}
