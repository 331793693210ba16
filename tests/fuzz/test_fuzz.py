"""Random programs as source text: none may get a wrong answer. `make fuzz` tries thousands."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from daad.rules.scalar import DERIVATIVES
from tests.fuzz.campaign import Every, generate, run_batch
from tests.fuzz.examine import Outcome, Questions, examine
from tests.fuzz.features import FEATURES, features
from tests.fuzz.names import programs_over_names
from tests.fuzz.programs import RandomProgram, data
from tests.fuzz.structured import jumping_programs, structured_programs
from tests.seeds import a_quarter, the_first

BATCHES = a_quarter(range(32))
"""Ten programs each."""


@pytest.mark.parametrize("number", BATCHES)
def test_no_answer_is_wrong(number: int) -> None:
    for failure in run_batch(number, Every(plans=4, passes=6)).failures:
        pytest.fail(f"{failure.verdict.cause}\n{failure.verdict.details}\n{failure.program}")


def test_no_answer_is_wrong_over_long_arrays_or_in_code_as_for_large_ones() -> None:
    """Two of the ten are compiled."""
    totals = run_batch(8, Every(plans=4, wide=4, compiled=5, large=5))
    for failure in totals.failures:
        pytest.fail(f"{failure.verdict.cause}\n{failure.verdict.details}\n{failure.program}")
    assert totals.wide == totals.programs
    assert totals.large == totals.compiled["c++"] == 2


NAMES = the_first(2, range(400))


@pytest.mark.parametrize("number", NAMES)
def test_no_answer_is_wrong_where_names_share_arrays(number: int) -> None:
    for failure in run_batch(number, Every(plans=10), strategy=programs_over_names).failures:
        pytest.fail(f"{failure.verdict.cause}\n{failure.verdict.details}\n{failure.program}")


STRUCTURED = the_first(1, range(100))


@pytest.mark.parametrize("number", STRUCTURED)
def test_no_answer_is_wrong_in_programs_with_objects_and_containers_or_with_jumps(number: int) -> None:
    """Called with two sets of data; a product forward is one in reverse."""
    asked = Every(plans=10, elsewhere=1, products=2, second=5)
    for strategy in (structured_programs, jumping_programs):
        for failure in run_batch(number, asked, strategy=strategy).failures:
            pytest.fail(f"{failure.verdict.cause}\n{failure.verdict.details}\n{failure.program}")


@cache
def sample() -> tuple[RandomProgram, ...]:
    return tuple(program for number in range(1030, 1050) for program in generate(number))


def test_numpy_runs_every_program() -> None:
    with np.errstate(all="ignore"):
        for program in sample():
            case = program.case()
            case.function(*case.arguments())


def test_every_construct_is_written() -> None:
    assert frozenset().union(*(features(program) for program in sample())) == set(FEATURES)


@pytest.mark.parametrize("strategy", [structured_programs, jumping_programs])
def test_numpy_runs_every_program_with_objects_and_containers(strategy: Any) -> None:
    with np.errstate(all="ignore"):
        for number in range(5):
            for program in generate(number, strategy):
                case = program.case()
                case.function(*case.arguments())


def test_the_same_seed_gives_the_same_programs() -> None:
    assert generate(7) == generate(7) != generate(8)


KINK = data(1, 3)[1]
VERDICTS = {
    "for i in range(3):\n        a[i] *= a[i - 1]": Outcome.RIGHT,
    "a[0] = hash(a[0]) * 1.0": Outcome.REFUSED,
    "a[5] = 1.0": Outcome.INVALID,
    "a[:] = a[:2]": Outcome.INVALID,
    f"a[0] = 3.0 * a[1] if a[1] >= {KINK} else 2.0 * a[1] + {KINK}": Outcome.INCONCLUSIVE,
    "a[:] = np.sin(1e9 * a)": Outcome.INCONCLUSIVE,
    "for i in range(60):\n        a[0] = np.sin(9.0 * (a[0] + a[1] + a[2]) * 1.1)": Outcome.INCONCLUSIVE,
    "b = np.tile(a, 2)\n    b[:5:2] = b[:3]\n    a[0] = b[4]": Outcome.REFUSED,
}


@pytest.mark.parametrize(("statement", "outcome"), VERDICTS.items(), ids=VERDICTS)
def test_verdict(statement: str, outcome: Outcome) -> None:
    source = f"def program(a):\n    {statement}\n    return np.sum(a)\n"
    assert examine(RandomProgram(source=source, arguments=(("a", "data(1, 3)"),), wrt=("a",))).outcome is outcome


LONG_SUM = """def program(a):
    a[0] = a[1]
    t = np.full((33, 33, 33), a[1] * a[0])
    t = np.tanh(np.hypot(np.full((33, 33, 33), 0.3), 1.5 + (0.5 * t) ** 2))
    a[0] = 2.0 * np.sin(t[0, 0, 0])
    return np.sum(t)
"""


@pytest.mark.parametrize(("factor", "outcome"), [(1.0, Outcome.RIGHT), (1.02, Outcome.WRONG)])
def test_a_long_sum_of_32_bits_is_judged_by_what_it_resolves(
    factor: float, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans that sum in another order differ by more than single numbers do."""
    monkeypatch.setitem(DERIVATIVES, "tanh", (f"{factor} * (1 - r * r)",))
    program = RandomProgram(source=LONG_SUM, arguments=(("a", "np.array(data(3, 3), 'f4')"),), wrt=("a",))
    assert examine(program, Questions()).outcome is outcome


@pytest.mark.slow
def test_a_failure_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DERIVATIVES, "sqrt", ("0.5001 / r",))
    failures = [failure for number in range(20) for failure in run_batch(number).failures]
    assert failures
    assert min(len(failure.program.source.splitlines()) for failure in failures) <= 4
