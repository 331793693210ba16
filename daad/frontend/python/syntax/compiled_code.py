"""The code that Python has compiled from the text of a function that the program defines."""

from __future__ import annotations

import ast
import linecache
import types

from daad.frontend.python.syntax.made_nodes import kept
from daad.frontend.python.syntax.source import FunctionSource, codes_of, find_node, parse


def code_of(source: FunctionSource) -> types.CodeType | None:
    """What Python compiles from the function's text."""
    if source.function is not None:
        return source.function.__code__
    return kept(source.node, "code", lambda: _compiled(source))


def _compiled(source: FunctionSource) -> types.CodeType | None:
    """The code among all that is compiled from the file."""
    text = "".join(linecache.getlines(source.filename))
    try:
        module = parse(text)
    except SyntaxError:
        return None
    for code in codes_of(text):
        is_named = code.co_name == source.name and code.co_firstlineno <= source.node.lineno
        found = find_node(code, module) if is_named else None
        if found is not None and _place(found) == _place(source.node):
            return code.replace(co_filename=source.filename)
    return None


def _place(node: ast.AST) -> tuple[type, int, int]:
    return type(node), getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
