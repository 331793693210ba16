"""Statements of a script's top level as a function; the script's functions that share its variables move inside."""

from __future__ import annotations

import ast
import copy
import os
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.cli.script.bindings import names_bound
from daad.cli.script.definitions import definition
from daad.cli.script.running import Script
from daad.errors import Location, Unsupported
from daad.frontend.python.syntax.source import SOURCE_ATTRIBUTE, FunctionSource


@dataclass(frozen=True)
class TopLevel:
    """The script at the moment when all inputs are bound: all names so far, and the statements still to come."""

    script: Script
    namespace: dict[str, Any]
    before: Sequence[ast.stmt]
    rest: Sequence[ast.stmt]

    @property
    def directory(self) -> str:
        return os.path.dirname(self.script.path)


def function_node(top_level: TopLevel, body: list[ast.stmt], wrt: Sequence[str], of: Sequence[str]) -> ast.FunctionDef:
    """`def <script>(<inputs>): <body>; return <of>`, every node at its true place in the script."""
    nested = functions_used(top_level, body)
    local = names_bound(body) | {name for node in (*body, *nested) for name in _declared_global(node)}
    mentioned = {node.id for s in (*body, *nested) for node in ast.walk(s) if isinstance(node, ast.Name)}
    state = {
        name
        for name in (mentioned | set(of)) & set(top_level.namespace)
        if name in local or holds_arrays(top_level.namespace[name])
    }
    parameters = [*wrt, *sorted(state - set(wrt) - {node.name for node in nested})]
    variables = {*parameters, *local}
    _refuse_hidden(top_level, mentioned, variables, nested)
    bound = {*parameters, *names_bound(body)}
    touched = [_with_nonlocal(undecorated(node), bound) for node in touching(nested, variables)]
    shared = [_with_nonlocal(statement, bound) for statement in body]
    node = ast.FunctionDef(
        name=function_name(top_level.script),
        args=ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, []),
        body=[*touched, *shared, _return(of, body[-1])],
        decorator_list=[],
    )
    return ast.fix_missing_locations(ast.copy_location(node, body[0]))


def function_name(script: Script) -> str:
    """The script's name as an identifier."""
    stem = os.path.basename(script.path).removesuffix(".py")
    name = "".join(c if c.isalnum() else "_" for c in stem)
    return f"_{name}" if not name.isidentifier() else name


def _return(of: Sequence[str], last: ast.stmt) -> ast.stmt:
    statement = ast.parse(f"return {', '.join(of)}").body[0]
    for node in ast.walk(statement):
        ast.copy_location(node, last)
    return statement


def functions_used(top_level: TopLevel, body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """The script's own functions that exist at the moment and that the body reaches, in the order of the script."""
    found: dict[str, ast.FunctionDef] = {}
    waiting: list[ast.AST] = list(body)
    while waiting:
        for name in _names(waiting.pop()) - set(found):
            node = _own_definition(top_level, name)
            if node is not None:
                found[name] = node
                waiting.append(node)
    return sorted(found.values(), key=lambda node: node.lineno)


def _own_definition(top_level: TopLevel, name: str) -> ast.FunctionDef | None:
    value = top_level.namespace.get(name)
    found = definition(value, top_level.directory)
    own = found is not None and found.node.name == name and getattr(value, "__module__", None) == "__main__"
    return found.node if found is not None and own else None


def touching(functions: Sequence[ast.FunctionDef], variables: set[str]) -> list[ast.FunctionDef]:
    """The functions that mention one of the variables as a global, or a function that does."""
    free = {node.name: _names(node) - _own_names(node) for node in functions}
    touched: set[str] = set()
    before = -1
    while len(touched) != before:
        before = len(touched)
        touched |= {name for name, names in free.items() if names & (variables | touched)}
    return [node for node in functions if node.name in touched]


def _refuse_hidden(
    top_level: TopLevel, mentioned: set[str], variables: set[str], nested: Sequence[ast.FunctionDef]
) -> None:
    """A lambda, method or decorated function that reads a variable would see the value it had at the moment."""
    plain = {node.lineno for node in nested}
    for statement in top_level.before:
        if not names_bound([statement]) & mentioned:
            continue
        for node in ast.walk(statement):
            if not isinstance(node, (ast.FunctionDef, ast.Lambda)) or node.lineno in plain:
                continue
            read = sorted((_names(node) - _own_names(node)) & variables)
            if read:
                raise Unsupported(
                    f"'{read[0]}' changes in the program, but is read here from outside.",
                    at=Location.of(node, top_level.script.path),
                    hint=f"Make it a plain function, or give it '{read[0]}' as a parameter.",
                )


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _own_names(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    body = node.body if isinstance(node.body, list) else []
    return (arguments | names_bound(body)) - set(_declared_global(node))


def _declared_global(node: ast.AST) -> list[str]:
    return [name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names]


def undecorated(node: ast.FunctionDef) -> ast.FunctionDef:
    """Decorators were looked through already."""
    node = copy.copy(node)
    node.decorator_list = []
    return node


def _with_nonlocal(statement: ast.stmt, local: set[str]) -> ast.stmt:
    """A copy in which functions' `global` names are the enclosing function's."""
    statement = copy.deepcopy(statement)
    for inner in ast.walk(statement):
        for field, value in ast.iter_fields(inner):
            if isinstance(value, list):
                setattr(inner, field, [_nonlocal(item, local) for item in value])
    return statement


def _nonlocal(item: Any, local: set[str]) -> Any:
    if not isinstance(item, ast.Global) or not set(item.names) <= local:
        return item
    return ast.copy_location(ast.Nonlocal(item.names), item)


def live_function(node: ast.FunctionDef, filename: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """An ordinary function that NumPy runs, and that knows its own tree."""
    scope: dict[str, Any] = {}
    exec(compile(ast.Module([node], []), filename, "exec", dont_inherit=True), namespace, scope)
    function: types.FunctionType = scope[node.name]
    source = FunctionSource(
        node=node, filename=filename, globals=namespace, closure={}, defaults=(), kwdefaults={}, name=node.name
    )
    setattr(function, SOURCE_ATTRIBUTE, source)
    return function


def holds_arrays(value: Any) -> bool:
    """Whether the value is an array, or a list, tuple or dict with one inside."""
    if isinstance(value, dict):
        return any(map(holds_arrays, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(holds_arrays, value))
    return isinstance(value, np.ndarray)
