"""Expressions are graphs: what is shared is looked at once; equal ones are one object, others are told apart."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from itertools import combinations

import pytest

from daad.analysis.coverage import effects
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Const, Expr, Load, Nest, Op, Range
from daad.ir.parser import parse
from daad.ir.walk import altered, has_choices, variables

I = Affine.of("i")
LOAD = Load("x", (I,), "float64")
SUM = Op("add", (LOAD, Const(1.0, "float64")), "float64")


def test_shared_subexpressions_are_compared_and_searched_once() -> None:
    """As trees these have 3 ** 60 leaves."""

    def deep() -> Expr:
        value: Expr = Load("x", (Affine.of("i"),), "float64")
        for _ in range(60):
            value = Op("add", (Op("multiply", (value, value), "float64"), value), "float64")
        return value

    one, other = deep(), deep()
    assert one == other and hash(one) == hash(other)
    assert variables(one) == {"i"}
    assert one != Op("negative", (other,), "float64")
    assert Op("sin", (one,), "float64") != Op("cos", (other,), "float64")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e)), replace])
def test_equal_expressions_are_one_object(again) -> None:  # type: ignore[no-untyped-def]
    assert all(again(e) is e for e in (LOAD, SUM, Const(math.nan, "float64")))
    assert replace(LOAD, index=(I + 1,)) is Load("x", (I + 1,), "float64")


def test_constants_are_told_apart_by_what_they_print() -> None:
    constants = [Const(value, "float64") for value in (0, 0.0, -0.0, False)]
    assert all(a != b for a, b in combinations(constants, 2))


def test_where_nothing_changes_a_nest_stays_what_is_known_about_it() -> None:
    nest = Nest((Range("i", Affine(0), Affine(8)),), (Assign(Access("y", (I,)), "=", SUM),))
    known = effects(nest)
    assert altered(nest, assigns=tuple(altered(a, value=SUM) for a in nest.assigns)) is nest
    assert effects(nest) is known and known[0].fills == (8,)
    assert effects(altered(nest, domain=(Range("i", Affine(0), Affine(0)),))) == ()


VALUES = {
    "for i in 0 .. 3:  y[i] = x[i] if x[i] > 0.0 else 1.0": True,
    "for i in 0 .. 3:  y[i] = exp(maximum(x[i], 0.0))": True,
    "for i in 0 .. 3:  y[i] = sqrt(x[i]) / x[0]": False,
    "y[0] = x[0] if x[0] > 0.0 else 1.0": False,
    "loop i = 0 .. 3:\n    y[i] = x[i] if x[i] > 0.0 else 1.0": False,
}


@pytest.mark.parametrize(("statement", "expected"), VALUES.items(), ids=VALUES)
def test_choices_of_statements_for_several_points(statement: str, expected: bool) -> None:
    text = f"program f(x: float64[3])\n  local y: float64[3]\n  {statement}\n  return y\n"
    assert has_choices(parse(text)) is expected
