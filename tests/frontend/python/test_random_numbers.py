"""Numbers that the caller's generators draw: the program's own stream, from call to call, and left as it leaves it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation

import daad
from daad.frontend.staging.draws import rewind, state
from tests.corpus.case import Case, normal
from tests.oracle import check_gradient
from tests.programs import compiled, interpreted

LEGACY, MODERN = np.random.RandomState(5), np.random.default_rng(4)
GENERATORS: list[Any] = [LEGACY, MODERN, np.random.rand.__self__, random._inst]  # type: ignore[attr-defined]

FIXED = stats.norm(0.5, 2.0)


class Noise:
    """A part of a program that draws."""

    def __init__(self, rng):
        self.rng = rng

    def on(self, x):
        return x * self.rng.standard_normal(x.shape)


NOISE = Noise(MODERN)


def arrays_and_numbers(x):
    return np.sum((x * np.random.randn(5) + np.random.rand()) ** 2)


def in_loops(x):
    for _ in range(4):
        x = x + 0.1 * np.random.normal(0, 1, 5) * x
        for k in range(1, 5, 2):
            x[k] *= np.random.uniform(0.5, 1)
    return np.sum(x)


def on_sides(x):
    for _ in range(2):
        if np.random.rand() < 0.5:
            x = x + 0.1 * np.random.randn(5) * x
    return np.sum(x**2)


def as_often_as_drawn(x, rng=MODERN):
    for _ in range(rng.integers(1, 3)):
        x = x * rng.normal(1, 0.1, 5)
    return np.sum(x)


def of_fixed_distributions(x):
    return np.sum(x * FIXED.rvs(size=5) * np.random.rand()) + np.sum(
        x**2 * stats.gamma(2.0).rvs(5, random_state=MODERN)
    )


def of_a_fixed_distribution_after_a_seed(x):
    steps = stats.norm(0, 1)
    np.random.seed(3)
    return np.sum(x * np.random.rand() * steps.rvs(size=(2, *x.shape)))


def in_objects(x):
    return np.sum(NOISE.on(x) ** 2) + np.sum(LEGACY.choice(x, 2))


def from_pythons_module(x):
    total = 0.0
    for value in x:
        total = total + random.random() * value**2
    return total


def behind_a_seed(x):
    np.random.seed(7)
    for _ in range(3):
        x = x * np.random.rand(5)
    return np.sum(x**2)


PROGRAMS = (
    of_fixed_distributions,
    of_a_fixed_distribution_after_a_seed,
    arrays_and_numbers,
    in_loops,
    on_sides,
    as_often_as_drawn,
    in_objects,
    from_pythons_module,
    behind_a_seed,
)


@pytest.fixture(autouse=True)
def _same_numbers():
    before = [(generator, state(generator)) for generator in GENERATORS]
    random.seed(1)
    np.random.seed(2)
    yield
    rewind(before)


def _states() -> list[tuple[Any, Any]]:
    return [(generator, state(generator)) for generator in GENERATORS]


def _case(function: Callable[..., Any], before: list[tuple[Any, Any]]) -> Case:
    def from_there(x: np.ndarray) -> Any:
        rewind(before)
        return function(x)

    return Case(
        name=function.__name__, function=function, arguments=lambda: (normal(1, 5),), wrt=("x",), reference=from_there
    )


@pytest.mark.parametrize("function", PROGRAMS)
def test_each_call_draws_what_the_program_would(function: Callable[..., Any]) -> None:
    gradient = interpreted(_case(function, []))
    for _ in range(3):
        case = _case(function, _states())
        found = gradient(*case.arguments())
        after = _states()
        check_gradient(found, case)
        case.numpy_function(*case.arguments())
        assert repr(_states()) == repr(after)


def test_compiled_code_gets_new_numbers() -> None:
    gradient = compiled(_case(in_loops, []))
    for _ in range(3):
        case = _case(in_loops, _states())
        check_gradient(gradient(*case.arguments()), case)


def test_the_check_lets_all_runs_draw_the_same() -> None:
    assert daad.check(arrays_and_numbers, (normal(1, 5),))


def test_parameters_of_counts_that_data_decide_are_refused() -> None:
    def program(x):  # type: ignore[no-untyped-def]
        return np.random.poisson(x[0]) * x

    with pytest.raises(daad.Unsupported, match=r"The parameters of random numbers depend on data\."):
        daad.grad(program, wrt="x", seed=1.0)(normal(1, 5))


@pytest.mark.parametrize("generator", [np.random, MODERN])
def test_numbers_that_only_a_library_draws_are_refused(generator: Any) -> None:
    def program(x):  # type: ignore[no-untyped-def]
        return np.sum(Rotation.random(random_state=generator).as_matrix() @ x)

    with pytest.raises(
        daad.Unsupported, match=r"'Rotation\.random' draws random numbers, which each call would have to\."
    ):
        daad.grad(program)(normal(1, 3))
