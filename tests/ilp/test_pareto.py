"""The curve of memory against time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import daad
from daad.pipeline import derive

STEPS, SIZE = 150, 2**15


def coupled(x, c, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        x = x + 0.01 * c * x * (1.0 - x[::-1])
    return np.sum(x * x)


def apart(x, c, steps):  # type: ignore[no-untyped-def]
    """Each point goes through all steps alone, so the tape that is held is that of a slab."""
    for _ in range(steps):
        x = x + 0.01 * c * x * (1.0 - x)
    return np.sum(x * x)


def plan(function: Any, **options: Any) -> daad.Plan:
    return daad.plan(function, (np.full(SIZE, 0.5), np.ones(SIZE), STEPS), wrt="c", **options)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("function", [coupled, apart])
def test_less_memory_takes_more_time(function: Any, threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    whole = plan(function)
    points = whole.pareto(6)
    assert points[0].nbytes == whole.nbytes
    assert points[0].slowdown == 1.0
    assert all(after.nbytes < before.nbytes for before, after in pairwise(points))
    assert all(after.slowdown >= before.slowdown for before, after in pairwise(points[1:]))
    assert any(1.05 < point.slowdown < points[-1].slowdown / 3 for point in points), "a plan between the ends"
    for point in points:
        again = derive(whole.program, replace(whole.question, hints=point.hints))
        assert again.footprint.total == point.nbytes


def nested(u, k, outer, inner):  # type: ignore[no-untyped-def]
    for _ in range(outer):
        v = u.copy()
        for _ in range(inner):
            v[1:-1] = v[1:-1] + k[1:-1] * v[1:-1] * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        u = u + 0.1 * np.sin(v) * u
    return np.sum(u * u)


def test_each_plan_of_the_curve_is_found_by_its_own_limit() -> None:
    """Passes save what the model counts: the room that they left was not used where two loops have slots."""
    arguments = (np.linspace(0.1, 0.9, 2000), np.full(2000, 0.01), 10, 12)
    for point in daad.plan(nested, arguments, wrt="k").pareto():
        again = daad.plan(nested, arguments, wrt="k", memory_limit=point.nbytes)
        assert again.nbytes <= point.nbytes
        assert again.slowdown < 1.1 * point.slowdown


def test_threads_share_no_loops_where_that_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    alone = plan(apart).nbytes
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    whole = plan(apart)
    assert whole.nbytes > alone
    assert plan(apart, memory_limit=f"{whole.nbytes}B").nbytes == whole.nbytes
    assert plan(apart, memory_limit=f"{whole.nbytes - 1}B").nbytes == alone


@pytest.mark.parametrize("points", [0, -1, 2.5, "x", True])
def test_a_number_of_points_that_is_none(points: Any) -> None:
    with pytest.raises(daad.BadArgument, match="The number of points is"):
        plan(coupled).pareto(points)
