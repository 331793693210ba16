"""What a side of a branch binds to a number is known there: loops whose branches use it as a key stay loops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.corpus import known_on_sides
from tests.corpus.case import normal
from tests.frontend.python.running import built


@pytest.mark.parametrize("function", known_on_sides.STAGED, ids=lambda f: f.__name__)
def test_loops_around_branches_that_bind_numbers_stay_loops(function: Any) -> None:
    assert len(built(function, (normal(3, 7),)).program.body) < 25
