"""What a script's statements are, and which names they bind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def top_level_statements(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run, `if __name__ == "__main__":` opened up."""
    opened: list[ast.stmt] = []
    for statement in tree.body:
        opened += statement.body if _is_main_guard(statement) else [statement]  # type: ignore[attr-defined]
    return opened


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) in (
        "__name__ == '__main__'",
        "'__main__' == __name__",
    )


def nodes_of_scope(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes, without the insides of nested functions, classes and comprehensions."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for node in statements:
        yield node
        if not isinstance(node, inner):
            yield from nodes_of_scope(ast.iter_child_nodes(node))


def names_bound(statements: Iterable[ast.AST]) -> set[str]:
    """The names that are given a value in this scope; `*` for a star import."""
    bound: set[str] = set()
    for node in nodes_of_scope(statements):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                bound.add(node.id)
            case ast.FunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case ast.Import() | ast.ImportFrom():
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return bound
