"""Calls of Python in a tangent: one call takes values and tangents, and gives both.

token = python_put(token, x[k])              token = python_put(python_put(token, x[k]), x_dot[k])
y[k] = python_get(token, k)             →    y[k] = python_get(token, 2 * k)
                                             y_dot[k] = python_get(token, 2 * k + 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from daad.ir.constructors import const
from daad.ir.nodes import Assign, Const, Expr, Index, IndexValue, Load, Op, Program
from daad.ir.walk import computes, map_expr, nests
from daad.runtime.python_calls import PAIRED, has_tangent

Dot = Callable[[Expr], Expr | None]
"""The tangent of a value, None: it is zero."""


@dataclass(frozen=True)
class PairedCalls:
    """The calls of a program that have tangents."""

    program: Program

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The arrays that hold records of such calls."""
        if not computes(self.program.body, {"python_start"}):
            return frozenset()
        assigns = [assign for nest in nests(self.program.body) for assign in nest.assigns]
        found = frozenset[str]()
        while True:
            more = found.union(a.target.array for a in assigns if _is_token(a.value, found))
            if more == found:
                return found
            found = more

    def assigned(self, assign: Assign, dot: Dot) -> Assign:
        """The statement with pairs in the place of numbers."""
        if not self.tokens:
            return assign
        if assign.target.array in self.tokens:
            return replace(assign, value=self._token(assign.value, dot))
        return replace(assign, value=self._value(assign.value, dot))

    def dot_of_result(self, node: Op) -> Expr | None:
        """The tangent of a result, which is beside it; None where the call has none."""
        token, place = node.args
        return Op(node.name, (token, _plus_one(place)), node.dtype) if _is_token(token, self.tokens) else None

    def _token(self, expr: Expr, dot: Dot) -> Expr:
        if not isinstance(expr, Op):
            return expr
        if expr.name == "python_start":
            return Op(expr.name, (Const(_number(expr) + PAIRED, expr.dtype),), expr.dtype)
        token, value = expr.args
        both = Op(expr.name, (self._token(token, dot), self._value(value, dot)), expr.dtype)
        return Op(expr.name, (both, dot(self._value(value, dot)) or const(0, value.dtype)), expr.dtype)

    def _value(self, expr: Expr, dot: Dot) -> Expr:
        def leaf(node: Expr) -> Expr | None:
            if not isinstance(node, Op) or node.name != "python_get" or not _is_token(node.args[0], self.tokens):
                return None
            token, place = node.args
            return Op(node.name, (self._token(token, dot), _twice(place)), node.dtype)

        return map_expr(expr, leaf)


def _is_token(expr: Index, tokens: frozenset[str]) -> bool:
    """Whether it is a record of a call that has a tangent."""
    if isinstance(expr, Load):
        return expr.array in tokens
    if not isinstance(expr, Op):
        return False
    if expr.name == "python_start":
        return _number(expr) >= PAIRED or has_tangent(_number(expr))
    return expr.name == "python_put" and _is_token(expr.args[0], tokens)


def _number(start: Op) -> int:
    (number,) = start.args
    assert isinstance(number, Const), "a function is named by a number"
    return int(number.value)


def _twice(place: Expr) -> Expr:
    if isinstance(place, IndexValue):
        return IndexValue(place.form * 2)
    if isinstance(place, Const):
        return Const(2 * place.value, place.dtype)
    return Op("multiply", (place, Const(2, place.dtype)), place.dtype)


def _plus_one(place: Expr) -> Expr:
    if isinstance(place, IndexValue):
        return IndexValue(place.form + 1)
    if isinstance(place, Const):
        return Const(place.value + 1, place.dtype)
    return Op("add", (place, Const(1, place.dtype)), place.dtype)
