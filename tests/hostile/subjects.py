"""Small programs with gradients that can be written down."""

from __future__ import annotations

from typing import Any

import numpy as np

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X, Y = np.arange(1.0, 6.0), np.arange(2.0, 7.0)


def weigh(x, y):
    """Reads both arrays."""
    return np.sum(x * x * y)


def weighed(x, y):
    """The gradient of `weigh` with respect to `x`."""
    return 2.0 * np.asarray(x, float) * np.asarray(y, float)


def overwrite(x, y):
    """Writes the first array."""
    x[:] = x * y
    x[0] = x[0] * 2.0
    return np.sum(x * y)


def overwritten(x, y):
    """The gradient of `overwrite` with respect to `x`, for arguments that share nothing."""
    return np.asarray(y, float) ** 2 * np.where(np.arange(np.size(y)) == 0, 2.0, 1.0)


def left_behind(x, y):
    """What `overwrite` leaves in `x`."""
    return np.asarray(x) * np.asarray(y) * np.where(np.arange(np.size(y)) == 0, 2.0, 1.0)


def weigh_gradient() -> Gradient:
    """Compiled, and called once."""
    gradient = daad.grad(weigh)
    np.testing.assert_array_equal(gradient(X, Y), weighed(X, Y))
    return gradient


def interpreted(function: Any, **options: Any) -> Gradient:
    """A gradient that the interpreter runs."""
    return Gradient(function, Request(**options), compiler=Interpreted)  # type: ignore[arg-type]
