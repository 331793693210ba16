"""Bounds of `while` loops that data end: how they are found, how they grow, and when that ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.api.call.specialization import Request
from daad.api.gradient import Gradient
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported
from daad.frontend.python.reading import trip_counts


def relaxed(u, tolerance):
    change = 1.0
    while change > tolerance:
        before = u.copy()
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
        change = np.max(np.abs(u - before))
    return np.sum(u * u)


def halved_within(x, y):
    total = 0.0
    for k in range(3):
        e = x * (k + 1)
        while e > y:
            e = 0.5 * e * x
        total += e
    return total


def endless(x):
    while x > 0.0:
        x = x * 1.0
    return x


def arguments(tolerance: float) -> tuple[Any, ...]:
    return np.linspace(0.0, 1.0, 6) ** 2, tolerance


def gradient_of(function: Any, compiler: Any = Interpreted) -> Gradient:
    return Gradient(function, Request(value=True, on_inputs="primal"), compiler=compiler)


def bounds_of(gradient: Gradient) -> list[int]:
    return gradient._subject.trips.bounds


def derivative(tolerance: float) -> tuple[float, np.ndarray]:
    """The value, and the adjoint of as many sweeps as the program takes."""
    u, sweeps = arguments(tolerance)[0], 0
    change, sweep = 1.0, np.eye(6)
    sweep[1:-1] = 0.5 * (np.eye(6)[2:] + np.eye(6)[:-2])
    while change > tolerance:
        after = sweep @ u
        u, change, sweeps = after, np.max(np.abs(after - u)), sweeps + 1
    return u @ u, np.linalg.matrix_power(sweep.T, sweeps) @ (2.0 * u)


def test_bounds_are_found_by_running_the_program() -> None:
    gradient = gradient_of(relaxed)
    for tolerance, bounds in ((1e-3, [32]), (1e-9, [128]), (1e-3, [128])):
        value, found = gradient(*arguments(tolerance))
        expected = derivative(tolerance)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(found, expected[1], rtol=1e-12)
        assert bounds_of(gradient) == bounds


@pytest.mark.parametrize("compiler", [Interpreted, compile_program])
@pytest.mark.parametrize("effort", [trip_counts.EFFORT, 0])
def test_a_later_call_gets_larger_bounds_and_its_own_arguments(
    compiler: Any, effort: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trip_counts, "EFFORT", effort)
    gradient = gradient_of(relaxed, compiler)
    gradient(*arguments(1e-3))
    gradient(*arguments(1e-3))  # the short way is known
    u, tolerance = arguments(1e-9)
    _, found = gradient(u, tolerance)
    np.testing.assert_allclose(found, derivative(tolerance)[1], rtol=1e-12)
    np.testing.assert_allclose(np.sum(u * u), derivative(tolerance)[0], rtol=1e-12)


def test_inner_loops_have_bounds_too() -> None:
    gradient = gradient_of(halved_within)
    value, found = gradient(1.8, 1e-2)
    steps = [1 + int(np.log(1e-2 / (1.8 * k)) / np.log(0.9)) for k in (1, 2, 3)]
    assert np.isclose(value, sum(1.8 * k * 0.9**n for k, n in zip((1, 2, 3), steps, strict=True)))
    assert np.isclose(found, sum(k * (n + 1) * 0.9**n for k, n in zip((1, 2, 3), steps, strict=True)))
    assert bounds_of(gradient) == [64]


def test_what_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trip_counts, "MOST", 128)
    with pytest.raises(Unsupported, match="has not ended after 128 iterations") as caught:
        gradient_of(endless)(1.0)
    assert caught.value.at is not None and caught.value.at.line == endless.__code__.co_firstlineno + 1
