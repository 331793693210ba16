"""Every program of the corpus, interpreted, is what NumPy computes."""

from __future__ import annotations

import pytest

from tests.corpus import ALL, Case
from tests.frontend.python.running import assert_same_as_numpy

PLAIN = [case for case in ALL if not case.name.startswith("dace")]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case.name)
def test_primal_is_numpys(case: Case) -> None:
    assert_same_as_numpy(case.function, case.arguments(), case.of)
