"""The dtypes that a Program's text leaves out: those of literals and operations that follow from what is around them.

The printer writes a dtype where it is another one; the parser takes these where none is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from daad.ir.dtypes import is_float
from daad.ir.nodes import Number, Unsigned
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family

TESTS = (Family.COMPARISON, Family.PREDICATE, Family.LOGIC)
NUMERIC = (Family.ARITHMETIC, Family.FUNCTION)
PLAIN = {bool: "bool", int: "int64", float: "float64"}
FITTING = {bool: "b", int: "iu", float: "f", Unsigned: "f"}


def literal_dtype(value: Number, wanted: str | None) -> str:
    """That of a literal where `wanted` is what the other operands, or the target, have; empty if it must be written."""
    if wanted is not None and np.dtype(wanted).kind in FITTING[type(value)]:
        return wanted
    return "" if is_zero(value, wanted) else PLAIN.get(type(value), "")


def is_zero(value: Number, dtype: str | None) -> bool:
    """Whether this is how the zero without a sign is written: the integer 0 where a float stands."""
    return type(value) is int and value == 0 and dtype is not None and is_float(dtype)


def wanted_dtype(name: str, operands: Sequence[str | None]) -> str | None:
    """What literals among the operands are: what the others, which have dtypes, have in common."""
    others = [dtype for dtype in (operands[1:] if name == "where" else operands) if dtype is not None]
    return _common(tuple(others)) if others and name != "cast" else None


@lru_cache(maxsize=4096)
def operation_dtype(name: str, operands: tuple[str, ...]) -> str:
    """That of an operation's value, from those of all operands."""
    row = OPERATIONS[name]
    if row.family in TESTS:
        return "bool"
    dtype = _common(operands[1:] if name == "where" else operands)
    of_floats = row.family in NUMERIC and row.integers is None
    return "float64" if of_floats and np.dtype(dtype).kind in "biu" else dtype


@lru_cache(maxsize=4096)
def _common(dtypes: tuple[str, ...]) -> str:
    return dtypes[0] if len({*dtypes}) == 1 else str(np.result_type(*dtypes))
