"""Differences of NumPy programs: what they find, and that they say where they cannot tell."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npbench_runs.differences import JOINT, Primal, TooSlow, directions, estimate, inner
from tests.npbench_runs import fakes

SLOPES = [
    ("cubic", lambda t: t**3 + 2 * t, 2.0),
    ("exponential", lambda t: math.exp(3 * t), 3.0),
    ("fast oscillation", lambda t: math.sin(200 * t), 200.0),
    ("constant", lambda t: 7.0, 0.0),
    ("kink nearby", lambda t: max(t, 1e-4) + t, 1.0),
]


def central(f: Callable[[float], float]) -> Callable[[float], float]:
    return lambda step: (f(step) - f(-step)) / (2 * step)


@pytest.mark.parametrize(("f", "expected"), [row[1:] for row in SLOPES], ids=[row[0] for row in SLOPES])
def test_estimates_are_right_and_know_it(f: Callable[[float], float], expected: float) -> None:
    found = estimate(central(f))
    assert found.error <= 1e-7 * max(1.0, expected)
    assert found.value == pytest.approx(expected, rel=1e-7)


UNCLEAR = [
    ("noise", lambda t: t + 1e-4 * math.sin(1e9 * t)),
    ("not finite", lambda t: math.nan),
]


@pytest.mark.parametrize("f", [row[1] for row in UNCLEAR], ids=[row[0] for row in UNCLEAR])
def test_estimates_know_when_they_are_unclear(f: Callable[[float], float]) -> None:
    assert not estimate(central(f)).error <= 1e-6


def primal(**options: Any) -> Primal:
    kernel = fakes.SQUARES
    return Primal(kernel=kernel, arguments=kernel.arguments("S"), wrt=("x", "y"), seed=1.0, **options)


def test_slope_of_a_program() -> None:
    point = primal()
    x, y = point.arguments
    for direction in directions((x, y)):
        expected = inner((2 * x + 0.5, np.zeros_like(y)), direction)
        assert estimate(lambda step, d=direction: point.slope(d, step)).value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_array_equal(y, np.ones_like(y), "the point stays where it is")


def test_single_precision_is_widened() -> None:
    kernel = fakes.SQUARES
    narrow = tuple(a.astype(np.float32) for a in kernel.arguments("S"))
    point = Primal(kernel=kernel, arguments=narrow, wrt=("x", "y"), seed=1.0)
    direction = directions(narrow)[0]
    found = estimate(lambda step: point.slope(direction, step))
    assert found.error <= 1e-9 * abs(found.value)


def test_directions_go_in_all_arrays_and_then_in_each_alone() -> None:
    found = directions((np.ones(4), np.zeros(3)))
    moving = [[bool(np.any(d)) for d in direction] for direction in found]
    assert moving == [[True, True]] * JOINT + [[True, False], [False, True]]
    assert len(directions((np.ones(4),))) == JOINT


def test_a_program_that_takes_too_long_is_not_called_again() -> None:
    point = primal(until=time.monotonic() + 0.05)
    point.slowest = 1.0
    with pytest.raises(TooSlow):
        point.slope(directions(point.arguments)[0], 1e-3)
