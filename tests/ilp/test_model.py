"""The integer program finds what trying everything finds."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.codegen.interpreted import Interpreted
from daad.ilp.branch_and_bound import branch, brute_force
from daad.ilp.model import Choice, How, Model, Option, Remake, Value, outcome
from daad.ilp.solve import solve
from tests import programs
from tests.corpus.case import Case
from tests.corpus.selection import PLAIN, one_in

MOST_CHOICES = 5000
MEBIBYTE = 2**20


def random_model(seed: int, unit: int = MEBIBYTE) -> Model:
    """A few statements with options, values that some adjoints demand, and ways to make them again."""
    dice = random.Random(seed)
    count = dice.randint(2, 6)
    values = {}
    for at in range(count):
        for number in range(dice.randint(0, 2)):
            name = f"v{at}{number}"
            values[name] = Value(name, dice.randint(1, 9) * unit, at, dice.randint(at - 1, count - 1))
    names = sorted(values)
    birth = dice.randint(count, 2 * count - 1)
    values["bar"] = Value("bar", unit, birth, dice.randint(birth, 2 * count - 1))

    def some(most: float, before: int) -> frozenset[str]:
        return frozenset(n for n in names if values[n].birth < before and dice.random() < most)

    options = tuple(
        tuple(
            Option(
                demands=some(0.4, at + 1),
                touches=some(0.1, count),
                held=dice.choice([0, 0, 3]) * unit,
                work=dice.choice([0, 2]) * unit,
                seconds=dice.random(),
            )
            for _ in range(dice.choice([1, 1, 2]))
        )
        for at in range(count)
    )
    remakes = tuple(
        Remake(n, how, some(0.5, values[n].birth), dice.random(), (how is How.RERUN) * dice.choice([0, 2]) * unit)
        for n in names[:6]
        for how in How
        if dice.random() < 0.6
    )
    return Model(values=values, options=options, remakes=remakes, fixed=dice.randint(0, 4) * unit)


def limits(model: Model) -> list[int]:
    least = brute_force(model, None)
    assert least is not None
    most = outcome(model, Choice((0,) * model.statements)).peak
    return [least[1].peak + part * (most - least[1].peak) // 10 for part in (-1, 0, 3, 6, 8)]


def require_same(model: Model, limit: int | None) -> None:
    best, found = brute_force(model, limit), solve(model, limit)
    if best is None:
        assert found is None
        return
    assert found is not None
    assert limit is None or found.outcome.peak <= limit
    if limit is None:
        assert found.outcome.peak == best[1].peak
    else:
        assert found.outcome.seconds == pytest.approx(best[1].seconds, abs=1e-12, rel=1e-6)


@pytest.mark.parametrize("unit", [1, MEBIBYTE])
@pytest.mark.parametrize("seed", range(25))
def test_random_models(seed: int, unit: int) -> None:
    """A byte too much is too much, be it of a few or of many."""
    model = random_model(seed, unit)
    for limit in (None, *limits(model)):
        require_same(model, limit)


@pytest.mark.parametrize("seed", range(50))
def test_tree_finds_the_best_of_all(seed: int) -> None:
    model = random_model(seed)
    for limit in limits(model):
        best = brute_force(model, limit)
        found = branch(model, limit, (), None)
        assert (found is None) == (best is None)
        if best is None or found is None:
            continue
        assert found[1] == outcome(model, found[0])
        assert found[1].peak <= limit
        assert found[1].seconds == pytest.approx(best[1].seconds, abs=1e-12, rel=2e-6)
        assert branch(model, limit, (), best) == best
        other = branch(model, limit, (found[0],), None)
        assert other is None or (other[0] != found[0] and other[1].seconds >= best[1].seconds * (1 - 1e-6))


def test_tree_that_is_too_large_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    model = next(m for m in map(random_model, range(50)) if outcome(m, Choice((0,) * m.statements)).peak > limits(m)[1])
    monkeypatch.setattr(sys.modules[branch.__module__], "MOST_NODES", 1)
    assert branch(model, limits(model)[1], (), None) is None


@pytest.mark.parametrize("seed", range(25))
def test_consequences_do_not_depend_on_what_was_asked_before(seed: int) -> None:
    model, dice = random_model(seed), random.Random(seed)
    for _ in range(20):
        options = tuple(dice.randrange(len(each)) for each in model.options)
        ways = {r.value: n for n, r in enumerate(model.remakes) if dice.random() < 0.6}
        choice = Choice(options, frozenset(ways.values()))
        assert outcome(model, choice) == outcome(random_model(seed), choice)


@pytest.mark.parametrize("seed", range(0, 25, 3))
@pytest.mark.parametrize("counted", ["WORK", "ASKS"])
def test_a_solver_that_is_stopped_says_what_it_has(counted: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it may do is counted in nodes and questions, not in time: it stops at the same place whatever else runs."""
    model = random_model(seed)
    monkeypatch.setattr(sys.modules[solve.__module__], counted, 0)
    for limit in (None, *limits(model)):
        found, again = solve(model, limit), solve(model, limit)
        least = brute_force(model, None)
        assert found is None or found.lowest <= least[1].peak
        assert found == again
        if found is not None and limit is not None:
            assert found.outcome.peak <= limit
            assert found.bound <= found.outcome.seconds * (1 + 1e-6)


def model_of(case: Case) -> Model:
    gradient = Gradient(case.function, programs.request_of(case), compiler=Interpreted)  # type: ignore[arg-type]
    return gradient._planned(*case.arguments())._chooser.model


HARD = ("shapes.pad_constant_and_edge",)  # where HiGHS 1.15 finds an optimum with parts of decisions


@pytest.mark.parametrize("case", one_in(40, "models", PLAIN, always=HARD))
def test_models_of_programs(case: Case) -> None:
    model = model_of(case)
    choices = int(np.prod([len(each) for each in model.options])) * 3 ** len({r.value for r in model.remakes})
    if choices > MOST_CHOICES:
        pytest.skip(f"{choices} choices are too many to try all")
    for limit in (None, *limits(model)):
        require_same(model, limit)
