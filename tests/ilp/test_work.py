"""How much planning does: plans that are built, models that are solved, sweeps over loops; no clock is asked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad import pipeline
from daad.analysis import element_liveness
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.ilp import choose
from daad.ilp.branch_and_bound import _all_choices
from daad.ilp.model import How, Model, Option, Remake, Value, outcome
from daad.ilp.search import lowest_peak
from tests.ilp.test_model import random_model

SIDE = 12


def products(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 24:
        x = np.tanh(x @ w)
    return np.sum(x)


def element_by_element(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 80:
        x = np.sin(x) * w
    return np.sum(x)


def steps(x, w):  # type: ignore[no-untyped-def]
    for _ in range(60):
        x = np.sin(x) * w
    return np.sum(x)


def nested(x, w):  # type: ignore[no-untyped-def]
    for _ in range(3):
        x = np.sin(x) * w
        for _ in range(3):
            x = np.cos(x) + w
            for _ in range(3):
                x = np.sin(x) * w
                for _ in range(3):
                    x = np.cos(x * w)
    return np.sum(x)


def planned(function: Callable[..., Any], limit: int | None) -> Any:
    x = np.random.default_rng(0).standard_normal((SIDE, SIDE)) / 4
    gradient = Gradient(function, Request(wrt="w", memory_limit=limit), compiler=Interpreted)  # type: ignore[arg-type]
    return gradient._planned(x, x)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often plans are built, models solved, and bodies of loops swept."""
    counts: Counter[str] = Counter()
    for module, name in (
        (pipeline, "_derive"),
        (choose, "solve"),
        (element_liveness, "_swept_loop"),
        (sys.modules["daad.passes.redundancy.initialization"], "_loop"),
    ):
        monkeypatch.setattr(module, name, _counted(getattr(module, name), counts))
    return counts


def _counted(function: Callable[..., Any], counts: Counter[str]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        counts[function.__name__] += 1
        return function(*args, **options)

    return call


# Plans built and models solved at most: within half of what is held, and to find the smallest plan.
WORK = {
    "products": (products, (3, 2), (3, 3)),
    "element by element": (element_by_element, (4, 3), (4, 4)),
    "a loop": (steps, (5, 3), (5, 3)),
    "nested loops": (nested, (4, 2), (3, 3)),
}


@pytest.mark.parametrize(("function", "within", "least"), WORK.values(), ids=WORK)
def test_few_plans_are_built(
    function: Callable[..., Any], within: tuple[int, int], least: tuple[int, int], work: Counter[str]
) -> None:
    free = planned(function, None)
    work.clear()
    assert planned(function, free.nbytes // 2).nbytes <= free.nbytes // 2
    assert work["_derive"] <= within[0]
    assert work["solve"] <= within[1]
    work.clear()
    with pytest.raises(daad.MemoryLimitTooSmall):
        planned(function, 1)
    assert work["_derive"] <= least[0]
    assert work["solve"] <= least[1]


def test_loops_inside_of_others_are_swept_as_often_as_there_is_something_new(work: Counter[str]) -> None:
    planned(nested, None)
    assert work["_swept_loop"] <= 60
    assert work["_loop"] <= 60


@pytest.mark.parametrize("seed", range(60))
def test_no_choice_needs_less_than_the_lowest_peak(seed: int) -> None:
    model = random_model(seed)
    choices = [c for c, _ in zip(_all_choices(model), range(3000), strict=False)]
    assert lowest_peak(model) <= min(outcome(model, c).peak for c in choices)


def test_what_nothing_makes_again_is_part_of_the_lowest_peak() -> None:
    values = {"x": Value("x", 100, 0, 0), "y": Value("y", 10, 1, 1)}
    options = (Option(demands=frozenset({"x"})),), (Option(demands=frozenset({"y"}), work=5),)
    model = Model(values=values, options=options, fixed=7)
    assert lowest_peak(model) == 7 + 100 + 10 + 5
    again = Remake("x", How.RERUN, frozenset(), 1.0)
    assert lowest_peak(Model(values=values, options=options, remakes=(again,), fixed=7)) == 7 + 100
