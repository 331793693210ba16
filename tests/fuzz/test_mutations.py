"""Checks of the checkers: derivative rules and adjoint programs with one defect each must be noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daad.api.call.specialization import Specialised
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.codegen.interpreted import Interpreted
from daad.ir.nodes import Program
from daad.rules.scalar import DERIVATIVES
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.fuzz.campaign import generate
from tests.fuzz.examine import Outcome, examine, gradient_of
from tests.fuzz.mutants import MUTATIONS, Mutant, mutants
from tests.fuzz.programs import RandomProgram
from tests.fuzz.rules import RULES, mutated, program_of
from tests.oracle import check_gradient
from tests.programs import interpreted
from tests.seeds import the_first


@pytest.mark.parametrize(("name", "place"), RULES, ids=lambda x: str(x))
def test_rule_wrong_by_a_thousandth_is_noticed(name: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(name, place)
    assert examine(program).outcome is Outcome.RIGHT
    monkeypatch.setitem(DERIVATIVES, name, mutated(name, place))
    verdict = examine(program)
    assert (verdict.outcome, verdict.cause) == (Outcome.WRONG, "the gradient differs from differences")


NAMES = """
    peers.if_else_with_accumulation peers.triangular_double_loop peers.levinson_durbin peers.in_place_lu
    peers.modified_gram_schmidt peers.nonlinear_advection peers.scalar_overwritten_in_loop peers.gather_whole_array
    inplace.recurrence_backward inplace.accumulate_into_one_element inplace.swap_names_in_loop inplace.partly_killed
    inplace.temporaries_reused inplace.nonlinear_in_place_stencil
"""
CASES = [case for case in ALL if case.name in NAMES.split()]


def specialised(gradient: Gradient, case: Case) -> Specialised:
    """The gradient for the case's arguments, with its interpreted joint program."""
    gradient.compile(*case.arguments())
    assert gradient._last is not None, "it has just been made"
    return gradient._last


def gradients_of(found: Specialised, program: Program, case: Case) -> Any:
    """What the joint program, or a mutant of it, returns for the case's arguments."""
    leaves = [value for _, value in calls.leaves(dict(enumerate(case.arguments())))]
    return replace(found, compiled=Interpreted(program)).call(leaves)


def is_equivalent(got: tuple[np.ndarray, ...], right: tuple[np.ndarray, ...]) -> bool:
    """Whether the defect changes nothing that anybody can see: no number of the gradient moves."""
    pairs = zip(got, right, strict=True)
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-12 * np.max(np.abs(b), initial=1.0)) for a, b in pairs)


def adjoints_of(found: Specialised) -> frozenset[str]:
    """The arrays that the primal does not have: adjoints and tapes."""
    derivation = found.derivation
    return frozenset(derivation.joint.arrays) - frozenset(derivation.primal.arrays)


def notices(found: Specialised, case: Case, program: Program, right: tuple[np.ndarray, ...]) -> bool:
    """Whether the defect has no effect, or the comparison with differences fails."""
    got = gradients_of(found, program, case)
    if is_equivalent(got, right):
        return True
    try:
        check_gradient(got, case, count=2)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_defects_of_an_adjoint_are_noticed(case: Case) -> None:
    found = specialised(interpreted(case), case)
    joint = found.derivation.joint
    right = gradients_of(found, joint, case)
    check_gradient(right, case, count=1)
    for mutant in mutants(joint, adjoints_of(found)):
        assert notices(found, case, mutant.program, right), f"{mutant.what} is not noticed"


BATCHES = the_first(3, range(3000, 3040))
"""Two programs of each."""


@pytest.mark.parametrize("number", BATCHES)
def test_defects_of_random_programs_are_noticed(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in generate(number)[:2]:
        for mutant in visible(program) if examine(program).outcome is Outcome.RIGHT else ():
            with monkeypatch.context() as patch:
                patch.setattr("tests.fuzz.examine.Interpreted", lambda _, wrong=mutant.program: Interpreted(wrong))
                verdict = examine(program)
            assert verdict.outcome is Outcome.WRONG, f"{mutant.what} is not noticed: {verdict}\n{program}"


MEASURABLE = 1e-6
"""Differences of values of order one do not tell gradients apart that are closer than this."""


def visible(program: RandomProgram) -> list[Mutant]:
    """The mutants of a program that give another answer, by more than what differences can measure."""
    with np.errstate(all="ignore"):
        case = program.case()
        found = specialised(gradient_of(case), case)
        joint = found.derivation.joint
        right = leaves(gradients_of(found, joint, case))
        made = mutants(joint, adjoints_of(found))
        answers = [(mutant, leaves(gradients_of(found, mutant.program, case))) for mutant in made]
        return [mutant for mutant, got in answers if is_measurable(got, right)]


def is_measurable(got: tuple[np.ndarray, ...], right: tuple[np.ndarray, ...]) -> bool:
    """Whether some number differs, by more than what is measurable beside the largest one, at least beside one."""
    scale = max(1.0, *(float(np.max(np.abs(b), initial=0.0)) for b in right))
    return not all(np.allclose(a, b, rtol=0.0, atol=MEASURABLE * scale) for a, b in zip(got, right, strict=True))


def leaves(answer: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(leaf) for _, leaf in calls.flatten("", answer))


def test_every_kind_of_defect_is_tried_and_most_change_the_gradient() -> None:
    tried, changed = Counter[str](), Counter[str]()
    for case in CASES:
        found = specialised(interpreted(case), case)
        right = gradients_of(found, found.derivation.joint, case)
        for mutant in mutants(found.derivation.joint, adjoints_of(found)):
            kind = mutant.what.split(" of ")[0]
            tried[kind] += 1
            changed[kind] += not is_equivalent(gradients_of(found, mutant.program, case), right)
    assert set(tried) == set(MUTATIONS)
    assert all(2 * changed[kind] > tried[kind] for kind in tried), (tried, changed)
