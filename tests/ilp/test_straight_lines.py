"""Programs without loops: what is kept of a chain of arrays, and what is computed again from that."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.ilp.choose import WORTH
from daad.ilp.folding import folded
from daad.ilp.model import Choice, How, Model, Option, Remake, Value, outcome
from daad.ilp.solve import solve
from npbench_runs.three_arrays import initialise_wide, wide

SIDE = 12
WIDE = 64
ARRAY = SIDE * SIDE * 8
Arguments = tuple[np.ndarray, ...]


def products(x, w):  # type: ignore[no-untyped-def]
    """Unrolled by the frontend: 12 statements."""
    for _ in [None] * 12:
        x = np.tanh(x @ w)
    return np.sum(x)


def element_by_element(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 60:
        x = np.sin(x) * w
    return np.sum(x)


def squares(count: int) -> Arguments:
    dice = np.random.default_rng(0)
    return tuple(dice.standard_normal((SIDE, SIDE)) / 4 for _ in range(count))


def limited(f: Callable[..., Any], limit: int | None, wrt: str, plan: str | Mapping[str, str] = "auto") -> Gradient:
    return Gradient(f, Request(wrt=wrt, memory_limit=limit, plan=plan), compiler=Interpreted)  # type: ignore[arg-type]


# Arrays besides arguments and gradient that the smallest plan holds at most.
CHAINS = {"products": (products, 7), "element by element": (element_by_element, 3)}


@pytest.mark.parametrize(("chain", "most"), CHAINS.values(), ids=CHAINS)
def test_of_a_chain_only_some_arrays_are_kept(chain: Callable[..., Any], most: int) -> None:
    arguments = squares(2)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        limited(chain, 1, "w")._planned(*arguments)
    least = refusal.value.minimum
    assert least <= (3 + most) * ARRAY
    gradient = limited(chain, least, "w")
    np.testing.assert_array_equal(gradient(*arguments), limited(chain, None, "w")(*arguments))
    assert gradient.memory.modelled <= least
    with pytest.raises(daad.MemoryLimitTooSmall):
        limited(chain, least - least // WORTH - 1, "w")._planned(*arguments)


def test_statements_stay_apart_where_one_nest_would_hold_what_all_of_them_read() -> None:
    arguments = squares(2)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        limited(element_by_element, 1, "w")._planned(*arguments)
    plan = limited(element_by_element, refusal.value.minimum, "w")._planned(*arguments)
    assert plan.derivation.hints.apart
    same = limited(element_by_element, None, "w", plan.derivation.hints)  # type: ignore[arg-type]
    assert same._planned(*arguments).nbytes == plan.nbytes
    assert "statements stay apart" in plan.explain()


def chain_model(length: int) -> Model:
    """Equal values, each made from the one before; the adjoint of each asks for the one before."""
    values = {f"x{n}": Value(f"x{n}", 100, n, n + 1) for n in range(length)}
    options = tuple((Option(demands=frozenset({f"x{n - 1}"} if n else ())),) for n in range(length + 1))
    remakes = tuple(
        Remake(f"x{n}", How.RERUN, frozenset({f"x{n - 1}"} if n else ()), 1.0, scratch=50) for n in range(length)
    )
    return Model(values=values, options=options, remakes=remakes)


def test_long_chains_are_planned_by_search_with_a_bound_on_what_may_be_saved() -> None:
    model = chain_model(200)
    least, third = solve(model, None), solve(model, 200 * 100 // 3)
    assert least is not None and least.outcome.peak <= 22 * 100
    assert least.outcome.seconds <= 200.0
    assert third is not None and third.outcome.peak <= 200 * 100 // 3
    assert not third.variables and third.gap <= 0.02


FOLDS = {
    "a value on the way to one other": (100, frozenset(), {"y": ({"x"}, 3.0, {"t"}, 100)}),
    "one that an adjoint asks for": (100, frozenset({"t"}), {"t": ({"x"}, 1.0, set(), 0), "y": ({"t"}, 2.0, set(), 0)}),
    "a small one": (10, frozenset(), {"t": ({"x"}, 1.0, set(), 0), "y": ({"t"}, 2.0, set(), 0)}),
}


@pytest.mark.parametrize(("nbytes", "demanded", "expected"), FOLDS.values(), ids=FOLDS)
def test_values_on_the_way_are_no_decisions(nbytes: int, demanded: frozenset[str], expected: dict[str, Any]) -> None:
    values = {"x": Value("x", 100, 0, 1), "t": Value("t", nbytes, 1, 2), "y": Value("y", 100, 2, 3)}
    remakes = (
        Remake("t", How.RERUN, frozenset({"x"}), 1.0),
        Remake("y", How.RERUN, frozenset({"t"}), 2.0),
    )
    found = folded(remakes, values, demanded)
    assert {r.value: (set(r.parents), r.seconds, set(r.through), r.scratch) for r in found} == expected


def three(a, b, c, w):  # type: ignore[no-untyped-def]
    """To make `first` again takes a statement; `second` two and an array between; `third` all that comes before it."""
    first = np.exp(a) * b
    second = (b @ w) * a
    third = (second @ w + first) * c
    return np.sum(np.sin(first) @ np.sin(second) @ np.sin(third))


NAMES = ("first", "second", "third")
CONFIGURATIONS = [dict(zip(NAMES, each, strict=True)) for each in itertools.product(("store", "recompute"), repeat=3)]


@pytest.mark.parametrize("plan", CONFIGURATIONS, ids=lambda plan: "-".join(plan.values()))
def test_all_configurations_of_three_arrays_give_the_same_gradient(plan: dict[str, str]) -> None:
    arguments = squares(4)
    gradient = limited(three, None, "b", plan)(*arguments)
    np.testing.assert_allclose(gradient, limited(three, None, "b")(*arguments), rtol=1e-13, atol=1e-13)


def subsets() -> dict[frozenset[str], tuple[int, float]]:
    """For each set of the arrays that are made again: bytes of the program, and seconds more by the model."""
    chooser = daad.plan(wide, initialise_wide(WIDE), wrt="b")._chooser
    model, found = chooser.model, dict[frozenset[str], tuple[int, float]]()
    numbers = [n for n, remake in enumerate(model.remakes) if remake.value in NAMES]
    for chosen in itertools.chain.from_iterable(itertools.combinations(numbers, k) for k in range(4)):
        names = frozenset(model.remakes[n].value for n in chosen)
        if len(names) == len(chosen):
            choice = Choice(chooser.first.options, frozenset(chosen))
            each = chooser.proposal(choice, 0).nbytes, outcome(model, choice).seconds
            found[names] = min(each, found.get(names, each))
    return found


def test_of_three_arrays_the_cheapest_are_computed_again_at_every_limit() -> None:
    """Compared with all eight sets; the model says what they hold and take."""
    found, array = subsets(), WIDE * WIDE * 8
    assert len(found) == 2 ** len(NAMES)
    assert max(seconds for _, seconds in found.values()) == found[frozenset(NAMES)][1]
    kept = found[frozenset()][0]
    for gone in range(len(NAMES) + 1):
        limit = kept - gone * array
        plan = daad.plan(wide, initialise_wide(WIDE), wrt="b", memory_limit=daad.Bytes(limit))
        fitting = {names: seconds for names, (nbytes, seconds) in found.items() if nbytes <= limit}
        made = frozenset(NAMES) & (plan.derivation.hints.rerun | plan.derivation.hints.recompute)
        assert made == min(fitting, key=lambda names: fitting[names]) == frozenset(("first", "second", "third")[:gone])
        assert plan.nbytes <= limit


def factor(a, b, w):  # type: ignore[no-untyped-def]
    y = np.tanh(a * b)
    z = np.cos(y @ w)
    return np.sum(z @ z)


def test_factors_of_products_are_made_again_before_them() -> None:
    """Inside of a product each element would be computed for many sums, which no library would take."""
    arguments = squares(3)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        limited(factor, 1, "w")._planned(*arguments)
    gradient = limited(factor, refusal.value.minimum, "w")
    np.testing.assert_array_equal(gradient(*arguments), limited(factor, None, "w")(*arguments))
    assert "y" not in gradient.plan.derivation.hints.recompute
