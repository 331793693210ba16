"""Every program of the corpus: right as it is; with a wrong rule, the line that uses the rule is named."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from daad.api.check import Verdict, check_gradient
from daad.api.check.derivatives import Answered
from daad.api.check.reference_program import scene_of
from daad.api.gradient import Gradient
from daad.codegen.interpreted import Interpreted
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Op
from daad.ir.walk import children, nests
from daad.rules.pullback import row_of
from daad.rules.scalar import DERIVATIVES
from tests.api.check.checking import spoil
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.programs import request_of

CASES = [case for case in ALL if not case.name.startswith("dace")]
RULES_EACH = 2

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:The output does not depend")]


def gradient_of(case: Case) -> Gradient:
    return Gradient(case.function, request_of(case, value=True), compiler=Interpreted)  # type: ignore[arg-type]


def operations(expr: Index) -> Iterator[str]:
    if isinstance(expr, Affine):
        return
    if isinstance(expr, Op):
        yield row_of(expr)
    for child in children(expr):
        yield from operations(child)


def lines_by_rule(gradient: Gradient, case: Case) -> Mapping[str, set[Location]]:
    """Where the program as it was read uses each operation that has a derivative."""
    found = defaultdict(set)
    for nest in nests(scene_of(gradient, gradient._bound(case.arguments(), {})).program.body):
        for name in (name for assign in nest.assigns for name in operations(assign.value)):
            if DERIVATIVES.get(name, (None,))[0] is not None and nest.at is not None:
                found[name].add(Location(nest.at.file, nest.at.line))
    return found


def is_same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether a wrong rule changes nothing here: it belongs to an operand that is constant."""
    return all(np.allclose(a[n], b[n], rtol=1e-9, atol=1e-12 * np.max(np.abs(b[n]), initial=1.0)) for n in a)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_right_gradients_are_confirmed_and_wrong_ones_located(case, monkeypatch):
    gradient = gradient_of(case)
    sure = check_gradient(gradient, case.arguments(), {})
    assert sure, str(sure)
    bound = gradient._bound(case.arguments(), {})
    right, lines = Answered.at(gradient, bound).gradients, lines_by_rule(gradient, case)
    chosen = random.Random(case.name)
    for rule in chosen.sample(sorted(lines), min(RULES_EACH, len(lines))):
        with monkeypatch.context() as patch:
            place = chosen.choice([k for k, text in enumerate(DERIVATIVES[rule]) if text is not None])
            spoil(patch, rule, 1.1 if sure.tolerance > 1e-6 else chosen.choice([1.001, 1.1]), place)
            wrong = gradient_of(case)
            report = check_gradient(wrong, case.arguments(), {})
            if is_same(Answered.at(wrong, bound).gradients, right):
                assert report, f"{rule}: {report}"
                continue
            assert report.verdict is Verdict.WRONG, f"{rule}: {report}"
            assert report.fault is not None, f"{rule}: {report}"
            at = report.fault.at
            assert at is not None, f"{rule}: {report}"
            assert Location(at.file, at.line) in lines[rule], f"{rule}: {report}"
