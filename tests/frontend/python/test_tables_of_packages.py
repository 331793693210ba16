"""Tables of pandas that hold data: made, printed, written to files, given back; who looks into one is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import row
from tests.oracle import check_gradient

pandas = pytest.importorskip("pandas")
P = np.array([1.1, 0.7, 1.9])


class Section:
    def __init__(self, radius):
        self.radius, self.induction = radius, 0.0

    def residual(self, x, p):
        self.induction = self.radius * x
        return x**3 - p - 0.1 * self.induction


def given_back(p):
    """What SciPy's last call has left in an object goes into the table."""
    sections, total = [Section(1.0), Section(2.0)], 0.0
    for section in sections:
        total = total + optimize.brentq(section.residual, 0.0, 5.0, args=(p[0],), xtol=1e-14) * p[1]

    def solved():
        columns = {name: [getattr(one, name) for one in sections] for name in ("radius",)}
        for name in ("induction", "radius"):
            column = [getattr(one, name) for one in sections]
            columns[name] = column
        return total, pandas.DataFrame(columns)

    found, _ = solved()
    return found


def written(p):
    table = pandas.DataFrame({"p": p, "twice": 2.0 * p})
    table.to_csv("unwritten.csv")
    print(table)
    return np.sum(p**2)


def matrices(p):
    matrix = np.outer(p, p)
    print("The matrix:\n", pandas.DataFrame(matrix).round(4))
    print(f"Its rows: {pandas.DataFrame({'a': matrix[0], 'b': matrix[1]}, index=list('xyz')).to_string()}")
    return np.sum(matrix**2)


def changed_when_printed(p):
    print(pandas.Series(np.negative(p, out=p)).describe())
    return np.sum(p**3)


def looked_into(p):
    table = pandas.DataFrame({"p": p})
    return table["p"].sum()


@pytest.mark.parametrize(
    "function", [given_back, written, matrices, changed_when_printed], ids=lambda function: function.__name__
)
def test_tables_are_left_out(function: Callable[[Any], Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = row(function, lambda: (P.copy(),), "p")
    check_gradient(Gradient(function, Request(), compiler=Interpreted)(P.copy()), case, rtol=1e-5)


def test_who_looks_into_a_table_is_refused() -> None:
    with pytest.raises(daad.Unsupported, match="What is in a table, 'DataFrame', is looked at"):
        Gradient(looked_into, Request(), compiler=Interpreted)(P)
