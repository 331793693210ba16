"""Numbers of random programs: some by default, all with the marker slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def a_quarter(numbers: Sequence[int]) -> list[Any]:
    """Parameters: the first quarter, at least one; the others with the marker slow."""
    first = (len(numbers) + 3) // 4
    return [*numbers[:first], *(pytest.param(number, marks=pytest.mark.slow) for number in numbers[first:])]
