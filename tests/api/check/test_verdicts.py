"""What a check says at smooth points, on kinks and jumps, and where values are not finite."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from daad.api.check import Verdict
from tests.api.check.checking import checked, line_of, spoil

ZERO = np.array([0.0, 1.0, -1.0])


def smooth(x):
    return np.sum(np.exp(x) * np.sin(x))


def ramp_by_maximum(x):
    return np.sum(np.maximum(x, 0.0) * np.arange(1.0, 4.0))  # here


def ramp_by_where(x):
    return np.sum(np.where(x > 0.0, x, 0.0) * np.arange(1.0, 4.0))  # here


def ramps_of_two_signs(x):
    return np.sum(np.where(x > 0.0, x, 0.0) * np.array([1.0, -1.0, 1.0]))  # here


def clipped(x):
    return np.sum(np.clip(x, -1.0, 2.0) * np.arange(1.0, 4.0))  # here


def size(x):
    return np.sum(np.abs(x))  # here


def largest(x):
    return np.max(x) + np.sum(x * x)  # here


def larger_of_one(x):
    return np.sum(np.maximum(x, x))


def padded(x):
    y = np.zeros(5)
    y[1:4] = x
    return np.sum(np.abs(y))


def branch(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] >= 0.0:  # here
            total += 2.0 * x[i]
        else:
            total -= x[i]
    return total


def jump(x):
    return np.sum(np.floor(x) * np.exp(x))  # here


def whole_part(x):
    return x[1] * int(x[1] + 1.0)  # here


def root(x):
    return np.sum(np.sqrt(x))  # here


def distance(x):
    return np.sum(np.sqrt(x * x))  # here


def square_power(x):
    return np.sum(x**2) + np.sum(x**3)


def at_optimum(x):
    return np.sum((x - 1.0 / 3.0) ** 2)


def independent(x):
    return 3.0 + 0.0 * np.sum(x)


def logarithm(x):
    y = 2.0 * x
    return np.sum(np.log(y - 4.0))  # here


def quotient(x):
    with_hole = x * x
    return np.sum(1.0 / with_hole)  # here


def overflowing(x):
    return np.sum(1.0 / (1.0 + np.exp(x)))  # here


def masked(x):
    y = np.where(x > 0.5, x, 1.0)
    return np.sum(np.log(y))


def rough(x):
    return np.sum(np.sin(1e7 * x))


@dataclass(frozen=True)
class Row:
    """A program and its point; `kinks`: operations and how many elements; `origin`: the first that is not finite."""

    function: Any
    verdict: Verdict
    point: np.ndarray = field(default_factory=lambda: ZERO)
    kinks: tuple[tuple[str, int], ...] = ()
    origin: str | None = None


ROWS = [
    Row(smooth, Verdict.RIGHT),
    Row(ramp_by_maximum, Verdict.RIGHT, kinks=(("maximum", 1),)),
    Row(ramp_by_where, Verdict.SUBGRADIENT, kinks=(("greater", 1),)),
    Row(ramps_of_two_signs, Verdict.UNCONFIRMED, np.zeros(3), kinks=(("greater", 3),)),
    Row(clipped, Verdict.RIGHT, np.array([-1.0, 0.3, 2.0]), kinks=(("maximum", 1), ("minimum", 1))),
    Row(size, Verdict.RIGHT, kinks=(("absolute", 1),)),
    Row(size, Verdict.RIGHT, np.array([0.5, 1.0])),
    Row(largest, Verdict.RIGHT, np.array([3.0, 1.0, 3.0]), kinks=(("max=", 1),)),
    Row(larger_of_one, Verdict.RIGHT),
    Row(padded, Verdict.RIGHT, np.array([1.0, 2.0, -3.0])),
    Row(branch, Verdict.SUBGRADIENT, kinks=(("greater_equal", 1),)),
    Row(jump, Verdict.UNCONFIRMED, kinks=(("floor", 3),)),
    Row(whole_part, Verdict.UNCONFIRMED, kinks=(("trunc", 1),)),
    Row(root, Verdict.UNCONFIRMED, np.array([0.0, 1.0]), kinks=(("sqrt", 1),), origin="divide"),
    Row(distance, Verdict.RIGHT, kinks=(("sqrt", 1),)),
    Row(square_power, Verdict.RIGHT),
    Row(at_optimum, Verdict.RIGHT, np.full(4, 1.0 / 3.0)),
    Row(independent, Verdict.RIGHT),
    Row(logarithm, Verdict.UNCONFIRMED, origin="log"),
    Row(quotient, Verdict.UNCONFIRMED, origin="divide"),
    Row(overflowing, Verdict.WRONG, np.array([1.0, 800.0]), origin="exp"),
    Row(masked, Verdict.RIGHT),
    Row(smooth, Verdict.UNCONFIRMED, np.array([1.0, np.nan])),
    Row(rough, Verdict.UNCONFIRMED),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.function.__name__}-{r.verdict.value}")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_verdict_and_its_reasons(row):
    report = checked(row.function, (row.point,), wrt="x")
    assert report.verdict is row.verdict, str(report)
    assert bool(report) == (row.verdict in (Verdict.RIGHT, Verdict.SUBGRADIENT))
    assert {(k.operation, k.count) for k in report.kinks} == set(row.kinks)
    assert report.fault is None
    for kink in report.kinks:
        assert kink.at.line == line_of(row.function)
    if row.origin:
        assert report.origin.operation == row.origin
        assert report.origin.at.line == line_of(row.function)


def test_an_argument_that_is_not_finite_is_named():
    report = checked(smooth, (np.array([1.0, np.inf]),), wrt="x")
    assert str(report.origin) == "The argument 'x' holds inf."


WRONG_ON_KINKS = [(ramp_by_maximum, "maximum", 1.001), (ramp_by_where, "multiply", 1.5), (size, "absolute", 0.999)]


@pytest.mark.parametrize(("function", "rule", "factor"), WRONG_ON_KINKS, ids=[row[1] for row in WRONG_ON_KINKS])
def test_a_wrong_rule_does_not_hide_behind_a_kink(function, rule, factor, monkeypatch):
    spoil(monkeypatch, rule, factor)
    report = checked(function, (ZERO,), wrt="x")
    assert report.verdict is Verdict.WRONG
    assert report.fault.at.line == line_of(function)
    assert report.kinks


SINGLE = [np.float32([0.3, 0.7, 1.9]), np.float32([-2.0, 4.0, 0.1])]


@pytest.mark.parametrize("point", SINGLE, ids=["small", "mixed"])
def test_float32_is_compared_in_float64_to_a_thousandth(point):
    report = checked(smooth, (point,), wrt="x")
    assert report
    assert report.tolerance == 1e-3
    assert report.error < 1e-5


def narrowed(x):
    return np.sum(np.exp(x.astype(np.float32)).astype(np.float64))


def test_float32_inside_of_a_program_widens_the_tolerance():
    report = checked(narrowed, (np.linspace(0.1, 1.0, 5),), wrt="x")
    assert report
    assert report.tolerance == 1e-3


def saturated(x):
    return 1e6 * np.sum(np.tanh(7.0 + x) - 1.0)


def test_rounding_in_float32_is_not_called_a_defect():
    """1 - r * r of an r next to 1 has few digits left in float32."""
    report = checked(saturated, (np.float32([0.1, 0.2]),), wrt="x")
    assert report.verdict is Verdict.UNCONFIRMED
    assert "The adjoint of each statement is right: the rest is rounding" in str(report)
    assert checked(saturated, (np.array([0.1, 0.2]),), wrt="x")


def antisymmetric(x):
    y = x * x
    return np.sum(y - y[::-1])


def constant(x):
    y = np.full(4, np.sum(x))
    return np.sum(np.tanh(np.diff((0.8 * y) ** 3)))


def test_what_is_left_of_a_zero_derivative_is_not_called_a_defect():
    report = checked(constant, (np.linspace(0.1, 1.0, 7),), wrt="x")
    assert report.verdict is not Verdict.WRONG


def test_what_is_left_of_zero_is_not_called_a_wrong_value():
    report = checked(antisymmetric, (np.linspace(0.1, 1.0, 7),), wrt="x")
    assert report.verdict is not Verdict.WRONG
    assert report.fault is None
