"""Simpler expressions of the same value: folded constants, decided conditions, operations that do nothing.

    program f(x: float64[9])
      for i in 0 .. 9:  x[i] = 1.0 * sin(x[i]) + (x[i] if i < 9 else 0)

becomes

    program f(x: float64[9])
      for i in 0 .. 9:  x[i] = sin(x[i]) + x[i]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np

from daad.analysis.comparisons import COMPARISONS, ORDER, index_form
from daad.analysis.context import Facts, Scope, map_scoped_leaves
from daad.ir.affine import Affine
from daad.ir.constructors import adds_nothing, const, is_value, takes_nothing
from daad.ir.nodes import Assign, Const, Expr, Load, Nest, Node, Op, Program, Unsigned
from daad.ir.operations import OPERATIONS
from daad.ir.walk import altered, substitute_assign
from daad.passes.definition import Pass

PASS = Pass(
    "simplification",
    lambda program, goal: simplify(program),
    "Constants are folded, conditions decided, operations that do nothing removed.",
    source="Muchnick 1997, 12.3",
)

LOGICAL = ("logical_and", "logical_or", "logical_not")


def simplify(program: Program) -> Program:
    """Simplifies the values of all assigns; an update by zero disappears, and so does what stays as it is."""
    return replace(program, body=map_scoped_leaves(program.body, simplify_nest, Scope()))


def simplify_nest(nest: Nest, scope: Scope) -> tuple[Node, ...]:
    nest = _without_single_values(nest)
    inner = scope.with_domain(nest.domain)
    assigns = tuple(altered(a, value=simplify_value(a.value, inner)) for a in nest.assigns)
    kept = tuple(a for a in assigns if not _is_idle(a))
    return (altered(nest, assigns=kept),) if kept else ()


def _without_single_values(nest: Nest) -> Nest:
    """Variables that take one value only are replaced by it."""
    values = {r.var: r.start for r in nest.domain if r.width == Affine(1)}
    if not values:
        return nest
    domain = tuple(r for r in nest.domain if r.var not in values)
    return replace(nest, domain=domain, assigns=tuple(substitute_assign(a, values) for a in nest.assigns))


def _is_idle(assign: Assign) -> bool:
    if assign.op == "=":
        return assign.value == Load(assign.target.array, assign.target.index, assign.value.dtype)
    return assign.op == "+=" and adds_nothing(assign.value)


def simplify_value(value: Expr, scope: Scope) -> Expr:
    """`scope` knows the variables that occur in the value.

    Values are asked for again by each pass and in each plan, so what comes of them stays with them.
    """
    known: dict[Facts | None, Expr] = vars(value).setdefault("simplified", {})
    facts = None if COMPARISONS.isdisjoint(value.operations) else scope.facts
    if facts not in known:
        known[facts] = _simplified(value, scope)
    return known[facts]


def _simplified(value: Expr, scope: Scope) -> Expr:
    known: dict[Expr, Expr] = {}

    def visit(node: Expr) -> Expr:
        found = known.get(node)
        if found is None:
            is_same_anywhere = node is not value and COMPARISONS.isdisjoint(node.operations)
            found = known[node] = simplify_value(node, scope) if is_same_anywhere else simpler(node)
        return found

    def simpler(node: Expr) -> Expr:
        if isinstance(node, Load):
            index = tuple([i if isinstance(i, Affine) else visit(i) for i in node.index])
            return node if index == node.index else Load(node.array, index, node.dtype)
        if not isinstance(node, Op):
            return node
        if node.name == "where" and isinstance(condition := visit(node.args[0]), Const):
            return _converted(visit(node.args[1] if condition.value else node.args[2]), node.dtype)
        args = tuple([visit(a) for a in node.args])
        node = node if args == node.args else Op(node.name, args, node.dtype)
        if all(isinstance(a, Const) for a in args):
            return _folded(node) or node
        return RULES[node.name](node, scope) or node if node.name in RULES else node

    return visit(value)


def _folded(node: Op) -> Expr | None:
    """The constant that an operation on constants stands for, computed as the program would."""
    args, operation = [a for a in node.args if isinstance(a, Const)], OPERATIONS[node.name]
    if node.name in LOGICAL or node.name in COMPARISONS:
        return Const(bool(operation.evaluate(*(np.dtype(a.dtype).type(a.value) for a in args))), "bool")
    kind = np.dtype(node.dtype).kind
    if node.name == "cast" and kind in "fi" and args[0].dtype == "bool":
        return Const(float(args[0].value) if kind == "f" else int(args[0].value), node.dtype)
    if not operation.is_same_number or kind not in "fi" or any(np.dtype(a.dtype).kind not in "fi" for a in args):
        return None
    with np.errstate(all="ignore"):
        value = operation.evaluate(*(np.dtype(node.dtype).type(a.value) for a in args)).item()
    if value == 0 and any(isinstance(a.value, Unsigned) for a in args):
        value = Unsigned()
    return Const(value, node.dtype) if isfinite(value) else None


def _compare(node: Op, scope: Scope) -> Expr | None:
    a, b = (index_form(x) for x in node.args)
    if a is None or b is None:
        return None
    positive = ORDER[node.name](a, b)
    if scope.proves(positive):
        return Const(True, "bool")
    return Const(False, "bool") if scope.proves(-positive - 1) else None


def _equal(node: Op, scope: Scope) -> Expr | None:
    a, b = (index_form(x) for x in node.args)
    if a is None or b is None:
        return None
    difference = a - b
    if scope.proves(difference - 1) or scope.proves(-difference - 1):
        return Const(node.name == "not_equal", "bool")
    same = scope.proves(difference) and scope.proves(-difference)
    return Const(node.name == "equal", "bool") if same else None


def _and(node: Op, scope: Scope) -> Expr | None:
    for a, b in (node.args, node.args[::-1]):
        if isinstance(a, Const):
            return _as_bool(b) if a.value else Const(False, "bool")
    return node.args[0] if node.args[0] == node.args[1] and node.args[0].dtype == "bool" else None


def _or(node: Op, scope: Scope) -> Expr | None:
    for a, b in (node.args, node.args[::-1]):
        if isinstance(a, Const):
            return Const(True, "bool") if a.value else _as_bool(b)
    return None


def _as_bool(expr: Expr) -> Expr | None:
    return expr if expr.dtype == "bool" else None


def _not(node: Op, scope: Scope) -> Expr | None:
    inner = node.args[0]
    return inner.args[0] if isinstance(inner, Op) and inner.name == "logical_not" and _is_bool(inner.args[0]) else None


def _is_bool(expr: Expr) -> bool:
    return expr.dtype == "bool"


def _bitwise_and(node: Op, scope: Scope) -> Expr | None:
    """Of truth values as whole numbers, as NumPy has them where one of two is a Python number."""
    for a, b in (node.args, node.args[::-1]):
        if is_value(a, 1) and _truth(b) is not None:
            return _same_kind(b, node)
    one, other = map(_truth, node.args)
    if one is None or other is None:
        return None
    return Op("cast", (Op("logical_and", (one, other), "bool"),), node.dtype)


def _truth(expr: Expr) -> Expr | None:
    """The truth value that a number stands for, if it does."""
    is_one = isinstance(expr, Op) and expr.name == "cast" and expr.dtype != "bool" and _is_bool(expr.args[0])
    return expr.args[0] if is_one and isinstance(expr, Op) else None


def _where(node: Op, scope: Scope) -> Expr | None:
    condition, *sides = node.args
    then, orelse = (_decided(side, condition, place) for place, side in enumerate(sides, start=1))
    if then == orelse:
        return _converted(then, node.dtype)
    return None if (then, orelse) == (*sides,) else Op("where", (condition, then, orelse), node.dtype)


def _decided(side: Expr, condition: Expr, place: int) -> Expr:
    """What a side is where the condition has been asked before."""
    while isinstance(side, Op) and side.name == "where" and side.args[0] == condition:
        side = _converted(side.args[place], side.dtype)
    return side


def _converted(expr: Expr, dtype: str) -> Expr:
    return expr if expr.dtype == dtype else Op("cast", (expr,), dtype)


def _add(node: Op, scope: Scope) -> Expr | None:
    a, b = node.args
    if adds_nothing(b) or adds_nothing(a):
        return _same_kind(a if adds_nothing(b) else b, node)
    if a == b and a.dtype == node.dtype != "bool":
        return Op("multiply", (const(2, node.dtype), a), node.dtype)
    if isinstance(b, Op) and b.name == "negative" and b.dtype == node.dtype:
        return Op("subtract", (a, b.args[0]), node.dtype)
    return None


def _subtract(node: Op, scope: Scope) -> Expr | None:
    a, b = node.args
    if takes_nothing(b):
        return _same_kind(a, node)
    if adds_nothing(a) and b.dtype == node.dtype:
        return Op("negative", (b,), node.dtype)
    if isinstance(b, Op) and b.name == "negative" and b.dtype == node.dtype:
        return Op("add", (a, b.args[0]), node.dtype)
    return None


def _multiply(node: Op, scope: Scope) -> Expr | None:
    for a, b in (node.args, node.args[::-1]):
        if is_value(a, 1):
            return _same_kind(b, node)
        if is_value(a, -1) and b.dtype == node.dtype:
            return Op("negative", (b,), node.dtype)
    negative = [isinstance(x, Op) and x.name == "negative" for x in node.args]
    if not any(negative) or any(x.dtype != node.dtype for x in node.args):
        return None
    factors = tuple(x.args[0] if isinstance(x, Op) and x.name == "negative" else x for x in node.args)
    product = Op("multiply", factors, node.dtype)
    return product if all(negative) else Op("negative", (product,), node.dtype)


def _divide(node: Op, scope: Scope) -> Expr | None:
    return _same_kind(node.args[0], node) if is_value(node.args[1], 1) else None


def _negative(node: Op, scope: Scope) -> Expr | None:
    inner = node.args[0]
    return inner.args[0] if isinstance(inner, Op) and inner.name == "negative" and inner.dtype == node.dtype else None


def _cast(node: Op, scope: Scope) -> Expr | None:
    if _is_bool(node) and (truth := _truth(node.args[0])) is not None:
        return truth
    return node.args[0] if node.args[0].dtype == node.dtype else None


def _same_kind(expr: Expr, node: Op) -> Expr | None:
    """The operand alone, unless the operation converts it."""
    return expr if expr.dtype == node.dtype else None


RULES: dict[str, Callable[[Op, Scope], Expr | None]] = {
    **dict.fromkeys(ORDER, _compare),
    **dict.fromkeys(("equal", "not_equal"), _equal),
    "logical_and": _and,
    "logical_or": _or,
    "logical_not": _not,
    "bitwise_and": _bitwise_and,
    "where": _where,
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "negative": _negative,
    "cast": _cast,
}
