"""Makes expressions, leaving out what is exact to leave out: times 1, plus nothing, constants folded."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from functools import cache, reduce

import numpy as np

from daad.ir.nodes import Const, Expr, Number, Op, Unsigned
from daad.ir.operations import OPERATIONS
from daad.ir.operations.of_scipy import OPERANDS
from daad.ir.operations.python_operators import COMPARED


def const(value: Number, dtype: str) -> Const:
    """A literal of the dtype; the int 0 as a float has no sign."""
    kind = np.dtype(dtype).kind
    if kind == "f" and type(value) is int and value == 0:
        return Const(Unsigned(), dtype)
    return Const(float(value) if kind == "f" else bool(value) if kind == "b" else int(value), dtype)


def is_value(expr: Expr, value: Number) -> bool:
    return isinstance(expr, Const) and expr.value == value


def adds_nothing(expr: Expr) -> bool:
    """Whether to add the value changes nothing, not even the sign of a zero: 0.0 makes 0.0 of -0.0."""
    if not is_value(expr, 0):
        return False
    assert isinstance(expr, Const), "what has a value is a literal"
    is_float = isinstance(expr.value, float) and not isinstance(expr.value, Unsigned)
    return not is_float or math.copysign(1.0, expr.value) < 0


def takes_nothing(expr: Expr) -> bool:
    """Whether to subtract the value changes nothing: -0.0 makes 0.0 of -0.0."""
    return isinstance(expr, Const) and is_value(expr, 0) and math.copysign(1.0, expr.value) > 0


def multiply(a: Expr, b: Expr, dtype: str) -> Expr:
    """`a * b`; a factor 1 or -1 leaves no product."""
    for x, y in ((a, b), (b, a)):
        if is_value(x, 1):
            return y
        if is_value(x, -1):
            return negative(y, dtype)
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value * b.value, dtype)
    if isinstance(b, Const) and not isinstance(a, Const):
        a, b = b, a
    if isinstance(b, Op) and b.name == "negative":
        return negative(multiply(a, b.args[0], dtype), dtype)
    if isinstance(a, Op) and a.name == "negative":
        return negative(multiply(a.args[0], b, dtype), dtype)
    return Op("multiply", (a, b), dtype)


def add(a: Expr, b: Expr, dtype: str) -> Expr:
    """`a + b`; what adds nothing is left out, a negative second term becomes a difference."""
    for x, y in ((a, b), (b, a)):
        if adds_nothing(x):
            return y
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value + b.value, dtype)
    if isinstance(b, Op) and b.name == "negative":
        return Op("subtract", (a, b.args[0]), dtype)
    return Op("add", (a, b), dtype)


def subtract(a: Expr, b: Expr, dtype: str) -> Expr:
    if takes_nothing(b):
        return a
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value - b.value, dtype)
    return negative(b, dtype) if adds_nothing(a) else Op("subtract", (a, b), dtype)


def divide(a: Expr, b: Expr, dtype: str) -> Expr:
    if is_value(b, 1):
        return a
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return const(a.value / b.value, dtype)
    if isinstance(a, Op) and a.name == "negative":
        return negative(divide(a.args[0], b, dtype), dtype)
    return Op("divide", (a, b), dtype)


def negative(a: Expr, dtype: str) -> Expr:
    if isinstance(a, Const):
        return const(-a.value, dtype)
    return a.args[0] if isinstance(a, Op) and a.name == "negative" else Op("negative", (a,), dtype)


def power(a: Expr, b: Expr, dtype: str) -> Expr:
    if is_value(b, 1):
        return a
    if is_value(b, 0):
        return const(1, dtype)
    return multiply(a, a, dtype) if is_value(b, 2) else Op("power", (a, b), dtype)


def where(condition: Expr, a: Expr, b: Expr, dtype: str) -> Expr:
    if isinstance(condition, Const):
        return a if condition.value else b
    return a if a == b else Op("where", (condition, a, b), dtype)


def choice_of(expr: Expr) -> tuple[Expr, Expr, Expr] | None:
    """Condition and sides of a 'where'; of 'and' and 'or', too: the second condition counts where the first leaves it
    open, and lies within its arrays only there."""
    if not isinstance(expr, Op) or expr.name not in ("where", "logical_and", "logical_or"):
        return None
    condition, *sides = expr.args
    if expr.name == "where":
        return condition, sides[0], sides[1]
    decided = Const(expr.name == "logical_or", "bool")
    return (condition, decided, sides[0]) if decided.value else (condition, sides[0], decided)


def compare(name: str, a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(bool(OPERATIONS[name].evaluate(a.value, b.value)), "bool")
    return Op(name, (a, b), "bool")


def both(a: Expr | None, b: Expr | None) -> Expr | None:
    """Conjunction; None is true."""
    if a is None or b is None or a == b:
        return b if a is None else a
    return Op("logical_and", (a, b), "bool")


def conditions(guard: Expr | None) -> tuple[Expr, ...]:
    """What a conjunction asks for."""
    if guard is None:
        return ()
    if isinstance(guard, Op) and guard.name == "logical_and":
        return tuple(condition for part in guard.args for condition in conditions(part))
    return (guard,)


def negation(condition: Expr) -> Expr:
    if isinstance(condition, Op) and condition.name == "logical_not":
        return condition.args[0]
    return Op("logical_not", (condition,), "bool")


BINARY = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: divide,
    ast.Pow: power,
}


@cache
def parse_rule(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def rule_names(text: str) -> frozenset[str]:
    """Which operands and whether r a rule reads: what must be forwarded is read off here."""
    read = (n.id for n in ast.walk(parse_rule(text)) if isinstance(n, ast.Name))
    return frozenset(name for name in read if name in (*OPERANDS, "r"))


def instantiate(text: str, operands: Mapping[str, Expr], dtype: str) -> Expr:
    """The expression that a rule's text stands for, at the given operands."""

    def build(node: ast.expr) -> Expr:
        if isinstance(node, ast.Name):
            return const(math.inf, dtype) if node.id == "inf" else operands[node.id]
        if isinstance(node, ast.Constant):
            return const(node.value, dtype)  # type: ignore[arg-type]
        if isinstance(node, ast.UnaryOp):
            return negative(build(node.operand), dtype)
        if isinstance(node, ast.BinOp):
            return BINARY[type(node.op)](build(node.left), build(node.right), dtype)
        if isinstance(node, ast.Compare):
            return compare(COMPARED[type(node.ops[0])].name, build(node.left), build(node.comparators[0]))
        if isinstance(node, ast.BoolOp):
            name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
            return reduce(lambda a, b: Op(name, (a, b), "bool"), map(build, node.values))
        assert isinstance(node, ast.Call), f"rule '{text}' cannot be read"
        assert isinstance(node.func, ast.Name), f"rule '{text}' cannot be read"
        args = tuple(build(x) for x in node.args)
        if node.func.id == "where":
            return where(args[0], args[1], args[2], dtype)
        return Op(node.func.id, args, "bool" if OPERATIONS[node.func.id].gives_truth else dtype)

    return build(parse_rule(text))
