"""Programs written as text for the tests: Python's syntax, with `with nest(i=(0, n), j=(1, m)):` for a nest.

`|=` stands for 'max=', `&=` for 'min='; calls are operations by NumPy's names, `where`, or a dtype for a cast. `0.0` is
the zero of adjoints, `-(-0.0)` that of users.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

import numpy as np

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Const,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
    Unsigned,
)
from daad.ir.validator import validate

OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "power", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal", ast.Eq: "equal", ast.NotEq: "not_equal", ast.And: "logical_and", ast.Or: "logical_or",
    ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}  # fmt: skip
TEST_RESULTS = {"isnan", "isinf", "isfinite", "signbit", "logical_and", "logical_or", "logical_xor", "logical_not",
                "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}  # fmt: skip
FLOAT_RESULTS = {"divide", "exp", "log", "sqrt", "sin", "cos", "tanh"}
UPDATES = {ast.Add: "+=", ast.BitOr: "max=", ast.BitAnd: "min="}
DTYPES = {"float64", "float32", "int64", "int32", "bool"}


def program(name: str, arrays: str, source: str, integers: str = "", local: str = "", results: str = "") -> Program:
    """`arrays` as 'A: float64[3, 4]; s: float64[]' in order of the parameters; `local` ones likewise."""
    parameters, scratch = _arrays(arrays), _arrays(local)
    known = {a.name: a for a in (*parameters, *scratch)}
    reader = _Reader(known)
    body = reader.body(ast.parse(textwrap.dedent(source)).body)
    built = Program(
        name=name,
        arrays=known,
        parameters=tuple(a.name for a in parameters),
        integers=tuple(integers.split()),
        results=tuple(results.split()),
        body=body,
    )
    return validate(built)


def _arrays(text: str) -> list[Array]:
    found = []
    for part in filter(None, (p.strip() for p in text.split(";"))):
        name, kind = part.split(":")
        dtype, shape = kind.strip().rstrip("]").split("[")
        found.append(Array(name.strip(), tuple(int(n) for n in shape.split(",") if n.strip()), dtype))
    return found


@dataclass
class _Reader:
    arrays: dict[str, Array]

    def body(self, statements: list[ast.stmt]) -> tuple[Node, ...]:
        return tuple(self.node(s) for s in statements)

    def node(self, s: ast.stmt) -> Node:
        if isinstance(s, ast.With):
            call = s.items[0].context_expr
            assert isinstance(call, ast.Call)
            ranges = []
            for k in call.keywords:
                assert isinstance(k.value, ast.Tuple) and k.arg
                start, stop = (self.affine(e) for e in k.value.elts)
                ranges.append(Range(k.arg, start, stop))
            return Nest(tuple(ranges), tuple(self.assign(a) for a in s.body))
        if isinstance(s, ast.For):
            assert isinstance(s.iter, ast.Call) and isinstance(s.target, ast.Name)
            start, stop, *step = s.iter.args
            down = bool(step)
            return Loop(s.target.id, self.index(start), self.index(stop), -1 if down else 1, self.body(s.body))
        if isinstance(s, ast.If):
            return Branch(self.value(s.test), self.body(s.body), self.body(s.orelse))
        return Nest((), (self.assign(s),))

    def assign(self, s: ast.stmt) -> Assign:
        if isinstance(s, ast.AugAssign):
            return Assign(self.target(s.target), UPDATES[type(s.op)], self.value(s.value))
        assert isinstance(s, ast.Assign), ast.dump(s)
        return Assign(self.target(s.targets[0]), "=", self.value(s.value))

    def target(self, e: ast.expr) -> Access:
        if isinstance(e, ast.Name):
            return Access(e.id, ())
        assert isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name)
        return Access(e.value.id, self.indices(e.slice))

    def indices(self, e: ast.expr) -> tuple[Index, ...]:
        parts = e.elts if isinstance(e, ast.Tuple) else [e]
        return tuple(self.index(p) for p in parts)

    def index(self, e: ast.expr) -> Index:
        value = self.value(e)
        if isinstance(value, Const):
            return Affine(int(value.value))
        return value.form if isinstance(value, IndexValue) else value

    def affine(self, e: ast.expr) -> Affine:
        index = self.index(e)
        assert isinstance(index, Affine)
        return index

    def value(self, e: ast.expr) -> Expr:
        if isinstance(e, ast.Constant):
            value = Unsigned() if isinstance(e.value, float) and e.value == 0 else e.value
            return Const(value, {bool: "bool", int: "int64", float: "float64"}[type(e.value)])
        if isinstance(e, ast.Name) and e.id not in self.arrays:
            return IndexValue(Affine.of(e.id))
        if isinstance(e, ast.Name | ast.Subscript):
            access = self.target(e)
            return Load(access.array, access.index, self.arrays[access.array].dtype)
        if isinstance(e, ast.Call):
            assert isinstance(e.func, ast.Name)
            return self.call(e.func.id, [self.value(a) for a in e.args])
        if isinstance(e, ast.Compare):
            return self.call(OPERATORS[type(e.ops[0])], [self.value(e.left), self.value(e.comparators[0])])
        if isinstance(e, ast.BoolOp):
            return self.call(OPERATORS[type(e.op)], [self.value(v) for v in e.values])
        if isinstance(e, ast.UnaryOp):
            operand = self.value(e.operand)
            if isinstance(operand, Const) and isinstance(e.op, ast.USub):
                return Const(-operand.value, operand.dtype)
            return self.call("logical_not" if isinstance(e.op, ast.Not) else "negative", [operand])
        assert isinstance(e, ast.BinOp), ast.dump(e)
        return self.binary(OPERATORS[type(e.op)], self.value(e.left), self.value(e.right))

    def binary(self, name: str, a: Expr, b: Expr) -> Expr:
        forms = [IndexValue(Affine(int(x.value))) if isinstance(x, Const) and x.dtype == "int64" else x for x in (a, b)]
        if all(isinstance(f, IndexValue) for f in forms) and not all(isinstance(x, Const) for x in (a, b)):
            p, q = forms[0].form, forms[1].form  # type: ignore[attr-defined]
            if name in ("add", "subtract"):
                return IndexValue(p + q if name == "add" else p - q)
            if name == "multiply" and (p.is_const or q.is_const):
                return IndexValue(q * p.const if p.is_const else p * q.const)
        return self.call(name, [a, b])

    def call(self, name: str, args: list[Expr]) -> Expr:
        if name in DTYPES:
            return Op("cast", (args[0],), name)
        if name in TEST_RESULTS:
            return Op(name, tuple(args), "bool")
        operands = args[1:] if name == "where" else args
        kinds = [a.dtype for a in operands if not isinstance(a, Const)] or [a.dtype for a in operands]
        dtype = str(np.result_type(*kinds))
        if name in FLOAT_RESULTS and np.dtype(dtype).kind in "ib":
            dtype = "float64"
        if any(isinstance(a, Const) and a.dtype == "float64" for a in operands) and np.dtype(dtype).kind in "ib":
            dtype = "float64"
        fit = [Const(a.value, dtype) if isinstance(a, Const) and a.dtype != "bool" else a for a in operands]
        return Op(name, tuple(args[:1] + fit if name == "where" else fit), dtype)
