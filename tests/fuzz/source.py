"""Draws decisions from hypothesis; of several choices the first is the simplest, to which failures shrink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]


@cache
def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


def fresh(stem: str, used: set[str]) -> str:
    """A name that has not been used, and is from now on: the stem with the first number that is free."""
    number = 1
    while f"{stem}{number}" in used:
        number += 1
    used.add(f"{stem}{number}")
    return f"{stem}{number}"


class Source:
    """Decisions of one program."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return low if low == high else self._draw(_integers(low, high))

    def choice(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        """False is simpler."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """Each item as often as its weight says."""
        number = self.integer(0, sum(weight for weight, _ in items) - 1)
        for weight, item in items:
            if number < weight:
                return item
            number -= weight
        raise AssertionError("the weights add up to the range")
