"""Updates that are taken back in place: gradients and results are those of values kept, up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.ccs.graph import find_ccs
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from daad.ilp import make_plan
from daad.ilp.joint import join
from daad.ir.interpreter import run
from daad.ir.nodes import Assign, Nest, Program
from daad.ir.printer import program_text
from daad.ir.seed import Seed
from daad.ir.validator import validate
from daad.loops import differentiate
from daad.loops.extrema import hold_operands
from tests.corpus.case import uniform
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import INPUTS, OUTPUTS
from tests.loops.test_replay import EveryLoop
from tests.loops.undo_programs import ROWS, Row, pair

EVERYTHING = frozenset(SHAPES)
WAYS = {
    "everywhere": Hints(undo=EVERYTHING),
    "within statements": Hints(undo_in=frozenset(range(9))),
    "in loops that are run again": Hints(undo=EVERYTHING, slots=EveryLoop(2)),
}


class Updates(Generator):
    """Most assignments become additions."""

    def statement(self, variables: tuple[str, ...]) -> Nest:
        return self.added(super().statement(variables))

    def nest(self, variables: tuple[str, ...]) -> Nest:
        return self.added(super().nest(variables))

    def added(self, nest: Nest) -> Nest:
        op = "+=" if self.random.random() < 0.8 else "="
        return Nest(nest.domain, tuple(Assign(a.target, op, a.value) for a in nest.assigns))


def results(program: Program, hints: Hints, arguments: dict[str, np.ndarray]) -> tuple[dict[str, Any], int]:
    """Gradients and final values, and how many arrays are brought back."""
    adjoint = differentiate(program, find_ccs(program, INPUTS, OUTPUTS), hints)
    plan = make_plan(adjoint)
    joint = validate(join(adjoint, plan, [Seed(o) for o in OUTPUTS], EVERYTHING))
    end = run(joint, {**arguments, **plan.tables})
    bars = {a.name: end[a.name] for n, a in adjoint.bars.items() if n in INPUTS}
    return {**bars, **{n: end[n] for n in SHAPES}}, len(adjoint.restored.pieces)


def agree(seed: int) -> int:
    program = hold_operands(validate(Updates(seed).program()))
    rng = np.random.default_rng(seed)
    arguments = {n: rng.uniform(0.2, 1.0, shape) for n, shape in SHAPES.items()}
    wanted, _ = results(program, Hints(), arguments)
    brought = 0
    size = max(float(np.max(np.abs(w), initial=0.0)) for w in wanted.values())
    for way, hints in WAYS.items():
        found, count = results(program, hints, arguments)
        brought = max(brought, count)
        if not size < 1e4:
            continue
        for name, array in wanted.items():
            np.testing.assert_allclose(
                found[name], array, rtol=1e-9, atol=1e-9 * (1 + size), err_msg=f"{way}\n{program_text(program)}"
            )
    return brought


@pytest.mark.parametrize(
    "seed",
    [*range(12), 354, 1021, 1032, *(pytest.param(n, marks=pytest.mark.slow) for n in range(50, 400) if n != 354)],
)
def test_random_programs(seed: int) -> None:
    agree(seed)


def gradient(row: Row, **options: Any) -> Gradient:
    request = Request(wrt=0, value=True, **options)
    return Gradient(row.function, request, compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_gradient_and_results_are_those_of_values_kept(row: Row) -> None:
    stored, undone = gradient(row, plan="store"), gradient(row, plan="undo")
    arguments, others = row.arguments(), row.arguments()
    wanted, found = stored(*arguments, 9), undone(*others, 9)
    np.testing.assert_allclose(found[1], wanted[1], rtol=row.tolerance, atol=row.tolerance)
    np.testing.assert_array_equal(found[0], wanted[0])
    for one, other in zip(others, arguments, strict=True):
        np.testing.assert_array_equal(one, other)
    restored = undone._current.derivation.adjoint.restored
    assert {name for _, name in restored.undone} == set(row.undone.split())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_memory_does_not_depend_on_the_trip_count(row: Row) -> None:
    sizes = [gradient(row, plan="undo")._planned(*row.arguments(), steps).nbytes for steps in (5, 50)]
    assert (sizes[0] == sizes[1]) == row.is_constant


SOME = [
    pytest.param(r, marks=[] if n < 2 else pytest.mark.slow, id=r.name) for n, r in enumerate(ROWS) if r.is_constant
]


@pytest.mark.parametrize("row", SOME)
def test_a_limit_is_met_by_taking_back_only_where_that_is_allowed(row: Row) -> None:
    least = gradient(row, plan="undo")._planned(*row.arguments(), 200).nbytes
    allowed = gradient(row, memory_limit=least, allow_undo=True)._planned(*row.arguments(), 200)
    assert allowed.nbytes <= least
    assert allowed.derivation.adjoint.restored.undone
    with pytest.raises(daad.MemoryLimitTooSmall):
        gradient(row, memory_limit=least)._planned(*row.arguments(), 200)


def test_rounding_stays_within_what_is_explained() -> None:
    """Increments that read nothing restored: the bound holds as it stands."""

    def sums(x, y, steps):
        s = np.zeros(x.shape)
        p = 0.0
        for t in range(steps):
            s += np.sin(x + t)
            p += np.sum(s * s * y)
        return p

    x, y = uniform(1, 50), uniform(2, 50)
    plan = gradient(Row(sums, pair, "s"), plan="undo")._planned(x, y, 300)
    restored = run(plan.derivation.joint, {"x": x, "y": y, "steps": 300})["s"]
    largest = max(np.max(np.abs(sum(np.sin(x + t) for t in range(n)))) for n in range(1, 301))
    assert np.max(np.abs(restored)) <= 300 * np.finfo(float).eps * largest
    told = str(plan.explain().account.arrays)
    assert "its updates are taken back; each rounds by 2.2e-16 of its largest value" in told


def scaled(x, v):
    for _ in range(3):
        v += np.sin(x)
        x *= 0.5
    return np.sum(x * v)


def reset(x, v):
    for _ in range(3):
        v += np.sin(x) * x
        x[:] = v * v
    return np.sum(x * v)


def euler(x, v):
    for _ in range(3):
        f = np.exp(np.sin(x))
        x += 0.1 * v
        v += 0.1 * f
    return np.sum(x * v)


REFUSED = {
    "scaled": (
        scaled,
        {"x": "undo"},
        "The plan says to undo 'x', which this statement changes by more than adding to it.",
    ),
    "overwritten": (reset, {"x": "undo"}, "The plan says to undo 'x', which this statement overwrites."),
    "needs what is gone": (
        euler,
        {"x": "undo", "v": "undo"},
        "The plan says to undo 'v', and what this statement adds to it reads 'f', whose value then is gone.",
    ),
    "never updated": (euler, {"q": "undo"}, "The plan names 'q', which is no array of 'euler'."),
    "not a bool": (euler, None, "The option 'allow_undo' is 1."),
}


@pytest.mark.parametrize(("function", "plan", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_taken_back_is_refused(function: Any, plan: Any, message: str) -> None:
    with pytest.raises(daad.BadArgument) as refusal:
        daad.plan(function, pair(), **({"allow_undo": 1} if plan is None else {"plan": plan}))
    assert refusal.value.message == message
