"""Every program of the corpus: its interpreted gradient against differences of NumPy's own run."""

from __future__ import annotations

import pytest

from tests.corpus import ALL
from tests.corpus.case import Case
from tests.oracle import check_gradient
from tests.programs import interpreted


@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_interpreted_gradient_matches_differences(case: Case) -> None:
    gradient = interpreted(case)
    check_gradient(gradient(*case.arguments()), case)
