"""Squares of roots, sizes and distances are smooth where these have kinks."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.ir.constructors import const
from daad.ir.nodes import Load, Op
from daad.rules.evenness import smooth

F = "float64"
A, B = Load("a", (), F), Load("b", (), F)
MOVE = np.array([1.0, 2.0, 3.0])


def squares(x):
    length = np.linalg.norm(x)
    return length**2 + np.sqrt(np.sum(x * x)) ** 4 + np.exp(-0.3 * length * length) + np.hypot(x[0], x[1]) ** 2


def sizes(x):
    return np.abs(x[0]) ** 2 + np.abs(x[1]) * np.abs(x[1]) * x[2] + np.sum(np.abs(x) ** 4.0)


def waves(x):
    length = np.linalg.norm(x)
    return np.cos(0.5 * length / 0.7) + x[0] * np.cosh(np.hypot(x[0], x[1])) + np.cos(3.0 * np.abs(x[2]))


@pytest.mark.parametrize("f", [squares, sizes, waves])
def test_second_derivatives_at_zero(f) -> None:
    gradient, zero, step = daad.grad(f), np.zeros(3), 1e-4
    expected = (gradient(zero + step * MOVE) - gradient(zero - step * MOVE)) / (2.0 * step)
    np.testing.assert_allclose(daad.hvp(f)(zero, tangent=MOVE), expected, atol=1e-5)


def test_nothing_else_changes() -> None:
    root = Op("sqrt", (A,), F)
    for other in (Op("multiply", (root, B), F), Op("power", (root, const(3, F)), F), Op("power", (A, root), F), root):
        assert smooth(other) == other
    assert smooth(Op("power", (root, const(2, F)), F)) == A
    assert smooth(Op("power", (root, const(6, F)), F)) == Op("power", (A, const(3, F)), F)
