"""`while` loops that count: they are `for` loops over a range, which may also end early.

while k < n:          for k in range(k, n, 2):      while k < n and err > tol:     for k of 3:4 in range(k, n, 1):
    work         →        work                          work                  →        k = k of 3:4
    k += 2                k += 2                        k += 1                         if not err > tol: break
                                                                                       work
                                                                                       k += 1
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daad.frontend.python.syntax.made_nodes import bound_in
from daad.ir.operations.python_operators import COMPARED
from daad.ir.symbols import Kind, symbol

FLIPPED = {kind: row.mirrored for kind, row in COMPARED.items() if row.mirrored is not kind}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
MODULES = ("np", "numpy", "math")
FUNCTIONS = ("abs", "float", "int", "len", "max", "min", "print", "range", "sum")


@dataclass(frozen=True)
class Count:
    """`name` goes from what it is to `bound`, which the loop does not change, in steps of `step`."""

    name: str
    bound: ast.expr
    step: int


class Counted(ast.NodeTransformer):
    """Writes such loops as `for`, within functions that give the counter an integer first."""

    def __init__(self) -> None:
        self.function: ast.FunctionDef | None = None
        self.integers: frozenset[str] | None = frozenset()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self.function, self.integers = (self.function, self.integers), node, None
        self.generic_visit(node)
        self.function, self.integers = before
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        if self.integers is None and self.function is not None:
            self.integers = _integers(self.function)
        integers = self.integers or frozenset()
        self.generic_visit(node)
        tests = (
            node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
        )
        for test in tests:
            count = _count(test, node.body)
            if count is not None and count.name in integers:
                made = _for(node, count, [other for other in tests if other is not test])
                return node if made is None else ast.fix_missing_locations(ast.copy_location(made, node))
        return node


def _integers(function: ast.FunctionDef) -> frozenset[str]:
    """The names that get nothing but integers in a function: constants, sums with constants."""
    if any(isinstance(n, ast.Nonlocal | ast.Global) for n in ast.walk(function)):
        return frozenset()
    stores = bound_in([function])
    starts = [name for node in ast.walk(function) if isinstance(node, ast.Assign) for name in _given_integers(node)]
    steps = [name for node in ast.walk(function) for name in _stepped(node)]
    return frozenset(name for name in starts if stores.count(name) == starts.count(name) + steps.count(name))


def _given_integers(node: ast.Assign) -> list[str]:
    """The names to which the statement gives constant integers."""
    found: list[str] = []
    for target in node.targets:
        pairs: list[tuple[ast.expr, ast.expr]] = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        found += [name.id for name, value in pairs if isinstance(name, ast.Name) and _integer(value) is not None]
    return found


def _integer(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _integer(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _stepped(node: ast.AST) -> list[str]:
    """The name to which the statement adds a constant integer."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and _step(node, node.target.id):
        return [node.target.id]
    return []


def _step(node: ast.stmt, name: str) -> int:
    """What the statement adds to the name; 0 if it is no such statement."""
    if not (isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name):
        return 0
    value = _integer(node.value) or 0
    return value if isinstance(node.op, ast.Add) else -value if isinstance(node.op, ast.Sub) else 0


def _count(test: ast.expr, body: Sequence[ast.stmt]) -> Count | None:
    """What the condition says of a counter."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, op, right = test.left, type(test.ops[0]), test.comparators[0]
    for name, order, bound in ((left, op, right), (right, FLIPPED.get(op, ast.Eq), left)):
        if isinstance(name, ast.Name) and order in FLIPPED:
            step = _step_of(name.id, bound, body)
            up = order in (ast.Lt, ast.LtE)
            if step and (step > 0) == up:
                return Count(name.id, bound if order in (ast.Lt, ast.Gt) else _beyond(bound, up), step)
    return None


def _step_of(name: str, bound: ast.expr, body: Sequence[ast.stmt]) -> int:
    """The step, once and always in each iteration, if the loop changes neither the bound nor the counter otherwise."""
    steps = [(k, _step(node, name)) for k, node in enumerate(body) if _step(node, name)]
    inner = [n for statement in body for n in ast.walk(statement)]
    stored = [n.id for n in inner if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    fixed = all(_is_plain(n) for n in _parts(bound, all(map(_changes_no_length, inner))))
    moves = {n.id for n in ast.walk(bound) if isinstance(n, ast.Name)} & set(stored)
    if len(steps) != 1 or stored.count(name) != 1 or not fixed or moves or any(isinstance(n, SCOPES) for n in inner):
        return 0
    place, step = steps[0]
    skips = any(isinstance(n, ast.Continue) for n in _jumps(body[:place]))
    return 0 if skips else step


def _parts(bound: ast.expr, lengths: bool) -> Iterator[ast.AST]:
    """What a bound is made of; lengths are taken as one where they stay."""
    if (
        lengths
        and isinstance(bound, ast.Call)
        and ast.unparse(bound.func) == "len"
        and isinstance(bound.args[0], ast.Name)
    ):
        yield bound.args[0]
        return
    yield bound
    for part in ast.iter_child_nodes(bound):
        yield from _parts(part, lengths) if isinstance(part, ast.expr) else ast.walk(part)


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, PLAIN) and type(getattr(node, "value", 0)) is not float


def _changes_no_length(node: ast.AST) -> bool:
    """Nothing but functions of numbers and arrays is called, and nothing is deleted."""
    if isinstance(node, ast.Delete):
        return False
    if not isinstance(node, ast.Call):
        return True
    owner, _, name = ast.unparse(node.func).rpartition(".")
    return owner in MODULES or (not owner and name in FUNCTIONS)


def _jumps(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """`break`, `continue` and `return` that leave an iteration of the loop with this body."""
    for node in body:
        if isinstance(node, ast.Break | ast.Continue | ast.Return):
            yield node
        inner = isinstance(node, ast.For | ast.While)
        for child in ("body", "orelse", "handlers", "finalbody"):
            found = _jumps(getattr(node, child, []))
            yield from (n for n in found if not inner or child == "orelse" or isinstance(n, ast.Return))


def _beyond(bound: ast.expr, up: bool) -> ast.expr:
    return ast.BinOp(bound, ast.Add() if up else ast.Sub(), ast.Constant(1))


def _for(node: ast.While, count: Count, others: Sequence[ast.expr]) -> ast.For | None:
    """The loop over a range; None where its `else` would have to tell how it ended."""
    start: ast.expr = ast.Name(count.name, ast.Load())
    steps = ast.Call(ast.Constant(range), [start, count.bound, ast.Constant(count.step)], [])  # type: ignore[arg-type]
    if not others and not any(True for _ in _jumps(node.body)):
        return ast.For(ast.Name(count.name, ast.Store()), steps, node.body, node.orelse)
    if node.orelse:
        return None
    own = symbol(Kind.HIDDEN, count.name, f"{node.lineno}:{node.col_offset}")
    first = ast.Assign([ast.Name(count.name, ast.Store())], ast.Name(own, ast.Load()))
    ends = [ast.If(ast.UnaryOp(ast.Not(), other), [ast.Break()], []) for other in others]
    for statement in (first, *ends):
        ast.copy_location(statement, node)
    return ast.For(ast.Name(own, ast.Store()), steps, [first, *ends, *node.body], [])
