"""`eval` and `exec` of a text that is known while the program is read: what it says is read at that place."""

from __future__ import annotations

import ast
import builtins
import textwrap
from typing import Any, NoReturn

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Scope
from daad.frontend.python.syntax.made_nodes import bound_in, kept
from daad.frontend.python.values.global_names import GlobalNames
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


def evaluated(reader: Reader, node: ast.Call, source: Any, globals: Any = None, locals: Any = None, /) -> Any:
    """`eval(source)`, and `eval(source, globals, locals)` with names out of dicts."""
    body = _body(reader, node, source, "eval")
    if globals is None and locals is None:
        return reader.eval(body)
    if not isinstance(globals, dict | GlobalNames) or not isinstance(locals, dict | None):
        refuse_forbidden(reader, node)
    bound = {*bound_in([body]), *(one.arg for one in ast.walk(body) if isinstance(one, ast.arg))}
    names = dict.fromkeys(one.id for one in ast.walk(body) if isinstance(one, ast.Name))
    found = {name: _found(reader, name, globals, locals, name in bound) for name in names}
    values = {name: value for name, value in found.items() if value is not MISSING}
    scope = Scope(source=reader.scope.source, own=frozenset(values), values=values)
    reader.frames.append(scope)
    try:
        return reader.eval(body)
    finally:
        reader.frames.pop()


def _found(reader: Reader, name: str, names: Any, own: Any, is_bound: bool) -> Any:
    """What a name stands for: in the locals, the globals, or Python's own; MISSING where the text itself binds it."""
    known = names["__builtins__"] if "__builtins__" in names else vars(builtins)
    for place in ({} if own is None else own, names, known if isinstance(known, dict) else vars(known)):
        if name in place:
            return reader.usable(reader.from_outside(place[name]))
    if is_bound:
        return MISSING
    text = f"name '{name}' is not defined"
    return reader.stage.refuse(f"This call fails: {text}.", "Put it into the dict of names.", NameError(text))


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
