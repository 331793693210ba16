"""`try: … finally: …` without the `try`: what comes last stands behind the block and before each way out of it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from daad.frontend.python.syntax.made_nodes import SCOPES, assign, kept, load, located
from daad.ir.symbols import Kind, symbol

LOOPS = (ast.For, ast.While)


class Behind(ast.stmt):
    """What stands behind the body of a `try`, in one statement: an exception there is none of the `try`'s; `name` is
    the one that `unwound` gives."""

    _fields = ("body",)
    body: Sequence[ast.stmt]
    name: str


def behind(node: ast.Try, rest: Sequence[ast.stmt]) -> Behind:
    """What comes last, or the rest of the block that the `try` stands in."""
    made = Behind()
    made.body, made.name = rest, _name(node)
    return ast.copy_location(made, node)


def _name(node: ast.Try) -> str:
    return symbol(Kind.HIDDEN, "returned", f"{node.lineno}:{node.col_offset}")


def unwound(node: ast.Try) -> tuple[list[ast.stmt], str]:
    """The statements that stand for one without handlers, the same ones whenever the program is read, and the name
    that they give to what is returned."""
    name = _name(node)

    def made() -> list[ast.stmt]:
        last = behind(node, node.finalbody)
        return located([*_ending(node.body, [last], name), last], node)

    return kept(node, "unwound", made), name


def _ending(body: Sequence[ast.stmt], final: list[ast.stmt], name: str, in_loop: bool = False) -> list[ast.stmt]:
    return [new for old in body for new in _of_statement(old, final, name, in_loop)]


def _of_statement(old: ast.stmt, final: list[ast.stmt], name: str, in_loop: bool) -> list[ast.stmt]:
    if isinstance(old, ast.Return):
        value = assign(name, old.value or ast.Constant(None))
        return located([value, *copy.deepcopy(final), ast.Return(load(name))], old)
    if isinstance(old, ast.Break | ast.Continue):
        return [old] if in_loop else [*copy.deepcopy(final), old]
    if isinstance(old, SCOPES):
        return [old]
    return [_with_inner(old, final, name, in_loop)]


def _with_inner(old: ast.stmt, final: list[ast.stmt], name: str, in_loop: bool) -> ast.stmt:
    """A statement whose own blocks end so."""
    new = copy.copy(old)
    for field in ("body", "orelse", "finalbody"):
        if inner := getattr(old, field, None):
            is_repeated = field == "body" and isinstance(old, LOOPS)
            setattr(new, field, _ending(inner, final, name, in_loop or is_repeated))
    for field in ("handlers", "cases"):
        if parts := getattr(old, field, None):
            setattr(new, field, [_with_body(part, _ending(part.body, final, name, in_loop)) for part in parts])
    return new


def _with_body(part: ast.AST, body: list[ast.stmt]) -> ast.AST:
    new: ast.AST = copy.copy(part)
    new.body = body  # type: ignore[attr-defined]
    return new
