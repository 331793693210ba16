"""Python's operators: rows that agree with NumPy, the module `operator` and the operations of Programs."""

from __future__ import annotations

import ast
import operator

import pytest

from daad.ir.operations import OPERATIONS
from daad.ir.operations.python_operators import ALL_BINARY, BINARY, COMPARED, UNARY


def test_every_operator_has_a_row() -> None:
    assert {*ALL_BINARY} == {*ast.operator.__subclasses__()}
    assert {*UNARY} == {*ast.unaryop.__subclasses__()}
    assert {*ast.cmpop.__subclasses__()} - {*COMPARED} == {ast.Is, ast.IsNot, ast.In, ast.NotIn}


@pytest.mark.parametrize("kind", [*BINARY, *COMPARED], ids=lambda kind: kind.__name__)
def test_operations_have_these_names(kind: type) -> None:
    assert {**BINARY, **COMPARED}[kind].name in OPERATIONS  # type: ignore[index]


@pytest.mark.parametrize("kind", BINARY, ids=lambda kind: kind.__name__)
def test_binary_operators_agree(kind: type[ast.operator]) -> None:
    row = BINARY[kind]
    assert row.python(7, 2) == row.in_place(7, 2) == row.ufunc(7, 2) == getattr(7, f"__{row.method}__")(2)
    assert row.python(7, 2) == eval(compile(ast.fix_missing_locations(expression(kind)), "", "eval"))


def expression(kind: type[ast.operator]) -> ast.Expression:
    return ast.Expression(ast.BinOp(ast.Constant(7), kind(), ast.Constant(2)))


@pytest.mark.parametrize("kind", COMPARED, ids=lambda kind: kind.__name__)
def test_mirrored_comparisons_agree(kind: type[ast.cmpop]) -> None:
    row = COMPARED[kind]
    for a, b in ((1, 2), (2, 1), (1, 1)):
        assert row.python(a, b) == row.ufunc(a, b) == getattr(a, row.method)(b) == COMPARED[row.mirrored].python(b, a)


def test_in_place_products_of_matrices() -> None:
    assert ALL_BINARY[ast.MatMult].in_place is operator.imatmul
