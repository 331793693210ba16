"""The plan without a limit: everything is kept, unless that is slow or more than the machine has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.ilp import statement_times
from tests.corpus.case import row, uniform
from tests.oracle import check_gradient
from tests.programs import interpreted

STEPS, SIZE = 40, 300


def grow(x, c, steps):  # type: ignore[no-untyped-def]
    """Neighbours depend on each other: no point goes through all steps alone."""
    for _ in range(steps):
        x = x + 0.01 * c * x * (1.0 - x[::-1])
    return np.sum(x * x)


CASE = row(grow, lambda: (uniform(1, SIZE), uniform(2, SIZE), STEPS), "x, c")


def slots(**options: Any) -> list[int]:
    plan = daad.plan(CASE.function, CASE.arguments(), wrt=CASE.wrt, **options)
    return list(plan.derivation.hints.slots.values())


def test_everything_is_kept() -> None:
    assert slots() == []


def test_what_is_slow_to_keep_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if caches were small, and memory slow."""
    size = 12 * SIZE * 8
    monkeypatch.setattr(statement_times, "CACHES", ((1, 1e-11, 1e-11), (size, 1e-11, 1e-11), (size + 1, 1e-8, 1e-8)))
    monkeypatch.setattr(statement_times, "STATEMENT", 0.0)
    assert slots()
    plan = daad.plan(CASE.function, CASE.arguments(), wrt=CASE.wrt)
    assert plan.slowdown == 1.0
    assert "less than with everything kept" in plan.explain()
    assert slots(plan="store") == []
    check_gradient(interpreted(CASE)(*CASE.arguments()), CASE)


@pytest.mark.parametrize(("share", "is_enough"), [(0.3, True), (0.001, False)])
def test_what_the_machine_has_not(share: float, is_enough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = daad.plan(CASE.function, CASE.arguments(), wrt=CASE.wrt)
    monkeypatch.setattr("daad.pipeline.machine_memory", lambda: int(share * whole.nbytes))
    plan = daad.plan(CASE.function, CASE.arguments(), wrt=CASE.wrt)
    assert (plan.nbytes <= share * whole.nbytes) is is_enough
    assert bool(slots()) is is_enough
    check_gradient(interpreted(CASE)(*CASE.arguments()), CASE)
