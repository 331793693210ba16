"""Bounds of `while` loops that data end: how they are found, how they grow, and when that ends."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported
from daad.frontend.python import function_to_program
from daad.frontend.python.reading import trip_counts
from tests.corpus import exits, whiles
from tests.corpus.case import Case
from tests.frontend.python.running import assert_same_as_numpy


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
        x = 1.5 * x
    return x


def arguments(tolerance: float) -> tuple[Any, ...]:
    return np.linspace(0.0, 1.0, 6) ** 2, tolerance


def gradient_of(function: Any, compiler: Any = Interpreted, limit: int | None = None) -> Gradient:
    return Gradient(function, Request(value=True, on_inputs="primal", memory_limit=limit), compiler=compiler)


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


TOLERANCES = (1e-3, 1e-9, 1e-3)


@pytest.mark.parametrize("limit", [None, 3000], ids=["free", "within a limit"])
def test_one_bound_does_for_all_trip_counts_below(limit: int | None) -> None:
    gradient = gradient_of(relaxed, limit=limit)
    for tolerance in TOLERANCES:
        value, adjoint = gradient(*arguments(tolerance))
        expected = derivative(tolerance)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(adjoint, expected[1], rtol=1e-12)
        assert bounds_of(gradient) == [1024]
        assert limit is None or gradient.memory.modelled <= limit


@pytest.mark.parametrize("compiler", [Interpreted, compile_program])
def test_another_count_of_iterations_compiles_nothing(compiler: Any) -> None:
    gradient = gradient_of(relaxed, compiler)
    gradient.compile(*arguments(1e-3))
    compiled = gradient._last
    for tolerance in TOLERANCES:
        u, _ = arguments(tolerance)
        _, found = gradient(u, tolerance)
        np.testing.assert_allclose(found, derivative(tolerance)[1], rtol=1e-12)
        np.testing.assert_allclose(np.sum(u * u), derivative(tolerance)[0], rtol=1e-12)
        assert gradient._last is compiled


@pytest.mark.parametrize("compiler", [Interpreted, compile_program])
def test_a_later_call_gets_larger_bounds_and_its_own_arguments(compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trip_counts, "FIRST", 32)
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


WHILES = {case.function: case for case in whiles.CASES}


def slope(case: Case, arguments: tuple[Any, ...], directions: Mapping[str, Any], names: tuple[str, ...]) -> float:
    """Along directions, by central differences."""
    values = []
    for step in (1e-6, -1e-6):
        moved = [a + step * directions[n] if n in directions else a for n, a in zip(names, arguments, strict=True)]
        values.append(case.function(*copy.deepcopy(moved)))
    return (values[0] - values[1]) / 2e-6


@pytest.mark.parametrize("function", whiles.OTHER_ENDS, ids=lambda f: f.__name__)
def test_calls_end_where_their_own_data_end_them(function: Any) -> None:
    case, random = WHILES[function], np.random.default_rng(3)
    gradient = Gradient(function, Request(wrt=list(case.wrt)), compiler=Interpreted)
    names = tuple(inspect.signature(function).parameters)[: len(case.arguments())]
    for arguments in (case.arguments(), whiles.OTHER_ENDS[function], case.arguments()):
        found = gradient(*copy.deepcopy(arguments))
        directions = {
            n: random.normal(size=np.shape(a)) for n, a in zip(names, arguments, strict=True) if n in case.wrt
        }
        expected = sum(np.sum(directions[n] * g) for n, g in zip(case.wrt, found, strict=True))
        assert np.isclose(slope(case, arguments, directions, names), expected, rtol=1e-5)


def test_adjoint_begins_with_the_last_iteration_that_was_begun() -> None:
    gradient = gradient_of(relaxed)
    gradient(*arguments(1e-3))
    assert "loop trip = minimum(index(1025), begun[0]) + (-1) .. -1 down:" in str(gradient.adjoint)
    assert "if v_running" not in str(gradient.adjoint)


def test_loop_that_is_read_again_stays_a_loop() -> None:
    gradient = gradient_of(whiles.tails_read_again)
    gradient(np.linspace(1.0, 2.0, 5))
    assert "loop trip = 0 .. 1025 while" in str(gradient.primal)


def test_what_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trip_counts, "MOST", 128)
    with pytest.raises(Unsupported, match="has not ended after 128 iterations") as caught:
        gradient_of(endless)(1.0)
    assert caught.value.at is not None and caught.value.at.line == endless.__code__.co_firstlineno + 1


def ended_by_data(x):
    y = 2.0 * x
    for _ in range(5):
        y = y * 0.5
        if y[0] < 0.2:
            break
    change = 1.0
    while change > 1e-3:
        y = 0.5 * y + 0.1
        change = np.max(np.abs(y - 0.2))
    return np.sum(y)


def test_what_stands_before_a_loop_that_data_end_is_read_once(monkeypatch):
    count, whole = [], function_to_program._build
    monkeypatch.setattr(function_to_program, "_build", lambda *rest: count.append(1) or whole(*rest))
    assert_same_as_numpy(ended_by_data, (np.linspace(0.5, 1.0, 3),))
    assert len(count) == 2, "once more where places may be known"


def test_a_loop_that_data_count_in_another_one_gets_a_bound_and_is_not_written_out() -> None:
    request = Request(wrt="w", value=True)
    gradient = Gradient(exits.as_many_steps_as_data_say, request, compiler=Interpreted)
    gradient(np.linspace(0.1, 2.0, 40), np.array([0.9, 0.7]))
    assert bounds_of(gradient) and str(gradient.primal).count("loop ") == 2
