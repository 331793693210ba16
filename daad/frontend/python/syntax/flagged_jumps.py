"""`continue` inside a `try` with handlers, which must not catch what the rest of the loop raises: a flag goes there.

try:                             skipped = False
    if found: continue           try:
    work              →              if found: skipped = True
except E: …                          if not skipped: work
more                             except E: …
                                 if skipped: continue
                                 more
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from daad.frontend.python.syntax.made_nodes import SCOPES, assign, kept, load, located
from daad.ir.symbols import Kind, symbol

LOOPS = (ast.For, ast.While)
BLOCKS = ("body", "orelse", "finalbody")


def with_flag(node: ast.Try) -> tuple[list[ast.stmt], str] | None:
    """The statements that stand for it, the same ones whenever the program is read, and the flag's name; None where it
    has no `continue` of the loop around."""
    name = symbol(Kind.FLAG, "skipped", f"{node.lineno}:{node.col_offset}")

    def made() -> list[ast.stmt] | None:
        if not _continues(node):
            return None
        behind = ast.If(load(name), [ast.Continue()], [])
        return located([assign(name, ast.Constant(False)), _flagged(node, name), behind], node)

    statements = kept(node, "flagged", made)
    return None if statements is None else (statements, name)


def _continues(node: ast.AST) -> bool:
    """Whether a `continue` in a statement goes on with the loop around it."""
    if isinstance(node, ast.Continue):
        return True
    if isinstance(node, LOOPS):
        return any(map(_continues, node.orelse))
    return not isinstance(node, SCOPES) and any(map(_continues, ast.iter_child_nodes(node)))


def _flagged(node: ast.AST, name: str) -> ast.stmt:
    """The statement with its jumps replaced, and what they leave out in its blocks."""
    new = copy.copy(node)
    new.__dict__.pop("kept", None)
    for field in BLOCKS:
        if block := getattr(node, field, None):
            setattr(new, field, block if field == "body" and isinstance(node, LOOPS) else _block(block, name))
    for field in ("handlers", "cases"):
        if parts := getattr(node, field, None):
            setattr(new, field, [_flagged(part, name) for part in parts])
    if isinstance(new, ast.Try) and new.orelse:
        new.orelse = [_unless(name, new.orelse, node)]
    return new  # type: ignore[return-value]


def _block(body: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    for number, statement in enumerate(body):
        if _continues(statement):
            is_jump = isinstance(statement, ast.Continue)
            first = assign(name, ast.Constant(True)) if is_jump else _flagged(statement, name)
            rest = [] if is_jump else body[number + 1 :]
            behind = [_unless(name, _block(rest, name), statement)] if rest else []
            return [*body[:number], *located([first], statement), *behind]
    return list(body)


def _unless(name: str, body: Sequence[ast.stmt], like: ast.AST) -> ast.stmt:
    (made,) = located([ast.If(ast.UnaryOp(ast.Not(), load(name)), [*body], [])], like)
    return made
