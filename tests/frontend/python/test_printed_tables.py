"""Programs that print tables of pandas: those are not made, what they are given is computed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpus.case import Case, normal
from tests.oracle import check_gradient
from tests.programs import interpreted

pandas = pytest.importorskip("pandas")


def shows_a_matrix(x):
    matrix = np.outer(x, x)
    print("The matrix:\n", pandas.DataFrame(matrix).round(4))
    print(f"Its rows: {pandas.DataFrame({'a': matrix[0], 'b': matrix[1]}, index=list('xyz')).to_string()}")
    return np.sum(matrix**2)


def changes_what_it_shows(x):
    print(pandas.Series(np.negative(x, out=x)).describe())
    return np.sum(x**3)


@pytest.mark.parametrize("function", [shows_a_matrix, changes_what_it_shows])
def test_tables_are_left_out(function):  # type: ignore[no-untyped-def]
    case = Case(name=function.__name__, function=function, arguments=lambda: (normal(1, 3),), wrt=("x",))
    check_gradient(interpreted(case)(*case.arguments()), case)
