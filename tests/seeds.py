"""Numbers of random programs: some by default, all with the marker slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def a_quarter(numbers: Sequence[int]) -> list[Any]:
    """Parameters: the first quarter, at least one; the others with the marker slow."""
    return the_first((len(numbers) + 3) // 4, numbers)


def the_first(count: int, numbers: Sequence[int]) -> list[Any]:
    """Parameters: so many; the others with the marker slow."""
    return [*numbers[:count], *(pytest.param(number, marks=pytest.mark.slow) for number in numbers[count:])]
