"""`try: … finally: …` without the `try`: what comes last stands behind the block and before each way out of it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.frontend.python.syntax.made_nodes import SCOPES, assign, kept, load, located
from daad.ir.symbols import Kind, symbol

LOOPS = (ast.For, ast.While)
WAITING = "daad_waiting"
"""Of a jump: what has to be done before it, but after what an inner `try` does last."""


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
        return located([*_ending(node.body, _Final([last], name)), last], node)

    return kept(node, "unwound", made), name


@dataclass(frozen=True)
class _Final:
    """What comes last, and the name of what is returned; `in_loop`: breaks stay within the block; `within`: the block
    of another `try` is left first, whose own last statements go before these."""

    body: list[ast.stmt]
    name: str
    in_loop: bool = False
    within: bool = False

    def before(self, jump: ast.stmt, old: ast.stmt) -> list[ast.stmt]:
        """The jump in place of an old one, with what has to be done before it."""
        last = [*copy.deepcopy(self.body), *getattr(old, WAITING, ())]
        if not self.within:
            return [*last, jump]
        setattr(jump, WAITING, last)
        return [jump]


def _ending(body: Sequence[ast.stmt], final: _Final) -> list[ast.stmt]:
    return [new for old in body for new in _of_statement(old, final)]


def _of_statement(old: ast.stmt, final: _Final) -> list[ast.stmt]:
    if isinstance(old, ast.Return):
        value = assign(final.name, old.value or ast.Constant(None))
        return located([value, *final.before(ast.Return(load(final.name)), old)], old)
    if isinstance(old, ast.Break | ast.Continue):
        return [old] if final.in_loop else final.before(copy.copy(old), old)
    if isinstance(old, SCOPES):
        return [old]
    return [_with_inner(_apart(old), final)]


def _apart(old: ast.stmt) -> ast.stmt:
    """A `try` that has both handlers and what comes last, as two."""
    if not (isinstance(old, ast.Try) and old.handlers and old.finalbody):
        return old
    inner = ast.Try(old.body, old.handlers, old.orelse, [])
    return ast.copy_location(ast.Try([ast.copy_location(inner, old)], [], [], old.finalbody), old)


def _with_inner(old: ast.stmt, final: _Final) -> ast.stmt:
    """A statement whose own blocks end so."""
    new = copy.copy(old)
    for field in ("body", "orelse", "finalbody"):
        if inner := getattr(old, field, None):
            is_repeated = field == "body" and isinstance(old, LOOPS)
            is_tried = field != "finalbody" and isinstance(old, ast.Try) and bool(old.finalbody)
            there = replace(final, in_loop=final.in_loop or is_repeated, within=final.within or is_tried)
            setattr(new, field, _ending(inner, there))
    for field in ("handlers", "cases"):
        if parts := getattr(old, field, None):
            setattr(new, field, [_with_body(part, _ending(part.body, final)) for part in parts])
    return new


def _with_body(part: ast.AST, body: list[ast.stmt]) -> ast.AST:
    new: ast.AST = copy.copy(part)
    new.body = body  # type: ignore[attr-defined]
    return new
