"""Float arguments that sizes depend on: constants of the compiled gradient, as few of them as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.errors import Unsupported
from daad.gradient import Gradient
from daad.program.interpreted import Interpreted
from daad.request import Request


def decay(y, rate, end, step):
    n = int(np.ceil(end / step))
    path = np.zeros((n + 1, len(y)))
    path[0] = y
    for k in range(n):
        path[k + 1] = path[k] * (1.0 - rate * step)
    return np.sum(path)


def of_settings(y, settings):
    total = 0.0
    for t in np.arange(settings["first"], settings["end"], settings["step"]):
        total += np.sum(y * settings["rate"]) * np.exp(t)
    return total


def checked(y, rate):
    if rate <= 0.0:
        raise ValueError("no rate")
    return np.sum(y * rate)


def signed(y, a):
    return np.sum(y * np.copysign(2.0, a)) * len(np.zeros(int(a) + 2))


def gradient_of(function: Any, wrt: str = "y") -> Gradient:
    return Gradient(function, Request(wrt=wrt), compiler=Interpreted)


def pinned(gradient: Gradient) -> dict[str, float]:
    return dict(gradient._current.planned.read.pinned)


Y = np.array([1.0, 2.0])


def test_those_that_sizes_depend_on_are_constants() -> None:
    gradient = gradient_of(decay)
    for rate, end, step in ((0.5, 0.25, 0.1), (0.7, 0.25, 0.1), (0.7, 0.35, 0.1)):
        count = int(np.ceil(end / step))
        np.testing.assert_allclose(
            gradient(Y, rate, end, step), sum((1.0 - rate * step) ** k for k in range(count + 1))
        )
        assert pinned(gradient) == {"end": end, "step": step}
    assert sum(map(len, gradient._known.values())) == 2


def test_those_of_structures_are_constants_too() -> None:
    gradient = gradient_of(of_settings)
    settings = {"first": 0.0, "end": 1.0, "step": 0.25, "rate": 3.0}
    np.testing.assert_allclose(gradient(Y, settings), 3.0 * np.sum(np.exp(np.arange(0.0, 1.0, 0.25))))
    assert pinned(gradient).keys() == {"settings_first", "settings_end", "settings_step"}


def test_what_follows_from_a_float_is_checked_for_each() -> None:
    gradient = gradient_of(checked)
    assert gradient(Y, 2.0).tolist() == [2.0, 2.0]
    with pytest.raises(Unsupported, match="raises an exception"):
        gradient(Y, -2.0)


def test_zeros_of_both_signs_are_two_constants() -> None:
    gradient = gradient_of(signed)
    assert [gradient(Y, a)[0] for a in (0.0, -0.0, 0.0)] == [4.0, -4.0, 4.0]


def test_what_has_a_gradient_is_no_constant() -> None:
    with pytest.raises(Unsupported, match="The shape of an array depends on data") as caught:
        gradient_of(decay, "end")(Y, 0.5, 0.25, 0.1)
    assert caught.value.hint == "Ask for no gradient with respect to 'end'."
