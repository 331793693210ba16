"""Every line of the derivative table against central differences, on both sides of each branch."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.constructors import const, instantiate
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Expr, Load, Nest, Op, Program
from daad.ir.operations import OPERATIONS
from daad.rules.pullback import Guarded, pull_back
from daad.rules.scalar import DERIVATIVES

F = "float64"
A, B = Load("a", (), F), Load("b", (), F)
POINTS = ((0.3, 0.7), (0.8, 0.45), (-0.4, 0.6), (0.6, -0.9))
ABOVE_ONE = ("arccosh",)
POSITIVE = ("log", "log2", "log10", "sqrt", "power")


def evaluate(expr: Expr, a: float, b: float) -> float:
    program = Program(
        name="value",
        arrays={n: Array(n, (), F) for n in "abv"},
        parameters=("a", "b"),
        body=(Nest((), (Assign(Access("v", ()), "=", expr),)),),
    )
    return float(run(program, {"a": a, "b": b})["v"])


def points_of(name: str) -> list[tuple[float, float]]:
    shift = 1.5 if name in ABOVE_ONE else 0.0
    return [(abs(a) + shift if name in POSITIVE + ABOVE_ONE else a, b) for a, b in POINTS]


DIFFERENTIATED = [name for name in DERIVATIVES if name not in ("anchored", "fixed")]
"""That one has the derivative of what it has not the value of."""
VALUES = {"reciprocal": Op("divide", (const(1, F), A), F)}
"""What has the row of a name that is no operation."""
CASES = [
    (name, place, point)
    for name in DIFFERENTIATED
    for place in range(len(DERIVATIVES[name]))
    for point in points_of(name)
]


@pytest.mark.parametrize(("name", "place", "point"), CASES, ids=lambda x: str(x))
def test_rule_matches_central_difference(name: str, place: int, point: tuple[float, float]) -> None:
    operands = (A, B)[: len(DERIVATIVES[name])]
    value = VALUES.get(name) or Op(name, operands, F)
    parts = pull_back(value, Guarded(Load("a", (), F)), lambda load: load == operands[place])
    a, b = point
    found = sum(evaluate(p.value, a, b) for p in parts) / a
    function, h = np.reciprocal if name in VALUES else OPERATIONS[name].evaluate, 1e-6
    ends = [function(*[x + s * h * (k == place) for k, x in enumerate(point[: len(operands)])]) for s in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7, abs=1e-7)


def test_rule_wrong_by_a_thousandth_is_noticed() -> None:
    right = evaluate(instantiate("cos(a)", {"a": A}, F), 0.3, 0.0)
    assert right * 1.001 != pytest.approx((np.sin(0.3 + 1e-6) - np.sin(0.3 - 1e-6)) / 2e-6, rel=1e-7)


def test_anchored_has_the_value_of_one_and_the_derivative_of_the_other() -> None:
    expr = Op("anchored", (Op("sin", (A,), F), B), F)
    assert evaluate(expr, 0.3, 0.7) == 0.7
    for operand, wanted in ((A, [np.cos(0.3)]), (B, [])):
        parts = pull_back(expr, Guarded(const(1, F)), lambda load, operand=operand: load == operand)
        assert [evaluate(p.value, 0.3, 0.7) for p in parts] == wanted


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_tie_splits_evenly(name: str) -> None:
    parts = pull_back(Op(name, (A, B), F), Guarded(const(1, F)), lambda load: load == A)
    assert evaluate(parts[0].value, 2.0, 2.0) == 0.5


def test_untaken_side_of_where_is_not_evaluated() -> None:
    expr = Op("where", (Op("greater", (A, B), "bool"), Op("sqrt", (A,), F), B), F)
    part = pull_back(expr, Guarded(Load("b", (), F)), lambda load: load == A)[0]
    assert evaluate(part.value, 0.0, 0.0) == 0.0


DIGAMMAS = [
    (1.0, -0.5772156649015329),
    (0.5, -1.9635100260214235),
    (2.5, 0.7031566406452432),
    (7.0, 1.8727843350984671),
]
EXTREMES = [(1e10, 23.025850929890456), (1e-3, -1000.5755719318103), (-0.5, 0.03648997397857652)]


@pytest.mark.parametrize(("a", "digamma"), DIGAMMAS + EXTREMES)
def test_derivative_of_the_gamma_functions_is_exact(a: float, digamma: float) -> None:
    found = evaluate(instantiate(DERIVATIVES["lgamma"][0] or "", {"a": A}, F), a, 0.0)
    assert found == pytest.approx(digamma, rel=2e-14, abs=2e-14)
