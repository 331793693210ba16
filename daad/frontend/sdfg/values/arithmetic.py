"""Arithmetic on indices and values: affine forms stay affine, all else is an expression with NumPy's dtype."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, IndexValue, Load, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family

Value = Affine | Expr

SAMPLES: dict[str, Any] = {"f": 0.0, "i": 0, "u": 0, "b": False}


def constant(value: Any) -> Value:
    """A Python number as a value; integers are affine forms."""
    if isinstance(value, bool | np.bool_):
        return Const(bool(value), "bool")
    if isinstance(value, int | np.integer):
        return Affine(int(value))
    if isinstance(value, np.floating):
        return Const(float(value), str(value.dtype))
    return Const(float(value), "float64")


def as_expr(value: Value) -> Expr:
    """The value as an expression."""
    if isinstance(value, Affine):
        return Const(value.const, "int64") if value.is_const else IndexValue(value)
    return value


def as_value(expr: Value) -> Value:
    """Integer literals and index values as affine forms again."""
    if isinstance(expr, IndexValue):
        return expr.form
    if isinstance(expr, Const) and expr.dtype == "int64":
        return Affine(int(expr.value))
    return expr


def literal(value: Value) -> int | float | bool | None:
    """The number that the value is, if it is one."""
    if isinstance(value, Affine):
        return value.const if value.is_const else None
    return value.value if isinstance(value, Const) else None


def dtype_of(value: Value) -> str:
    return "int64" if isinstance(value, Affine) else value.dtype


def is_weak(value: Value) -> bool:
    """Made of literals and indices only: like a Python number, it takes the dtype of what it meets."""
    if isinstance(value, Op):
        return value.name != "cast" and all(map(is_weak, value.args))
    return not isinstance(value, Load)


def promoted(values: Sequence[Value]) -> str:
    """NumPy's result type, Python numbers being weak."""
    weak = [SAMPLES[np.dtype(dtype_of(v)).kind] for v in values if is_weak(v)]
    strong = [np.dtype(dtype_of(v)) for v in values if not is_weak(v)]
    return str(np.result_type(*strong, *weak))


def apply(name: str, *values: Value) -> Value:
    """The operation on the values: affine, folded, or an `Op`."""
    exact = AFFINE.get(name)
    if exact and all(isinstance(v, Affine) for v in values):
        form = exact(*values)
        if form is not None:
            return form
    if name in ("add", "subtract") and all(np.dtype(dtype_of(v)).kind in "iu" for v in values):
        return _integer_sum(values[0], values[1], 1 if name == "add" else -1)
    numbers = [literal(v) for v in values]
    if all(n is not None for n in numbers):
        folded = _folded(name, numbers)
        if folded is not None:
            return folded
    return _operation(name, values)


def _integer_sum(a: Value, b: Value, sign: int) -> Value:
    """`a + sign * b` with one affine part, at the end."""
    affine = Affine(0)
    total: Expr | None = None
    for term, factor in (*_terms(a, 1), *_terms(b, sign)):
        if isinstance(term, Affine):
            affine = affine + term * factor
        elif total is None:
            total = term if factor > 0 else as_expr(apply("negative", term))
        else:
            total = _operation("add" if factor > 0 else "subtract", (total, term))
    if total is None:
        return affine
    if affine.is_const and affine.const < 0:
        return _operation("subtract", (total, -affine))
    return total if affine == Affine(0) else _operation("add", (total, affine))


def _terms(value: Value, sign: int) -> list[tuple[Value, int]]:
    """The summands of an integer sum."""
    if isinstance(value, Op) and value.name in ("add", "subtract"):
        left, right = value.args
        return [*_terms(left, sign), *_terms(right, sign if value.name == "add" else -sign)]
    return [(as_value(value), sign)]


