"""The table of operations: each row is whole, and what belongs together is there together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from daad.ir.operations import OPERATIONS
from daad.ir.operations.mathematics import power
from daad.ir.operations.operation import Family
from daad.ir.operations.updates import Combine
from daad.rules.scalar import DERIVATIVES

RULES = frozenset(name for name, row in OPERATIONS.items() if row.family is Family.RULE)
"""What users' rules are made of, which is gone before anything is compiled."""
PYTHON = frozenset(name for name, row in OPERATIONS.items() if row.family is Family.PYTHON)
"""By what compiled code calls Python, which has no derivative of its own."""
SCIPYS = frozenset(name for name, row in OPERATIONS.items() if row.family is Family.SPECIAL)
"""What SciPy computes, which has its slopes in a table of its own."""
FORMS = frozenset(("where", "cast", *RULES))
"""What the pullback and the emitter of C++ treat in ways of their own."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_on_floats_has_derivative_and_spelling(name: str) -> None:
    row = OPERATIONS[name]
    texts = (row.floats, row.integers, row.bools, OPERATIONS[row.on_bools].bools if row.on_bools else None)
    assert name in FORMS or any(texts)
    assert (name in DERIVATIVES) == (row.floats is not None and name not in PYTHON | SCIPYS), (
        "one of derivative and C++ on floats is missing"
    )
    if name in DERIVATIVES:
        assert len(DERIVATIVES[name]) == row.operands
    for text in filter(None, texts):
        assert f"{{{row.operands - 1}}}" in text
        assert f"{{{row.operands}}}" not in text


def test_every_derivative_is_of_an_operation() -> None:
    assert {*DERIVATIVES} - {*OPERATIONS} == {"reciprocal"}


@pytest.mark.parametrize("name", sorted({*OPERATIONS} - {*FORMS, *PYTHON, *SCIPYS, "anchored", "fixed"}))
def test_operation_is_the_function_that_it_is_named_after(name: str) -> None:
    row = OPERATIONS[name]
    ufunc = getattr(np, name, None)
    if isinstance(ufunc, np.ufunc):
        assert row.evaluate is (power if ufunc is np.power else ufunc)
        assert row.operands == ufunc.nin
    else:
        assert row.scipy, "nobody can call it"
    if row.math is not None:
        point = (0.6, 0.3)[: row.operands] if name != "arccosh" else (1.6,)
        assert float(row.evaluate(*point)) == pytest.approx(row.math(*point), rel=1e-15)


@pytest.mark.parametrize("name", OPERATIONS)
def test_functions_have_a_price(name: str) -> None:
    row = OPERATIONS[name]
    assert row.is_function == (row.family is Family.FUNCTION)
    is_costly = row.is_function or name in PYTHON | SCIPYS
    assert row.price > OPERATIONS["divide"].price if is_costly else row.price <= OPERATIONS["sqrt"].price


def test_special_values_are_those_of_c() -> None:
    gamma, lgamma = OPERATIONS["gamma"].evaluate, OPERATIONS["lgamma"].evaluate
    assert gamma(171.7) == math.inf
    assert gamma(0.0) == math.inf
    assert math.isnan(gamma(-1.0))
    assert lgamma(-1.0) == math.inf


NUMBERS = {"f": (-2.5, 0.0, 3.0), "i": (-5, 0, 7), "u": (0, 7), "b": (False, True)}
UPDATES = [
    (combine, dtype)
    for combine in Combine
    for dtype in ("float64", "float32", "int8", "int64", "uint16", "bool")
    if combine is not Combine.SET
]


@pytest.mark.parametrize(("combine", "dtype"), UPDATES, ids=str)
def test_neutral_element_changes_nothing(combine: Combine, dtype: str) -> None:
    kind = np.dtype(dtype).type
    neutral = kind(combine.neutral(dtype))
    for number in NUMBERS[np.dtype(dtype).kind]:
        assert combine.ufunc(kind(number), neutral) == number
        assert combine.ufunc(neutral, kind(number)) == number


def test_extremum_keeps_what_nothing_beats() -> None:
    for combine in (Combine.MAXIMUM, Combine.MINIMUM):
        kept = combine.ufunc(2.0, 3.0)
        other = 5.0 - kept
        assert OPERATIONS[combine.beats].evaluate(kept, other)
        assert OPERATIONS[combine.beaten].evaluate(other, kept)
