"""Every expression of the tables that has a derivative: its interpreted gradient against differences of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.corpus.case import Case
from tests.frontend.numpy import test_creation, test_python_numbers, test_reductions, test_shapes, test_ufuncs
from tests.frontend.numpy.expressions import OPERANDS, function_of, names_in
from tests.oracle import check_gradient
from tests.programs import interpreted

MODULES = (test_creation, test_reductions, test_python_numbers, test_shapes, test_ufuncs)
ROWS = sorted(
    {
        row
        for module in MODULES
        for name, rows in vars(module).items()
        if name.isupper() and name != "VIEWS"
        for row in rows
    }
)
ROUNDING = ("float32", "inf")  # differences cannot resolve


def is_active(row: str) -> bool:
    names = names_in(row)
    return "z" not in names and any(is_float(name) for name in names) and not any(word in row for word in ROUNDING)


def is_float(name: str) -> bool:
    return np.asarray(OPERANDS[name]).dtype == np.float64


def copies(names: list[str]) -> tuple[Any, ...]:
    return tuple(np.copy(OPERANDS[n]) if np.ndim(OPERANDS[n]) else OPERANDS[n] for n in names)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if is_active(row)])
def test_gradient_matches_differences(row: str) -> None:
    function, names = function_of(row)
    with np.errstate(all="ignore"):
        value = function(*copies(names))
    of = 0 if isinstance(value, (tuple, list)) else None
    first = value[0] if of == 0 else value
    if isinstance(first, (tuple, list)) or np.asarray(first).dtype.kind != "f" or np.size(first) == 0:
        pytest.skip("the result carries no derivative")
    wrt = tuple(filter(is_float, names))
    case = Case(name=row, function=function, arguments=lambda: copies(names), wrt=wrt, of=of, seed=1.0)
    check_gradient(interpreted(case)(*case.arguments()), case)
