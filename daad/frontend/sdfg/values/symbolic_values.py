"""DaCe's symbolic expressions (sizes, ranges, subsets) as values."""

from __future__ import annotations

import ast
from functools import reduce
from typing import Any

import sympy
from dace import symbolic

from daad.frontend.sdfg.values.arithmetic import Value, apply, constant
from daad.frontend.sdfg.values.code import Meaning, value_of
from daad.ir.affine import Affine


def symbolic_value(expression: Any, meaning: Meaning) -> Value:
    """The value of a number, symbol or sympy expression; sums and products are read directly, the rest as text."""
    if isinstance(expression, int):
        return Affine(expression)
    if isinstance(expression, symbolic.SymExpr):
        return symbolic_value(expression.expr, meaning)
    if not isinstance(expression, sympy.Basic):
        return constant(expression) if isinstance(expression, float) else _from_text(expression, meaning)
    if expression.is_Integer:
        return Affine(int(expression))
    if expression.is_Symbol and expression.name in meaning.values:
        return meaning.values[expression.name]
    if expression.is_Add:
        return reduce(lambda a, b: apply("add", a, b), [symbolic_value(a, meaning) for a in expression.args])
    if expression.is_Mul and all(a.is_Integer or not a.is_number for a in expression.args):
        return _product(expression, meaning)
    return _from_text(expression, meaning)


def _product(expression: sympy.Mul, meaning: Meaning) -> Value:
    if any(a.is_Pow for a in expression.args):
        return _from_text(expression, meaning)
    return reduce(lambda a, b: apply("multiply", a, b), [symbolic_value(a, meaning) for a in expression.args])


def _from_text(expression: Any, meaning: Meaning) -> Value:
    text = expression if isinstance(expression, str) else symbolic.symstr(expression)
    return value_of(ast.parse(text, mode="eval").body, meaning)
