"""What a call leaves in its arguments: nothing new, or what the program leaves there."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError


def simulate(u, k, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def fill(x, y):
    y[:] = x * 2.0
    y *= x
    return np.sum(y * y)


def leave(x, y):
    total = np.sum(x * x)
    x[:] = 3.0
    y[:] = total
    return total


def halve(x, y):
    while np.sum(x) > 1.0:
        x *= 0.5
    return np.sum(x * y)


def add(x, y):
    x += y
    return np.sum(x * x)


LINE, OTHER = np.sin(np.linspace(0.0, 3.0, 8)), np.full(8, 0.25)
ROWS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (simulate, (LINE, OTHER, 10)),
    (fill, (LINE, OTHER)),
    (leave, (LINE, OTHER)),
    (halve, (LINE, OTHER)),
    (add, (LINE, OTHER)),
]


def raise_between(x, y):
    x += y
    for k in range(len(x)):
        x[k] *= 2.0
        if x[k] > 1.5:
            raise ValueError("too large")
    y *= 3.0
    return np.sum(x * y)


def assert_between(x, y):
    x += y
    assert np.all(x < 0.3)
    y *= 3.0
    return np.sum(x * y)


def reach_outside(x, y):
    for k in range(len(x)):
        x[k] = y[int(9.0 * x[k])]
    return np.sum(x)


STOPPED = [raise_between, assert_between, reach_outside]


@pytest.mark.parametrize("compiler", [Interpreted, compile_program])
@pytest.mark.parametrize("function", STOPPED)
def test_what_is_raised_leaves_the_arguments_as_numpy_does(function: Any, compiler: Any) -> None:
    given, after = [LINE.copy(), OTHER.copy()], [LINE.copy(), OTHER.copy()]
    with pytest.raises((ValueError, AssertionError, IndexError)):
        function(*after)
    kept = Gradient(function, Request(value=True), compiler=compiler)
    written = Gradient(function, Request(value=True, on_inputs="primal"), compiler=compiler)
    with pytest.raises(DaadError) as caught:
        kept(*given)
    np.testing.assert_equal(given, [LINE, OTHER])
    with pytest.raises(DaadError, match=re.escape(caught.value.message)):
        written(*given)
    np.testing.assert_equal(given, after)


def gradient_of(function: Any, **options: Any) -> Gradient:
    return Gradient(function, Request(wrt=(0, 1), value=True, **options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize(("function", "arguments"), ROWS, ids=[function.__name__ for function, _ in ROWS])
def test_gradient_called_twice_gives_one_answer(function: Any, arguments: tuple[Any, ...]) -> None:
    given, after = copy.deepcopy(arguments), copy.deepcopy(arguments)
    value = function(*after)
    kept = gradient_of(function)
    first, second = kept(*given), kept(*given)
    np.testing.assert_equal(second, first)
    np.testing.assert_equal(given, arguments)
    np.testing.assert_allclose(first[0], value, rtol=1e-14)
    np.testing.assert_equal(gradient_of(function, on_inputs="primal")(*given), first)
    np.testing.assert_allclose(given[0], after[0], rtol=1e-14)
    np.testing.assert_allclose(given[1], after[1], rtol=1e-14)


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize(
    ("function", "copied"), [(leave, set()), (add, set()), (simulate, {"u"})], ids=["leave", "add", "simulate"]
)
def test_only_arguments_that_change_before_they_are_read_are_copied(function: Any, copied: set[str]) -> None:
    arguments = next(row for f, row in ROWS if f is function)
    kept = gradient_of(function)
    kept(*copy.deepcopy(arguments))
    joint = kept.joint
    assert {"x", "y", "u", "k"} & (joint.arrays.keys() - {*joint.parameters}) == copied
