"""`eval` and `exec` of a text that is known while the program is read: what it says is read at that place."""

from __future__ import annotations

import ast
import textwrap
from typing import Any, NoReturn

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.syntax.made_nodes import bound_in, kept
from daad.ir.affine import Affine

STATEMENTS = (ast.Expr, ast.Assign, ast.AugAssign)


def refuse_forbidden(reader: Reader, node: ast.Call) -> NoReturn:
    """A function that looks at the program, or at more than it."""
    reader.stage.refuse(f"'{ast.unparse(node.func)}' cannot be differentiated.", "Do it outside of the function.")


def _parsed(node: ast.Call, text: str, mode: str) -> Any:
    """The tree of a text, all of it at the place of the call."""
    tree = ast.parse(textwrap.dedent(text) if mode == "exec" else text.strip(), mode=mode)
    for one in ast.walk(tree):
        ast.copy_location(one, node)
    return tree.body  # type: ignore[attr-defined]


def _body(reader: Reader, node: ast.Call, text: Any, mode: str) -> Any:
    if not isinstance(text, str):
        refuse_forbidden(reader, node)
    try:
        return kept(node, f"{mode} {text}", lambda: _parsed(node, text, mode))
    except SyntaxError as error:
        reader.stage.refuse(f"This call fails: SyntaxError: {error.msg}.", "Check the text.", error)


def evaluated(reader: Reader, node: ast.Call, source: Any, *scopes: Any) -> Any:
    """`eval(source)`."""
    if scopes:
        refuse_forbidden(reader, node)
    return reader.eval(_body(reader, node, source, "eval"))


def executed(reader: Reader, node: ast.Call, source: Any, *scopes: Any) -> None:
    """`exec(source)` of statements that bind no names: those that a function's `exec` binds are lost."""
    statements = _body(reader, node, source, "exec")
    if scopes or not all(isinstance(one, STATEMENTS) for one in statements) or bound_in(statements):
        refuse_forbidden(reader, node)
    if reader.stage.loop_variables:
        variable = Affine.of(reader.stage.loop_variables[0])
        raise reader.stage.unroll(variable, "What 'exec' changes may differ from iteration to iteration.")
    if len(reader.stage.blocks) > 1:
        refuse_forbidden(reader, node)
    reader.execute(statements)
