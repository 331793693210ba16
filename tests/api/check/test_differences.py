"""The step is found by sweep, without the gradient, and serves smooth, steep, narrow and rough functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from daad.api.check.finite_differences import STEPS, Sweep, noise_along, settled_despite_noise, sweep
from tests.api.check.checking import checked, spoil


@dataclass(frozen=True)
class Row:
    """A function of a step, its derivative at 0, and the relative error that is good enough."""

    name: str
    function: object
    derivative: float
    error: float = 1e-8


ROWS = [
    Row("cubic", lambda h: 1.0 + 2.0 * h + h**3, 2.0, 1e-12),
    Row("exponential", np.exp, 1.0, 1e-11),
    Row("steep", lambda h: np.exp(50.0 * h), 50.0),
    Row("oscillating", lambda h: np.sin(3000.0 * h), 3000.0),
    Row("narrow domain", lambda h: np.log(1e-4 + h) if h > -1e-4 else np.nan, 1e4, 1e-6),
    Row("large offset", lambda h: 1e8 + np.sin(h), 1.0, 1e-5),
    Row("in single precision", lambda h: float(np.float32(np.sin(1.0 + h))), np.cos(1.0), 1e-4),
    Row("kink nearby", lambda h: abs(h - 1e-4), -1.0),
    Row("constant", lambda h: 3.0, 0.0),
    Row("zero at the point", lambda h: h * h, 0.0),
]


class Along:
    """Stands for a point with one direction."""

    def __init__(self, function):
        self.function, self.calls, self.base, self.is_exhausted = function, 0, function(0.0), False

    def along(self, _, step):
        self.calls += 1
        return self.function(step)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_sweep_finds_the_derivative_and_its_own_error(row):
    found = sweep(Along(row.function), {}, 1e-6).central
    assert abs(found.value - row.derivative) <= row.error * max(abs(row.derivative), 1.0)
    assert abs(found.value - row.derivative) <= 3 * found.error


def test_smooth_functions_take_few_calls_and_no_function_many():
    calls = {}
    for row in ROWS:
        point = Along(row.function)
        sweep(point, {}, 1e-6)
        calls[row.name] = point.calls
    assert calls["cubic"] == calls["exponential"] == 6
    assert max(calls.values()) <= 2 * len(STEPS)


def test_one_sided_derivatives_are_those_of_each_side():
    found = sweep(Along(lambda h: np.exp(h) if h > 0 else 1.0 - 2.0 * h), {}, 1e-6)
    assert abs(found.right.value - 1.0) < 1e-6
    assert abs(found.left.value + 2.0) < 1e-6


def cancelling(h):
    """Steps of 1.2e-10 in values around 1."""
    return 1e6 * (np.tanh(7.1 + h) - 1.0)


NOISE = [(np.exp, 0.0, 1e-15), (cancelling, 1e-11, 1e-10), (lambda h: float(np.float32(np.exp(h))), 0.0, 1e-7)]


@pytest.mark.parametrize(("function", "least", "most"), NOISE, ids=["smooth", "cancelling", "in single precision"])
def test_noise_is_measured(function, least, most):
    assert least <= noise_along(Along(function), {}) <= most


def test_differences_know_of_the_noise_once_it_is_measured():
    point = Along(cancelling)
    found = settled_despite_noise(point, {}, 1e-6, sweep(point, {}, 1e-6)).central
    assert found.error > 1e-9
    assert abs(found.value - 1e6 / np.cosh(7.1) ** 2) <= found.error


RATES = [(1.0, 2.0), (1.01, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize(("derivative", "rate"), RATES)
def test_taylor_remainder_of_the_right_derivative_is_of_second_order(derivative, rate):
    samples = {h: (np.exp(h), np.exp(-h)) for h in STEPS[2:6]}
    found = Sweep(base=1.0, samples=samples).rate(derivative)
    assert abs(found - rate) < 0.1


def test_remainder_of_a_linear_function_is_rounding():
    samples = {h: (1.0 + h, 1.0 - h) for h in STEPS[2:6]}
    assert Sweep(base=1.0, samples=samples).rate(1.0) is None


def weighted(x, w):
    return np.sum(np.tanh(x) * w)


def test_the_gradient_has_no_part_in_the_difference(monkeypatch):
    args = (np.linspace(-1.0, 1.0, 7), np.linspace(0.5, 2.0, 7))
    right = checked(weighted, args, wrt=("x", "w"))
    spoil(monkeypatch, "tanh", 1.5)
    wrong = checked(weighted, args, wrt=("x", "w"))
    assert right
    assert not wrong
    assert [(d.difference, d.step) for d in right.directions] == [(d.difference, d.step) for d in wrong.directions]
    assert [round(d.rate) for d in right.directions if d.rate] == [2, 2, 2]
    assert [d.along for d in right.directions] == ["all", "all", "x", "w"]
    assert [round(d.rate) for d in wrong.directions[:3]] == [1, 1, 1]
