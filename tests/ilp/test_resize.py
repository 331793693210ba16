"""Plans with another number of kept states come from one that was built, or are built: the program is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daad.analysis.sites import Path
from daad.api.call.planned_call import PlannedCall, plan_call
from daad.api.subject.arguments import bind
from daad.api.subject.reading import subject_of
from daad.api.subject.request import Request
from daad.ilp.resize import resized
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Assign, Const, Index, Load, Loop, Nest, Node, Program, Range
from daad.ir.printer import program_text
from daad.pipeline import Derivation, _derive

X, W = np.linspace(0.1, 0.9, 7), np.linspace(0.5, 0.7, 7)


def chain(x, w):
    for _ in range(9):
        x = np.sin(x) * w
    return np.sum(x)


def stencil(x, w):
    for _ in range(9):
        x[1:-1] = np.sin(w[1:-1] * (x[2:] - 2.0 * x[1:-1] + x[:-2]))
    return np.sum(x)


def two_states(x, w):
    for k in range(9):
        y = np.cos(x) * w
        x = np.sin(y) + x * w
        if k > 3:
            x = x * y
    return np.sum(x)


def nested(x, w):
    for _ in range(4):
        for _ in range(9):
            x = np.sin(x) * w
    return np.sum(x)


LOOPS: tuple[tuple[Callable[..., Any], Path], ...] = (
    (chain, (0,)),
    (stencil, (0,)),
    (two_states, (0,)),
    (nested, (0, 0)),
)


def planned(function: Callable[..., Any]) -> PlannedCall:
    subject = subject_of(function)
    return plan_call(subject, bind(subject.signature, subject.name, (X, W), {}), Request(wrt="w"))


def derived(call: PlannedCall, slots: dict[Path, int], *built: Derivation) -> Derivation:
    base, hints = call.derivation, replace(call.question.hints, slots=slots, free=False)
    return _derive(base.primal, base.ccs, call.question, hints, built)


@pytest.mark.parametrize("counts", [(2, 3), (5, 2)])
@pytest.mark.parametrize(("function", "path"), LOOPS, ids=lambda x: getattr(x, "__name__", ""))
def test_program_is_the_one_that_passes_make(
    function: Callable[..., Any], path: Path, counts: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = planned(function)
    first, expected = (derived(call, {path: count}) for count in counts)
    monkeypatch.setattr("daad.pipeline.optimize_joint", None)  # nothing is left to be done
    found = derived(call, {path: counts[1]}, first)
    for one, other in ((found.serial, expected.serial), (found.apart, expected.apart)):
        assert program_text(one) == program_text(other)
    assert found.nbytes == expected.nbytes


SLOTS, SIZE = 3, 4
I, S = Affine.of("i"), Affine.of("slot")


def program(slots: int, inside: Node, **arrays: tuple[int, ...]) -> Program:
    """A statement in a loop over the slots that a table holds."""
    shapes = {"table": (2,), "states": (slots, SIZE), "x": (SIZE,), **arrays}
    bounds = [Load("table", (Affine(at),), "int64") for at in (0, 1)]
    return Program(
        name="p",
        arrays={name: Array(name, shape, "int64" if name == "table" else "float64") for name, shape in shapes.items()},
        parameters=("table", "x"),
        body=(Loop("slot", bounds[0], bounds[1], 1, (inside,)),),
    )


def put(target: str, *index: Index, over: int = SIZE) -> Nest:
    return Nest((Range("i", Affine(0), Affine(over)),), (Assign(Access(target, index), "=", Const(1.0, "float64")),))


def read(source: str, *index: Index) -> Nest:
    value = Load(source, index, "float64")
    return Nest((Range("i", Affine(0), Affine(SIZE)),), (Assign(Access("x", (I,)), "=", value),))


BEFORE, AFTER = (program(slots, put("states", S, I)) for slots in (SLOTS, SLOTS + 1))
# What passes might have made of the first, and whether it says what they make of the second.
MADE = {
    "as it was": (BEFORE, True),
    "other statements": (program(SLOTS, read("states", S, I)), True),
    "an array of its own": (program(SLOTS, put("own", I), own=(SIZE,)), True),
    "gone": (replace(BEFORE, arrays={n: a for n, a in BEFORE.arrays.items() if n != "states"}), False),
    "of another shape": (program(SLOTS, put("states", I, S), states=(SIZE, SLOTS)), False),
    "as if of another shape": (program(SLOTS, put("states", I, S), states=(SLOTS, SIZE)), False),
    "filled": (program(SLOTS, put("states", I, Affine(0), over=SLOTS)), False),
    "next to it": (program(SLOTS, put("states", S + 1, I)), False),
    "a copy of it": (program(SLOTS, put("copy", S, I), copy=(SLOTS, SIZE)), False),
}


@pytest.mark.parametrize(("made", "is_known"), MADE.values(), ids=MADE)
def test_sizes_that_passes_may_have_used_are_not_changed(made: Program, is_known: bool) -> None:
    found = resized(BEFORE, made, AFTER)
    assert found == (replace(made, arrays={**made.arrays, "states": AFTER.arrays["states"]}) if is_known else None)


OTHERS = {
    "another statement": program(SLOTS + 1, put("states", S, I, over=2)),
    "one more array": program(SLOTS + 1, put("states", S, I), more=(2,)),
    "two extents": program(SLOTS, put("states", S, I), states=(SLOTS + 1, SIZE + 1)),
    "one more dimension": program(SLOTS, put("states", S, I), states=(SLOTS, SIZE, 1)),
}


@pytest.mark.parametrize("after", OTHERS.values(), ids=OTHERS)
def test_programs_that_differ_otherwise_are_built(after: Program) -> None:
    assert resized(BEFORE, BEFORE, after) is None
