"""Each real engine on one small program: the gradient, untouched arguments, and again the same gradient."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from daad.api.call.specialization import specialise_primal
from daad.api.subject.reading import subject_of
from daad.api.subject.request import Request
from npbench_runs import kernel as suite
from npbench_runs.engines import ENGINES, engine
from npbench_runs.engines.by_dace import PLAIN
from npbench_runs.engines.engine import Question, Refused
from npbench_runs.kernel import Kernel
from tests.npbench_runs import fakes

WEIGHTS = np.linspace(-1.0, 1.0, 50)


def question(kernel: Kernel, variant: str = "", seed: float | np.ndarray = 1.0, preset: str = "S") -> Question:
    arguments = kernel.arguments(preset)
    return Question(kernel=kernel, arguments=arguments, wrt=kernel.wrt(arguments), seed=seed, variant=variant)


def sines(x, y):  # type: ignore[no-untyped-def]  # DaCe reads annotations
    y[:] = np.sin(x)


SINES = dataclasses.replace(fakes.SQUARES, function=sines, in_jax=f"{fakes.__package__}.fakes_in_jax")


def returned(x, y):  # type: ignore[no-untyped-def]
    return np.sin(x)


RETURNED = dataclasses.replace(SINES, function=returned, output=None)
ROWS = [
    ("daad", "", SINES, WEIGHTS),
    ("jax", "", SINES, WEIGHTS),
    ("dace", PLAIN, SINES, WEIGHTS),
    ("dace", PLAIN, RETURNED, 1.0),
]


@pytest.mark.parametrize(
    ("name", "variant", "kernel", "seed"), ROWS, ids=[f"{row[0]} {row[2].function.__name__}" for row in ROWS]
)
def test_engine_gives_the_seeded_gradient_twice(
    name: str, variant: str, kernel: Kernel, seed: float | np.ndarray
) -> None:
    chosen = engine(name)
    if chosen.missing():
        pytest.skip(chosen.missing())
    asked = question(kernel, variant, seed)
    chosen.load()
    prepared = chosen.prepare(asked)
    x, _ = SINES.arguments("S")
    for _ in range(2):
        prepared.reset()
        prepared.call()
        x_bar, y_bar = prepared.gradients()
        np.testing.assert_allclose(x_bar, np.cos(x) * seed, rtol=1e-13, atol=1e-15)
        np.testing.assert_array_equal(y_bar, np.zeros_like(x))
    for found, wanted in zip(asked.arguments, SINES.arguments("S"), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_the_primal_is_the_program_itself_on_untouched_arguments() -> None:
    asked = question(SINES, seed=WEIGHTS)
    prepared = ENGINES["primal"].prepare(asked)
    prepared.call()
    assert prepared.gradients() == ()
    for found, wanted in zip(asked.arguments, SINES.arguments("S"), strict=True):
        np.testing.assert_array_equal(found, wanted)
    x, y = SINES.arguments("S")
    primal = specialise_primal(subject_of(sines), {"x": x, "y": y}, Request(wrt="x", of="y", seed=1.0))
    value, gradients = primal.call([x, y])
    np.testing.assert_allclose(value, np.sin(x), rtol=1e-13)
    assert gradients == ()


def test_numpy_runs_the_program_on_fresh_arguments() -> None:
    asked = question(suite.load("jacobi_2d"), preset="tiny")
    prepared = ENGINES["numpy"].prepare(asked)
    results = []
    for _ in range(2):
        prepared.reset()
        prepared.call()
        results.append(prepared.gradients())
    assert results == [(), ()]
    np.testing.assert_array_equal(asked.arguments[1], suite.load("jacobi_2d").arguments("tiny")[1])


def stateful(x, y):  # type: ignore[no-untyped-def]
    while np.sum(y) < 100.0:
        y[:] = y + np.packbits(x > 0.0)[0]


REFUSALS = [("daad", r"test_engines.py:\d+: .*"), ("dace", "DaCe cannot parse the program: .*|dace.autodiff: .*")]


@pytest.mark.parametrize(("name", "match"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_refusals_are_one_line(name: str, match: str) -> None:
    asked = question(dataclasses.replace(SINES, function=stateful), variant=PLAIN)
    with pytest.raises(Refused, match=match) as refused:
        ENGINES[name].prepare(asked).call()
    assert "\n" not in str(refused.value)


def test_a_missing_package_names_the_extra() -> None:
    assert (
        fakes.MISSING.missing()
        == "The package 'no_such_package' is not installed; pip install 'daad[fake]' installs it."
    )
    assert ENGINES["jax"].extra == "pip install 'daad[bench]'"


@pytest.mark.parametrize("seed", [1.0, WEIGHTS], ids=["ones", "weights"])
def test_jax_gives_the_gradient_at_changed_arguments_and_with_a_changed_seed(seed: float | np.ndarray) -> None:
    pytest.importorskip("jax")
    elsewhere = engine("jax").prepare(question(SINES, "", seed)).elsewhere
    assert elsewhere is not None
    x = np.asarray(SINES.arguments("S")[0])
    np.testing.assert_allclose(elsewhere(lambda array: array)[0], seed * np.cos(x), rtol=1e-14)
    np.testing.assert_allclose(elsewhere(lambda array: 2 * array)[0], 2 * seed * np.cos(2 * x), rtol=1e-14, atol=1e-15)