def _operation(name: str, values: Sequence[Value]) -> Expr:
    dtype = promoted(values)
    if dtype == "bool" and OPERATIONS[name].family is Family.BITS and OPERATIONS[name].on_bools:
        name = OPERATIONS[name].on_bools
    operation = OPERATIONS[name]
    if operation.family is Family.COMPARISON:
        return Op(name, tuple(_typed(v, dtype) for v in values), "bool")
    if operation.gives_truth:
        return Op(name, tuple(map(as_expr, values)), "bool")
    if np.dtype(dtype).kind in "iub":
        if operation.family is Family.ROUNDING:
            return as_expr(values[0])
        if operation.integers is None:
            dtype = "float64"
        elif dtype == "bool":
            dtype = "int64"
    if name == "power":
        return Op(name, (_typed(values[0], dtype), _exponent(values[1], dtype)), dtype)
    return Op(name, tuple(_typed(v, dtype) for v in values), dtype)


def _typed(value: Value, dtype: str) -> Expr:
    """A literal takes the dtype it is converted to anyway, and an index needs no cast; this reads better."""
    number = literal(value)
    if number is not None:
        return Const(np.dtype(dtype).type(number).item(), dtype)
    expr = as_expr(value)
    if isinstance(expr, Op) and expr.name == "cast" and expr.dtype == dtype and isinstance(expr.args[0], IndexValue):
        return expr.args[0]
    return expr


def _exponent(value: Value, dtype: str) -> Expr:
    number = literal(value)
    if number is not None and float(number).is_integer():
        return Const(int(number), "int64")
    return _typed(value, dtype)


def _folded(name: str, numbers: Sequence[Any]) -> Value | None:
    with np.errstate(all="ignore"):
        try:
            result = OPERATIONS[name].evaluate(*numbers)
        except (TypeError, ValueError):  # an integer to a negative power
            return None
    return constant(result.item() if isinstance(result, np.generic) else result)


def where(condition: Value, then: Value, orelse: Value) -> Value:
    """One side if the condition holds, the other side otherwise."""
    known = literal(condition)
    if known is not None:
        return then if known else orelse
    if then == orelse:
        return then
    dtype = promoted((then, orelse))
    return Op("where", (as_condition(condition), _typed(then, dtype), _typed(orelse, dtype)), dtype)


def as_condition(value: Value) -> Expr:
    """The value as a bool."""
    expr = as_expr(value)
    if expr.dtype == "bool":
        return expr
    return as_expr(apply("not_equal", value, Affine(0)))


def cast(value: Value, dtype: str) -> Expr:
    """The value converted to a dtype; nothing to do where it has it already."""
    expr = as_expr(value)
    number = literal(value)
    if number is not None:
        return Const(np.dtype(dtype).type(number).item(), dtype)
    return expr if expr.dtype == dtype else Op("cast", (expr,), dtype)


def add(*values: Value) -> Value:
    """A sum without its zeros."""
    terms = [v for v in values if v != Affine(0)]
    return reduce(lambda a, b: apply("add", a, b), terms) if terms else Affine(0)


def multiply(a: Value, b: Value) -> Value:
    """A product without its ones."""
    if Affine(1) in (a, b):
        return b if a == Affine(1) else a
    return apply("multiply", a, b)


def subtract(a: Value, b: Value) -> Value:
    return apply("subtract", a, b)


def _product(a: Affine, b: Affine) -> Affine | None:
    if a.is_const:
        return b * a.const
    return a * b.const if b.is_const else None


def _exactly_divisible(a: Affine, b: Affine) -> bool:
    return b.is_const and b.const > 0 and not any(c % b.const for _, c in a.terms)


def _floor_divide(a: Affine, b: Affine) -> Affine | None:
    if not _exactly_divisible(a, b):
        return None
    return Affine(a.const // b.const, tuple((n, c // b.const) for n, c in a.terms))


def _remainder(a: Affine, b: Affine) -> Affine | None:
    return Affine(a.const % b.const) if _exactly_divisible(a, b) else None


def _negated(a: Affine) -> Affine:
    return -a


AFFINE: dict[str, Callable[..., Affine | None]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": _product,
    "negative": _negated,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
}
