"""Which elements of a function's results depend on which of its arguments' elements, where its user says so.

Programs name what is declared by a number, as they do with functions that Python is called for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

NOTHING = 0
"""The number where nothing is declared: all results depend on all arguments."""


@dataclass(frozen=True)
class Declared:
    """Pairs of places, in all results and in all arguments one behind the other; `results` and `arguments` are the
    sizes of these."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    results: tuple[int, ...]
    arguments: tuple[int, ...]

    def first_result(self, number: int) -> int:
        """Where the elements of a result begin."""
        return _starts(self.results)[number]

    def first_argument(self, number: int) -> int:
        """Where the elements of an argument begin."""
        return _starts(self.arguments)[number]

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix of all pairs."""
        return sum(self.results), sum(self.arguments)

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns."""
        return np.array(self.rows, np.int64), np.array(self.columns, np.int64)


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *accumulate(sizes)]


_numbers: dict[Declared, int] = {}


def number_of(declared: Declared) -> int:
    """The number by which programs name it in this process."""
    return _numbers.setdefault(declared, len(_numbers) + 1)


def declared_by(number: int) -> Declared | None:
    """What has the number."""
    return next((declared for declared, own in _numbers.items() if own == number), None)
