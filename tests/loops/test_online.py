"""Checkpoints that are placed while a loop runs: which iterations are run again, and that the gradient is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.products import GaussNewton, Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.hints import Hints
from daad.ccs.question import Product
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from daad.ilp.online_stores import Writer, integers_of
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Index, Loop, Node, Program
from daad.ir.parser import parse
from daad.loops.online import Online
from daad.loops.replay import Replay
from daad.loops.schedule import binomial
from tests import programs
from tests.corpus.case import Case
from tests.loops.ended_programs import CASES
from tests.loops.test_replay import ALL_OF_THEM, EveryLoop
from tests.oracle import check_gradient

MOST = 60
COUNTING = """
program counting(state: int64[], steps: int64[], log: int64[60], states: int64[{slots}], t, slot)
  state = 0
  steps = 0
  steps += 1
  state += 1
  log[t] = state
  states[slot] = state
  state = states[slot]
"""
COUNTS = [(trips, slots) for trips in (0, 1, 2, 5, 9, 33, 59) for slots in (1, 2, 3, 4, 5, 12, 40)]


def counting(trips: int, slots: int) -> Program:
    """A loop of so many iterations, of at most MOST, whose state is their number, run and reversed."""
    parts = parse(COUNTING.format(slots=slots))
    begin, reset, step, advance, log, keep, restore = parts.body
    schedule, names = Online(MOST, slots), NameSupply((*parts.arrays, "t", "slot"))
    replay = Replay(
        path=(0,),
        var="t",
        loops=(),
        around=(),
        primal=(step, advance),
        first=0,
        direction=1,
        state=("state",),
        forwarded=(),
        schedule=schedule,
    )
    integers = integers_of(replay, schedule, (), names)
    writer = Writer(replay, schedule, integers, (), names)
    there = Loop("t", Affine(0), Affine(trips), 1, (*writer.each(into_slots(keep)), advance))
    back = writer.backwards(into_slots(restore), into_slots(keep), lambda names: (step, log, advance), None)
    arrays = {a.name: a for a in (*parts.arrays.values(), *integers.values())}
    body = (begin, *writer.begin(), there, reset, *back)
    return Program(name="counting", arrays=arrays, parameters=(), integers=(), results=("log", "steps"), body=body)


def into_slots(copied: Node) -> Callable[[Index, Index], list[Node]]:
    return lambda first, last: [Loop("slot", first, last, 1, (copied,))]


@pytest.mark.parametrize(("trips", "slots"), COUNTS)
def test_iterations_are_reversed_from_their_states_in_as_many_steps_as_planned(trips: int, slots: int) -> None:
    arrays = run(counting(trips, slots), {})
    assert [*arrays["log"][:trips]] == [*range(trips)]
    assert (arrays["log"][trips:] < 0).all()
    assert arrays["steps"] == Online(trips, slots).steps


@pytest.mark.parametrize(("trips", "slots"), [(100, 5), (1000, 10), (1000, 100), (10**5, 10), (10**5, 300)])
def test_steps_are_near_those_of_the_schedule_that_knows_the_trip_count(trips: int, slots: int) -> None:
    known, online = binomial(trips, slots).steps, Online(trips, slots).steps
    assert known <= online and trips + online <= 1.3 * (trips + known)


def gradient_of(case: Case, compiler: Any = Interpreted, **options: Any) -> Gradient:
    return Gradient(case.function, programs.request_of(case, **options), compiler=compiler)


FEW = Hints(slots=EveryLoop(3))
IDS = [f"{case.function.__name__}-{n}" for n, case in enumerate(CASES)]
FAST = ("adaptive-2", "while_in_for-5")
SOME = [
    pytest.param(case, id=name, marks=[] if name in FAST else pytest.mark.slow)
    for name, case in zip(IDS, CASES, strict=True)
]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_gradient_has_the_same_bits_whatever_is_kept(case: Case) -> None:
    wanted = gradient_of(case)(*case.arguments())
    check_gradient(wanted, case)
    for slots in (EveryLoop(1, (1,)), EveryLoop(3), EveryLoop(ALL_OF_THEM)):
        found = gradient_of(case, plan=Hints(slots=slots))(*case.arguments())
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=i, marks=[] if i in FAST else pytest.mark.slow) for c, i in zip(CASES, IDS, strict=True)],
)
def test_limits_are_kept_without_knowing_the_trip_count(case: Case) -> None:
    free = gradient_of(case)
    wanted = free(*case.arguments())
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        gradient_of(case, memory_limit=1).compile(*case.arguments())
    for limit in {refusal.value.minimum, (refusal.value.minimum + free.memory.modelled) // 2}:
        limited = gradient_of(case, memory_limit=limit)
        for one, other in zip(limited(*case.arguments()), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)
        assert limited.memory.modelled <= limit


def test_products_keep_states_too() -> None:
    case = CASES[IDS.index("while_in_for-5")]
    x, wrt = case.arguments(), case.wrt[0]
    v = np.linspace(-1.0, 2.0, x[0].size)

    def asked(kind: Any, of: Any = case.function, plan: Any = FEW, **options: Any) -> Any:
        return kind(of, Request(wrt=wrt, plan=plan, **options), compiler=Interpreted)

    gradient = asked(Gradient)
    wanted = gradient(*case.arguments())
    _, pull = asked(Vjp, product=Product.PULLBACK, value=True)(*x)
    np.testing.assert_allclose(pull(1.0), wanted, rtol=1e-13)
    product = asked(GaussNewton, product=Product.GAUSS_NEWTON)(*case.arguments(), tangent=v)
    np.testing.assert_allclose(product, wanted * (wanted @ v), rtol=1e-12)
    second, free = (
        asked(Tangent, asked(Gradient, plan=plan), "auto", product=Product.TANGENT)(*case.arguments(), tangent=v)
        for plan in (FEW, "auto")
    )
    np.testing.assert_allclose(second, free, rtol=1e-12)


@pytest.mark.parametrize("name", ["while_in_for-5", pytest.param("jacobi-0", marks=pytest.mark.slow)])
def test_compiled_gradient_has_the_bits_of_the_one_without_a_limit(name: str) -> None:
    case = CASES[IDS.index(name)]
    wanted = gradient_of(case, compile_program)(*case.arguments())
    limited = gradient_of(case, compile_program, plan=Hints(slots=EveryLoop(4)))
    for one, other in zip(limited(*case.arguments()), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
