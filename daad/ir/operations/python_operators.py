"""Python's operators as `ast` names them, one row each: what they are in NumPy, in `operator` and in classes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Python = Callable[..., Any]


class Binary(NamedTuple):
    """`method`: the name in a class between `__`, `__r` or `__i` and `__`."""

    ufunc: np.ufunc
    python: Python
    in_place: Python
    method: str

    @property
    def name(self) -> str:
        """The operation's name in a Program."""
        return self.ufunc.__name__


class Comparison(NamedTuple):
    """`mirrored` is what holds of the operands the other way round."""

    ufunc: np.ufunc
    python: Python
    method: str
    mirrored: type[ast.cmpop]

    @property
    def name(self) -> str:
        """The operation's name in a Program."""
        return self.ufunc.__name__


class Unary(NamedTuple):
    """`method` is empty where classes have none."""

    ufunc: np.ufunc
    python: Python
    method: str


MATMUL = Binary(np.matmul, operator.matmul, operator.imatmul, "matmul")
BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: Binary(np.add, operator.add, operator.iadd, "add"),
    ast.Sub: Binary(np.subtract, operator.sub, operator.isub, "sub"),
    ast.Mult: Binary(np.multiply, operator.mul, operator.imul, "mul"),
    ast.Div: Binary(np.divide, operator.truediv, operator.itruediv, "truediv"),
    ast.FloorDiv: Binary(np.floor_divide, operator.floordiv, operator.ifloordiv, "floordiv"),
    ast.Mod: Binary(np.remainder, operator.mod, operator.imod, "mod"),
    ast.Pow: Binary(np.power, operator.pow, operator.ipow, "pow"),
    ast.BitAnd: Binary(np.bitwise_and, operator.and_, operator.iand, "and"),
    ast.BitOr: Binary(np.bitwise_or, operator.or_, operator.ior, "or"),
    ast.BitXor: Binary(np.bitwise_xor, operator.xor, operator.ixor, "xor"),
    ast.LShift: Binary(np.left_shift, operator.lshift, operator.ilshift, "lshift"),
    ast.RShift: Binary(np.right_shift, operator.rshift, operator.irshift, "rshift"),
}
"""Those that work element by element; `ALL_BINARY` has the product of matrices, too."""
ALL_BINARY = {**BINARY, ast.MatMult: MATMUL}
COMPARED: dict[type[ast.cmpop], Comparison] = {
    ast.Lt: Comparison(np.less, operator.lt, "__lt__", ast.Gt),
    ast.LtE: Comparison(np.less_equal, operator.le, "__le__", ast.GtE),
    ast.Gt: Comparison(np.greater, operator.gt, "__gt__", ast.Lt),
    ast.GtE: Comparison(np.greater_equal, operator.ge, "__ge__", ast.LtE),
    ast.Eq: Comparison(np.equal, operator.eq, "__eq__", ast.Eq),
    ast.NotEq: Comparison(np.not_equal, operator.ne, "__ne__", ast.NotEq),
}
UNARY: dict[type[ast.unaryop], Unary] = {
    ast.USub: Unary(np.negative, operator.neg, "__neg__"),
    ast.UAdd: Unary(np.positive, operator.pos, "__pos__"),
    ast.Invert: Unary(np.invert, operator.invert, "__invert__"),
    ast.Not: Unary(np.logical_not, operator.not_, ""),
}
