"""Generators, `zip`, `map` and their like give their items once; here they are lists, so a name of one is read once."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator, Sequence

from daad.frontend.python.reader import Reader

GIVE_ONCE = (builtins.zip, builtins.map, builtins.filter, builtins.enumerate, builtins.reversed, builtins.iter)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
AGAIN = (ast.For, ast.While, ast.FunctionDef, ast.Lambda, *COMPREHENSIONS)


def require_read_once(reader: Reader, node: ast.Assign, rest: Sequence[ast.stmt]) -> None:
    """Refuses a name for an iterator unless the statements behind read it just once."""
    if not gives_once(reader, node.value):
        return
    for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
        if [often for statement in rest for often in _reads(statement, name, False)] != [False]:
            reader.stage.refuse(
                "The items of this iterator are gone once they have been read, and it has a name.",
                "Make it a list, 'list(...)', or write it where it is used.",
            )


def gives_once(reader: Reader, value: ast.expr) -> bool:
    """Whether an expression makes an iterator."""
    if isinstance(value, ast.GeneratorExp):
        return True
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        function = reader.eval(value.func)
        return any(function is one for one in GIVE_ONCE) or getattr(function, "__module__", "") == "itertools"
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    return isinstance(owner, ast.Name) and reader.eval(owner) is itertools


def _reads(node: ast.AST, name: str, often: bool) -> Iterator[bool]:
    """For each place that reads a name, whether that may happen more than once."""
    if isinstance(node, ast.Name):
        if node.id == name and isinstance(node.ctx, ast.Load):
            yield often
        return
    once: list[ast.AST] = [node.iter, *node.orelse] if isinstance(node, ast.For) else []
    once += [node.generators[0].iter] if isinstance(node, COMPREHENSIONS) else []
    for part in (part for child in ast.iter_child_nodes(node) for part in _parts(child, once)):
        is_once = any(part is one for one in once)
        yield from _reads(part, name, often or (isinstance(node, AGAIN) and not is_once))


def _parts(node: ast.AST, once: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The node, or the parts of a comprehension's clause whose sequence is read once."""
    whole = not isinstance(node, ast.comprehension) or not any(node.iter is one for one in once)
    return iter((node,)) if whole else ast.iter_child_nodes(node)
