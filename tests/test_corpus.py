"""Every program of the corpus, interpreted: what it computes is NumPy's, its gradient that of differences."""

from __future__ import annotations

import pytest

from tests.corpus import ALL
from tests.corpus.case import Case
from tests.frontend.python.running import assert_program_is_numpys
from tests.oracle import check_gradient
from tests.programs import interpreted


@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_value_is_numpys_and_gradient_matches_differences(case: Case) -> None:
    gradient = interpreted(case)
    check_gradient(gradient(*case.arguments()), case)
    if not case.name.startswith("dace"):
        assert_program_is_numpys(gradient._current.planned.read, case.function, case.arguments())
