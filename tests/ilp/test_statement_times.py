"""What the model says of time: which bytes are near, which are far, and what is not run at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.ilp.statement_times import iteration_seconds, seconds
from daad.ir.nodes import Loop, Program

STEPS, SMALL, LARGE = 100, 1_000, 10_000_000


def on_a_few_arrays(x, c):  # type: ignore[no-untyped-def]
    for _ in range(STEPS):
        x[:] = x + c * x
    return np.sum(x)


def on_others_each_time(x, c):  # type: ignore[no-untyped-def]
    for t in range(STEPS):
        x[t + 1, :] = x[t, :] + c * x[t, :]
    return np.sum(x)


def to_the_next_column(x, c):  # type: ignore[no-untyped-def]
    for t in range(STEPS):
        x[:, t + 1] = x[:, t] * c
    return np.sum(x)


def to_the_eighth_column(x, c):  # type: ignore[no-untyped-def]
    for t in range(STEPS):
        x[:, 8 * t + 8] = x[:, 8 * t] * c
    return np.sum(x)


def on_less_and_less(x, c):  # type: ignore[no-untyped-def]
    for t in range(STEPS):
        x[t + 1, t * SMALL :] = x[t, t * SMALL :] + c * x[t, t * SMALL :]
    return np.sum(x)


def down_columns(x, c):  # type: ignore[no-untyped-def]
    for t in range(STEPS):
        x[:, t + 1] = x[:, t] + c * x[:, t]
    return np.sum(x)


def again_at_once(x, y):  # type: ignore[no-untyped-def]
    for _ in range(STEPS):
        x[:] = np.sin(x) * x
        x[:] = np.flip(x)
        y[:] = np.sin(y) * y
        y[:] = np.flip(y)
    return np.sum(x) + np.sum(y)


def again_in_turn(x, y):  # type: ignore[no-untyped-def]
    for _ in range(STEPS):
        x[:] = np.sin(x) * x
        y[:] = np.sin(y) * y
        x[:] = np.flip(x)
        y[:] = np.flip(y)
    return np.sum(x) + np.sum(y)


def on_one_side(x, c):  # type: ignore[no-untyped-def]
    for _ in range(STEPS):
        if np.sum(x) > c:
            x[:] = np.sin(x * c)
    return np.sum(x)


def functions(x, c):  # type: ignore[no-untyped-def]
    for _ in range(STEPS):
        x[:] = np.sin(x * c)
    return np.sum(x)


def primal(function: Callable[..., Any], *shapes: int | tuple[int, ...]) -> Program:
    """As the planner sees it; the arrays are never touched."""
    arguments = (np.empty(shapes[0]), *(np.float64(1.0) if n == () else np.empty(n) for n in shapes[1:]))
    return daad.plan(function, arguments, wrt=0, plan="store").derivation.primal


def each(function: Callable[..., Any], *shapes: int | tuple[int, ...]) -> float:
    """Seconds of an iteration."""
    program = primal(function, *shapes)
    loop = next(node for node in program.body if isinstance(node, Loop))
    return iteration_seconds(loop, program.arrays, {})


# Seconds of an iteration, those of another one, and the least and the most that the ratio may be.
COMPARED = {
    "what was far away is slow": (
        lambda: each(on_others_each_time, (STEPS + 1, LARGE // STEPS), ()),
        lambda: each(on_a_few_arrays, LARGE // STEPS, ()),
        (3.0, 20.0),
    ),
    "what fits into a cache is not": (
        lambda: each(on_others_each_time, (STEPS + 1, SMALL), ()),
        lambda: each(on_a_few_arrays, SMALL, ()),
        (1.0, 2.0),
    ),
    "a large array is slower by more than its size": (
        lambda: each(on_a_few_arrays, LARGE, ()),
        lambda: each(on_a_few_arrays, SMALL, ()) * LARGE / SMALL,
        (1.2, 20.0),
    ),
    "in a triangle half as much at most, which may fit into a cache": (
        lambda: each(on_less_and_less, (STEPS + 1, STEPS * SMALL), ()),
        lambda: each(on_others_each_time, (STEPS + 1, STEPS * SMALL), ()),
        (0.2, 0.6),
    ),
    "neighbouring columns are in the same lines": (
        lambda: each(to_the_eighth_column, (LARGE // STEPS, 8 * STEPS + 8), ()),
        lambda: each(to_the_next_column, (LARGE // STEPS, STEPS + 1), ()),
        (1.5, 8.0),
    ),
    "columns are slower than rows": (
        lambda: each(down_columns, (SMALL, STEPS + 1), ()),
        lambda: each(on_others_each_time, (STEPS + 1, SMALL), ()),
        (1.5, 30.0),
    ),
    "short rows are slower than long ones": (
        lambda: each(on_a_few_arrays, (SMALL, 8), ()),
        lambda: each(on_a_few_arrays, (8, SMALL), ()),
        (1.5, 30.0),
    ),
    "what was touched just now is nearer": (
        lambda: each(again_in_turn, 2**18, 2**18),
        lambda: each(again_at_once, 2**18, 2**18),
        (1.02, 2.0),
    ),
    "a branch takes as long as its sides do on average": (
        lambda: each(on_one_side, SMALL, ()),
        lambda: each(functions, SMALL, ()),
        (0.4, 0.8),
    ),
    "functions take as long wherever their operands are, but for what memory takes": (
        lambda: each(functions, LARGE, ()),
        lambda: each(functions, SMALL, ()) * LARGE / SMALL,
        (0.9, 3.0),
    ),
}


@pytest.mark.parametrize(("one", "other", "bounds"), COMPARED.values(), ids=COMPARED)
def test_iterations(one: Callable[[], float], other: Callable[[], float], bounds: tuple[float, float]) -> None:
    assert bounds[0] <= one() / other() <= bounds[1]


def test_a_loop_takes_as_long_as_its_iterations() -> None:
    program = primal(on_a_few_arrays, SMALL, ())
    loop = next(node for node in program.body if isinstance(node, Loop))
    assert seconds((loop,), program.arrays, {}) == pytest.approx(STEPS * iteration_seconds(loop, program.arrays, {}))


def ends_with_what_no_adjoint_reads(x, c, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        x[:] = x + 0.01 * c * x * x
    return np.sum(x)


def test_what_is_dead_in_the_iteration_that_is_reversed_takes_no_time() -> None:
    """With a state for each iteration nothing is run again, only copied."""
    x, c = np.linspace(0.1, 0.9, LARGE // STEPS), np.ones(LARGE // STEPS)
    plan = daad.plan(ends_with_what_no_adjoint_reads, (x, c, STEPS), wrt="c")
    options = plan._chooser.model.options[1 if len(plan.derivation.primal.body) > 2 else 0]
    all_states = [o for o in options if [*o.slots.values()] == [STEPS] and not o.blocks]
    first = options[0].seconds
    assert all(abs(o.seconds - first) <= 0.5 * first for o in all_states)
