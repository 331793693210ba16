"""Aliasing, rebinding, order of evaluation and control flow are Python's and NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.frontend.python.programs import CASES
from tests.frontend.python.running import assert_same_as_numpy


@pytest.mark.parametrize(("function", "arguments"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_primal_is_numpys(function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> None:
    assert_same_as_numpy(function, arguments(), exact_types=False)
