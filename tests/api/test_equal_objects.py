"""A program is read once for objects that hold the same, as long as nobody can tell them apart."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject import reading
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.array([0.3, -0.7, 1.1])


class Tank:
    made: list[Tank] = []

    def __init__(self, factor: float = 0.2) -> None:
        self.factor, self.weights, self.time, self.seen = factor, np.array([1.0, 2.0, 3.0]), 0.0, []
        self.parts = {"inner": types.SimpleNamespace(depth=factor + 1, law=np.sin)}

    def step(self, x):
        self.time += 0.5
        self.seen.append(self.time)
        self.weights = self.weights * x + self.time
        self.weights[0] *= self.parts["inner"].depth
        return self.parts["inner"].law(self.weights) * self.factor


def steps(x, tank):
    for _ in range(3):
        x = tank.step(x)
    return np.sum(x) + tank.time * len(tank.seen)


def of_several(x, tanks, more):
    return sum(np.sum(tank.step(x)) for tank in tanks) + np.sum(more["tank"].step(x))


def one_over(x, tank):
    return np.sum(x) * np.copysign(3.0, tank.factor)


def lengths(x, tank):
    tank.seen.append(1.0)
    return np.sum(x) * (len(tank.parts["seen"]) + 1)


def written_argument(x, w, tank):
    w[0] = x[0] ** 2
    return np.sum(tank.weights * x)


def is_first(x, tank):
    return np.sum(x) * (2.0 if tank is Tank.made[0] else 3.0)


def drawn(x, tank):
    return np.sum(x) * tank.draw.normal()


def counted(function: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Gradient, list[Any]]:
    """Its gradient, and all that is read from now on."""
    found: list[Any] = []
    build = reading.build_program
    monkeypatch.setattr(reading, "build_program", lambda *args, **kwargs: (found.append(1), build(*args, **kwargs))[1])
    return Gradient(function, Request(wrt="x"), compiler=Interpreted), found


def assert_is_right(gradient: Gradient, function: Any, make: Any) -> None:
    direction, step = np.array([0.4, 1.0, -0.6]), 1e-6
    ends = [function(X + sign * step * direction, *make()) for sign in (1, -1)]
    assert gradient(X.copy(), *make()) @ direction == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (steps, lambda: (Tank(),)),
        (of_several, lambda: ([Tank(), Tank(0.3)], {"tank": Tank(0.4)})),
    ],
    ids=["one", "several"],
)
def test_equal_objects_are_read_once(function: Any, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, read = counted(function, monkeypatch)
    assert_is_right(gradient, function, make)
    count = len(read)
    for _ in range(3):
        assert_is_right(gradient, function, make)
    assert len(read) == count


def test_other_objects_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, read = counted(steps, monkeypatch)
    for factor in (0.2, 0.3, 0.2):
        assert_is_right(gradient, steps, lambda factor=factor: (Tank(factor),))
    count = len(read)
    changed = Tank()
    changed.weights[2] = 0.5

    def make() -> tuple[Tank]:
        made = Tank()
        made.weights[2] = 0.5
        return (made,)

    assert_is_right(gradient, steps, make)
    assert len(read) > count


def test_an_object_that_was_changed_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(steps, monkeypatch)
    first = Tank()
    gradient(X, first)
    first.factor = 0.5
    assert_is_right(gradient, steps, lambda: (Tank(),))
    assert_is_right(gradient, steps, lambda: (Tank(0.5),))


def test_the_sign_of_zero_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(one_over, monkeypatch)
    for factor in (0.0, -0.0):
        assert_is_right(gradient, one_over, lambda factor=factor: (Tank(factor),))


def test_what_parts_share_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(lengths, monkeypatch)

    def made(shared: bool) -> tuple[Tank]:
        tank = Tank()
        tank.parts["seen"] = tank.seen if shared else list(tank.seen)
        return (tank,)

    for shared in (False, True, False):
        assert_is_right(gradient, lengths, lambda shared=shared: made(shared))


def test_what_is_an_argument_too_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(written_argument, monkeypatch)

    def made(shared: bool) -> tuple[Any, ...]:
        tank = Tank()
        return (tank.weights if shared else tank.weights.copy()), tank

    assert_is_right(gradient, written_argument, lambda: made(False))
    tank = Tank()
    gradient(X, tank.weights.copy(), tank)
    other = Tank()
    other.weights = tank.weights.copy()
    assert gradient(X, tank.weights, other) == pytest.approx(other.weights)  # the known object's own array


def test_an_object_that_is_found_elsewhere_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(is_first, monkeypatch)
    Tank.made[:] = [Tank()]
    assert gradient(X, Tank.made[0]) == pytest.approx(2.0)
    assert gradient(X, Tank()) == pytest.approx(3.0)


def test_generators_are_those_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, _ = counted(drawn, monkeypatch)
    for seed in (1, 2, 1):
        tank = Tank()
        tank.draw = np.random.default_rng(seed)
        assert gradient(X, tank) == pytest.approx(np.random.default_rng(seed).normal())
        assert tank.draw.normal() != np.random.default_rng(seed).normal()
