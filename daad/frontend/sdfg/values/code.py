"""Python expressions inside an SDFG (tasklets, conditions, loop bounds, symbol assignments) as values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from daad.errors import Location
from daad.frontend.sdfg.locations import refused
from daad.frontend.sdfg.values.arithmetic import Value, apply, as_condition, constant, dtype_of, where
from daad.frontend.sdfg.values.called_functions import CONSTANTS, call, converted
from daad.ir.dtypes import is_integer
from daad.ir.operations.python_operators import BINARY, COMPARED

Reader = Callable[[str, tuple[Value, ...]], Value | None]


def _reads_nothing(name: str, index: tuple[Value, ...]) -> Value | None:
    return None


@dataclass(frozen=True)
class Meaning:
    """What the names of a piece of code stand for.

    `read(name, index)` gives an element of a data container, or None for an unknown name; `out_dtype` is what
    `decltype(__out)` means.
    """

    values: Mapping[str, Value]
    read: Reader = _reads_nothing
    at: Location | None = None
    out_dtype: str | None = None


def value_of(node: ast.expr, meaning: Meaning) -> Value:
    """The expression's value; refuses what has none."""
    translate = EXPRESSIONS.get(type(node))
    if translate is None:
        raise refused(f"'{ast.unparse(node)}' in a tasklet or condition cannot be differentiated.", meaning.at)
    return translate(node, meaning)


def parsed(code: Any) -> list[ast.stmt]:
    """The statements of a DaCe code block or string."""
    text = code if isinstance(code, str) else code.as_string
    return ast.parse(text.strip()).body


def condition_of(code: Any, meaning: Meaning) -> Value:
    """The value of a condition in a DaCe code block."""
    statement = parsed(code)[0]
    assert isinstance(statement, ast.Expr), "a condition is one expression"
    value = value_of(statement.value, meaning)
    return value if dtype_of(value) == "bool" else as_condition(value)


def _constant(node: ast.Constant, meaning: Meaning) -> Value:
    if not isinstance(node.value, bool | int | float):
        raise refused(f"The constant {node.value!r} is no real number.", meaning.at)
    return constant(node.value)


def _name(node: ast.Name, meaning: Meaning) -> Value:
    if node.id in meaning.values:
        return meaning.values[node.id]
    found = meaning.read(node.id, ())
    if found is not None:
        return found
    if node.id in CONSTANTS:
        return constant(CONSTANTS[node.id])
    raise refused(f"'{node.id}' has no value here.", meaning.at, UNKNOWN_HINT)


UNKNOWN_HINT = "A loop variable cannot be used after its loop; assign it to another name in the loop."


def _attribute(node: ast.Attribute, meaning: Meaning) -> Value:
    if node.attr in CONSTANTS:
        return constant(CONSTANTS[node.attr])
    raise refused(f"'{ast.unparse(node)}' is no number.", meaning.at)


def _binary(node: ast.BinOp, meaning: Meaning) -> Value:
    left, right = value_of(node.left, meaning), value_of(node.right, meaning)
    row = BINARY.get(type(node.op))
    if row is None:
        raise refused(f"'{ast.unparse(node)}' in a tasklet cannot be differentiated.", meaning.at)
    name = row.name
    if name == "divide" and _are_integers(left, right):
        return converted(apply("trunc", apply("divide", left, right)), "int64")
    return apply(name, left, right)


def _are_integers(*values: Value) -> bool:
    return all(is_integer(dtype_of(v)) for v in values)


def _unary(node: ast.UnaryOp, meaning: Meaning) -> Value:
    operand = value_of(node.operand, meaning)
    if isinstance(node.op, ast.UAdd):
        return operand
    return apply("logical_not", as_condition(operand)) if isinstance(node.op, ast.Not) else _signed(node, operand)


def _signed(node: ast.UnaryOp, operand: Value) -> Value:
    return apply("negative" if isinstance(node.op, ast.USub) else "invert", operand)


def _boolean(node: ast.BoolOp, meaning: Meaning) -> Value:
    name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
    sides: list[Value] = [as_condition(value_of(v, meaning)) for v in node.values]
    return reduce(lambda a, b: apply(name, a, b), sides)


def _comparison(node: ast.Compare, meaning: Meaning) -> Value:
    sides = [value_of(side, meaning) for side in (node.left, *node.comparators)]
    parts: list[Value] = []
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        row = COMPARED.get(type(op))
        if row is None:
            raise refused(f"'{ast.unparse(node)}' cannot be evaluated.", meaning.at)
        parts.append(apply(row.name, left, right))
    return reduce(lambda a, b: apply("logical_and", a, b), parts)


def _conditional(node: ast.IfExp, meaning: Meaning) -> Value:
    condition, then, orelse = (value_of(part, meaning) for part in (node.test, node.body, node.orelse))
    return where(condition, then, orelse)


def _call(node: ast.Call, meaning: Meaning) -> Value:
    arguments = [value_of(argument, meaning) for argument in node.args]
    if isinstance(node.func, ast.Call) and _is_decltype(node.func):
        return converted(arguments[0], meaning.out_dtype or "float64")
    name = ast.unparse(node.func)
    value = None if node.keywords else call(name, arguments)
    if value is None:
        raise refused(f"The function '{readable(name)}' cannot be differentiated in a DaCe program.", meaning.at)
    return value


def _is_decltype(func: ast.Call) -> bool:
    return isinstance(func.func, ast.Name) and func.func.id == "decltype"


def readable(name: str) -> str:
    """DaCe's name of a call back into Python, `numpy_std`, as the user wrote it."""
    return name.replace("numpy_", "numpy.", 1) if name.startswith("numpy_") else name


def _subscript(node: ast.Subscript, meaning: Meaning) -> Value:
    if not isinstance(node.value, ast.Name):
        raise refused(f"'{ast.unparse(node)}' cannot be read.", meaning.at)
    found = meaning.read(node.value.id, indices(node.slice, meaning))
    if found is None:
        raise refused(f"'{node.value.id}' has no value here.", meaning.at)
    return found


def indices(node: ast.expr, meaning: Meaning) -> tuple[Value, ...]:
    """The indices inside square brackets."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(value_of(part, meaning) for part in parts)


EXPRESSIONS: dict[type[ast.expr], Callable[[Any, Meaning], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Call: _call,
    ast.Subscript: _subscript,
}
