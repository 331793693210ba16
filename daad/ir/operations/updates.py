"""How a statement changes its target: it replaces the value, or combines it with what is there."""

from __future__ import annotations

from enum import Enum
from typing import Literal

import numpy as np

from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Operation

Number = int | float | bool
Sign = Literal["=", "+=", "max=", "min="]
"""The text of an operator of statements."""


class Combine(Enum):
    """An operator of statements: its sign in a Program's text, the operation that it combines by ("" if by none), that
    by which one number displaces another ("" where both count), and OpenMP's word for the reduction."""

    SET = "=", "", "", ""
    ADD = "+=", "add", "", "+"
    MAXIMUM = "max=", "maximum", "greater", "max"
    MINIMUM = "min=", "minimum", "less", "min"

    def __init__(self, sign: Sign, name: str, beats: str, clause: str) -> None:
        self.sign, self.name_of_operation, self.beats, self.clause = sign, name, beats, clause

    @property
    def operation(self) -> Operation:
        return OPERATIONS[self.name_of_operation]

    @property
    def ufunc(self) -> np.ufunc:
        """What updates NumPy's arrays, with `at` for places that come more than once."""
        found = self.operation.evaluate
        assert isinstance(found, np.ufunc), "updates are by NumPy's functions"
        return found

    @property
    def sign_of_beats(self) -> str:
        """The sign, in C++ too, by which one number displaces another."""
        infix = OPERATIONS[self.beats].infix
        assert infix is not None, "a comparison has a sign"
        return infix[0]

    @property
    def beaten(self) -> str:
        """The comparison of what is displaced with the result."""
        return {"greater": "less", "less": "greater"}[self.beats]

    @property
    def is_extremum(self) -> bool:
        return self.beats != ""

    @property
    def is_ordered(self) -> bool:
        """Whether the order of updates shows in the last bits."""
        return not self.is_extremum

    def neutral(self, dtype: str) -> Number:
        """What changes nothing, as a value of the type."""
        assert self is not Combine.SET, "what replaces a value has no neutral element"
        kind, is_lowest = np.dtype(dtype).kind, self is Combine.MAXIMUM
        if self is Combine.ADD:
            return np.dtype(dtype).type(0).item()
        if kind == "f":
            return -np.inf if is_lowest else np.inf
        if kind == "b":
            return not is_lowest
        limits = np.iinfo(dtype)
        return int(limits.min if is_lowest else limits.max)


BY_SIGN: dict[Sign, Combine] = {combine.sign: combine for combine in Combine}
BY_OPERATION = {combine.name_of_operation: combine for combine in Combine if combine.name_of_operation}
