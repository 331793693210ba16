"""Checks of the checkers: derivative rules and adjoint programs with one defect each must be noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from daad import arguments as calls
from daad.program.interpreted import Interpreted
from daad.program.nodes import Program
from daad.rules.scalar import DERIVATIVES
from daad.specialise import Specialised
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.oracle import check_gradient
from tests.programs import interpreted
from tests.rules import test_scalar as rules

from .examine import Outcome, examine
from .mutants import MUTATIONS, mutants
from .programs import RandomProgram

RULES = [(name, place) for name, row in DERIVATIVES.items() for place, rule in enumerate(row) if rule is not None]


@pytest.mark.parametrize(("name", "place"), RULES, ids=lambda x: str(x))
def test_rule_wrong_by_a_thousandth_is_noticed(name: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    row = DERIVATIVES[name]
    wrong = tuple(f"({rule}) * 1.001" if k == place else rule for k, rule in enumerate(row))
    monkeypatch.setitem(DERIVATIVES, name, wrong)
    assert any(is_noticed(name, place, point) for point in rules.points_of(name))


def is_noticed(name: str, place: int, point: tuple[float, float]) -> bool:
    """Whether the test of the rules fails."""
    try:
        rules.test_rule_matches_central_difference(name, place, point)
    except AssertionError:
        return True
    return False


def test_random_program_with_a_wrong_rule_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def program(a):\n    for i in range(3):\n        a[i] = np.sin(a[i]) * a[i - 1]\n    return np.sum(a)\n"
    program = RandomProgram(source=source, arguments=(("a", "data(1, 3)"),), wrt=("a",))
    assert examine(program).outcome is Outcome.RIGHT
    monkeypatch.setitem(DERIVATIVES, "sin", ("cos(a) * 1.001",))
    verdict = examine(program)
    assert (verdict.outcome, verdict.cause) == (Outcome.WRONG, "the gradient differs from differences")


NAMES = """
    peers.if_else_with_accumulation peers.triangular_double_loop peers.levinson_durbin peers.in_place_lu
    peers.modified_gram_schmidt peers.nonlinear_advection peers.scalar_overwritten_in_loop peers.gather_whole_array
    inplace.recurrence_backward inplace.accumulate_into_one_element inplace.swap_names_in_loop inplace.partly_killed
    inplace.temporaries_reused inplace.nonlinear_in_place_stencil
"""
CASES = [case for case in ALL if case.name in NAMES.split()]


def specialised(case: Case) -> Specialised:
    """The case's gradient with its interpreted joint program."""
    gradient = interpreted(case)
    gradient.compile(*case.arguments())
    assert gradient._last is not None, "it has just been made"
    return gradient._last


def gradients_of(found: Specialised, program: Program, case: Case) -> tuple[np.ndarray, ...]:
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


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_defects_of_an_adjoint_are_noticed(case: Case) -> None:
    found = specialised(case)
    joint = found.derivation.joint
    right = gradients_of(found, joint, case)
    check_gradient(right, case, count=1)
    for mutant in mutants(joint, adjoints_of(found)):
        got = gradients_of(found, mutant.program, case)
        if is_equivalent(got, right):
            continue
        try:
            check_gradient(got, case, count=2)
        except AssertionError:
            continue
        pytest.fail(f"{mutant.what} is not noticed")


def test_every_kind_of_defect_is_tried_and_most_change_the_gradient() -> None:
    tried, changed = Counter[str](), Counter[str]()
    for case in CASES:
        found = specialised(case)
        right = gradients_of(found, found.derivation.joint, case)
        for mutant in mutants(found.derivation.joint, adjoints_of(found)):
            kind = mutant.what.split(" of ")[0]
            tried[kind] += 1
            changed[kind] += not is_equivalent(gradients_of(found, mutant.program, case), right)
    assert set(tried) == set(MUTATIONS)
    assert all(2 * changed[kind] > tried[kind] for kind in tried), (tried, changed)
