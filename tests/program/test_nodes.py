"""Expressions are graphs: what is shared is looked at once."""

from __future__ import annotations

from daad.program.affine import Affine
from daad.program.nodes import Expr, Load, Op
from daad.program.walk import variables


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
