"""Functions of `scipy.special` as NumPy programs, over the few that are operations of a Program."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.ir.operations import OPERATIONS

Array = Any  # staged while the program is read


@dataclass(frozen=True)
class OfFloats:
    """An operation of Programs for which NumPy has no function, of arrays of floats."""

    name: str

    def __call__(self, x: Array) -> Array:
        return OPERATIONS[self.name].evaluate(x)


ELEMENTWISE = {row.scipy: OfFloats(row.name) for row in OPERATIONS.values() if row.scipy}
_erfc = ELEMENTWISE["erfc"]


def _program(operation: OfFloats) -> Callable[[Array], Array]:
    def program(x: Array) -> Array:
        return operation(_floats(x))

    return program


def cbrt(x: Array) -> Array:
    return np.cbrt(_floats(x))


def log1p(x: Array) -> Array:
    return np.log1p(_floats(x))


def expm1(x: Array) -> Array:
    return np.expm1(_floats(x))


def ndtr(x: Array) -> Array:
    return 0.5 * _erfc(_floats(x) * -math.sqrt(0.5))


def expit(x: Array) -> Array:
    """By one exponential, of what is not positive: it does not overflow."""
    x = _floats(x)
    is_right = x >= 0.0
    e = np.exp(np.where(is_right, -x, x))
    return np.where(is_right, 1.0, e) / (1.0 + e)


def log_expit(x: Array) -> Array:
    return -np.logaddexp(0.0, -_floats(x))


def logit(x: Array) -> Array:
    x = _floats(x)
    return np.log(x) - np.log1p(-x)


def xlogy(x: Array, y: Array) -> Array:
    return np.where(_is_left_out(x, y), 0.0, _floats(x) * np.log(y))


def xlog1py(x: Array, y: Array) -> Array:
    return np.where(_is_left_out(x, y), 0.0, _floats(x) * np.log1p(y))


def entr(x: Array) -> Array:
    x = _floats(x)
    return np.where(x > 0.0, -x * np.log(x), np.where(x == 0.0, 0.0, np.where(np.isnan(x), x, -np.inf)))


def rel_entr(x: Array, y: Array) -> Array:
    x, y = _floats(x), _floats(y)
    unknown = np.where(np.isnan(x) | np.isnan(y), x + y, np.inf)
    return np.where((x > 0.0) & (y > 0.0), x * np.log(x / y), np.where((x == 0.0) & (y >= 0.0), 0.0, unknown))


def kl_div(x: Array, y: Array) -> Array:
    return rel_entr(x, y) - x + y


def exp10(x: Array) -> Array:
    return 10.0 ** _floats(x)


def huber(delta: Array, r: Array) -> Array:
    """Quadratic up to `delta`, linear beyond; a negative `delta` has no loss."""
    delta, r = _floats(delta), _floats(r)
    size = np.abs(r)
    loss = np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return np.where(delta < 0.0, np.inf, loss)


def pseudo_huber(delta: Array, r: Array) -> Array:
    """`delta**2 * (sqrt(1 + (r / delta)**2) - 1)`, without the cancellation where `r` is small."""
    u, r = _floats(delta), _floats(r)
    ratio = np.where(u > 0.0, r / np.where(u > 0.0, u, 1.0), 0.0)
    loss = u * r * ratio / (1.0 + np.sqrt(1.0 + ratio * ratio))
    return np.where(u < 0.0, np.inf, loss)


def logsumexp(a: Array, axis: Any = None, b: Array = None, keepdims: bool = False, return_sign: bool = False) -> Array:
    a = _floats(a)
    if b is not None:
        a, b = np.broadcast_arrays(a, b)
    largest = np.max(a.real if np.iscomplexobj(a) else a, axis=axis, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    terms = np.exp(a - shift) if b is None else b * np.exp(a - shift)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    shift = shift if keepdims else np.squeeze(shift, axis=axis)
    if return_sign and np.iscomplexobj(total):
        return np.log(np.abs(total)) + shift, total / np.abs(total)
    if return_sign:
        return np.log(np.abs(total)) + shift, np.sign(total)
    return np.log(total) + shift


def softmax(x: Array, axis: Any = None) -> Array:
    x = _floats(x)
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: Any = None) -> Array:
    x = _floats(x)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _floats(x: Array) -> Array:
    return np.asarray(x) * 1.0


def _is_left_out(x: Array, y: Array) -> Array:
    """Where a factor of zero leaves nothing of a logarithm."""
    return (np.asarray(x) == 0.0) & ~np.isnan(y)


SCIPY: dict[str, Callable[..., Any]] = {
    **{name: _program(operation) for name, operation in ELEMENTWISE.items()},
    **{
        program.__name__: program
        for program in (
            *(ndtr, expit, log_expit, logit, xlogy, xlog1py, entr, rel_entr),
            *(kl_div, exp10, cbrt, log1p, expm1, huber, pseudo_huber, logsumexp, softmax, log_softmax),
        )
    },
}
