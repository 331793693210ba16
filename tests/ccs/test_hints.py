"""The option 'plan': what is stored and what is computed again, and that the gradient is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.codegen.interpreted import Interpreted
from tests import programs
from tests.corpus.case import Case, row, uniform
from tests.corpus.selection import PLAIN, one_in
from tests.oracle import check_gradient


def products(x, y):
    B = x * y
    C = B * x * y
    D = C * x + y * B
    return np.sum(np.sin(B)) + np.sum(np.sin(C) + np.sin(D))


def overwritten(x):
    s = 0.0
    T = np.sin(x)
    s += np.sum(T * T)
    T = T * x
    s += np.sum(T * T * T)
    return s


def in_a_loop(x, n):
    e = np.zeros(x.shape)
    for t in range(n):
        e[:] = np.exp(x * t * 0.1)
        x = x + 0.1 * e * e
    return np.sum(x * x)


def marked(x, y):
    B = daad.checkpoint(x * y)
    C = daad.recompute(B * x * y)
    D = daad.checkpoint(C * x + y * B)
    return np.sum(np.sin(B)) + np.sum(np.sin(C) + np.sin(D))


PRODUCTS = row(products, lambda: (uniform(1, 4, 3), uniform(2, 4, 3)), "x, y")
MARKED = row(marked, lambda: (uniform(1, 4, 3), uniform(2, 4, 3)), "x, y")
OVERWRITTEN = row(overwritten, lambda: (uniform(1, 5),), "x")
IN_A_LOOP = row(in_a_loop, lambda: (uniform(1, 3), 3), "x")

# A program, a plan, and which local arrays the joint program holds of those that are named.
PLANS: list[tuple[Case, Any, set[str]]] = [
    (PRODUCTS, "auto", set()),
    (PRODUCTS, "store", {"B", "C", "D"}),
    (PRODUCTS, "recompute", set()),
    (PRODUCTS, {"B": "store"}, {"B"}),
    (PRODUCTS, {"B": "recompute", "C": "store", "D": "recompute"}, {"C"}),
    (PRODUCTS, {"B": "store", "C": "recompute", "D": "store"}, {"B", "D"}),
    (MARKED, "auto", {"B", "D"}),
    (MARKED, {"C": "recompute"}, {"B", "D"}),
    (OVERWRITTEN, "store", {"T"}),
    (OVERWRITTEN, "recompute", set()),
    (IN_A_LOOP, {"e": "store"}, {"e"}),
    (IN_A_LOOP, {"e": "recompute"}, set()),
]


def with_plan(case: Case, plan: Any) -> Gradient:
    return Gradient(case.function, programs.request_of(case, plan=plan), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize(("case", "plan", "held"), PLANS, ids=lambda v: getattr(v, "name", None))
def test_plan_says_which_arrays_are_held(case: Case, plan: Any, held: set[str]) -> None:
    gradient = with_plan(case, plan)
    check_gradient(gradient(*case.arguments()), case)
    arrays = gradient.joint.arrays
    assert {name for name in arrays if name in {"B", "C", "D", "T", "e"}} == held


@pytest.mark.parametrize("plan", ["store", "recompute"])
@pytest.mark.parametrize("case", one_in(24, "extreme plans", PLAIN))
def test_extreme_plans_give_the_gradient(case: Case, plan: str) -> None:
    found = with_plan(case, plan)(*case.arguments())
    for one, wanted in zip(found, programs.interpreted(case)(*case.arguments()), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-9, atol=1e-9 * np.max(np.abs(wanted), initial=0.0))


def test_what_is_accumulated_is_not_recomputed_by_an_expression() -> None:
    def product(a, b):
        C = a @ b
        return np.sum(np.sin(C))

    a = uniform(1, 3, 3)
    with pytest.raises(daad.BadArgument) as refusal:
        daad.grad(product, plan={"C": "recompute"})(a, a)
    assert refusal.value.message == "The plan says to compute 'C' again, and there is no expression that would do that."
    assert refusal.value.at is not None


def test_marks_do_not_change_the_program() -> None:
    arguments = MARKED.arguments()
    assert marked(*arguments) == products(*arguments)


CONTRADICTIONS = {
    "the option says otherwise": (
        lambda: with_plan(MARKED, {"B": "recompute"}).compile(*MARKED.arguments()),
        "The plan of 'B' is 'recompute', and the program itself says 'store'.",
    ),
    "both in the program": (
        lambda: with_plan(row(kept_and_computed, lambda: (uniform(1, 3),), "x"), "auto").compile(uniform(1, 3)),
        "This array is to be kept, and to be computed again.",
    ),
}


def kept_and_computed(x):
    y = daad.checkpoint(np.sin(x))
    return np.sum(daad.recompute(y) * y)


@pytest.mark.parametrize(("call", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_refused(call: Any, message: str) -> None:
    with pytest.raises(daad.DaadError) as refusal:
        call()
    assert refusal.value.message == message
