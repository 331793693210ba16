"""A script's top level as a function: from the moment the inputs exist to the last change of the output."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.cli.script.bindings import names_bound, nodes_of_scope, top_level_statements
from daad.cli.script.definitions import resolver
from daad.cli.script.effects import names_changed, with_aliases
from daad.cli.script.running import Script, execute
from daad.cli.script.synthesis import TopLevel, function_node, live_function
from daad.errors import BadArgument, Location, NotDifferentiable, Unsupported
from daad.messages.suggestions import listed, suggest


def top_level_function(
    script: Script, wrt: Sequence[str], of: Sequence[str], namespace: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Run the script up to the moment; the function that the rest is, and the values of its parameters then."""
    statements = top_level_statements(script.tree)
    known = names_bound(statements)
    for name in (*wrt, *of):
        if name not in known and "*" not in known:
            raise BadArgument(f"'{script.shown}' has no variable '{name}'.", hint=suggest(name, variables_of(script)))
    top_level = run_to_moment(script, statements, wrt, namespace)
    node = function_node(top_level, program_between(top_level, of), wrt, of)
    values = tuple(namespace[argument.arg] for argument in node.args.args)
    return live_function(node, script.path, namespace), values


def variables_of(script: Script) -> set[str]:
    """The names that the top level assigns."""
    nodes = nodes_of_scope(top_level_statements(script.tree))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _is_print(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
    return False


def run_to_moment(
    script: Script, statements: Sequence[ast.stmt], wrt: Sequence[str], namespace: dict[str, Any]
) -> TopLevel:
    """Run statement by statement until every input is bound to numbers that have a derivative."""
    future = [node for node in statements if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    for position, statement in enumerate(statements, start=1):
        goes_on = execute(ast.Module([*future, statement], []), script.path, namespace)
        if all(is_differentiable(namespace.get(name)) for name in wrt):
            return TopLevel(script, namespace, statements[:position], statements[position:])
        if not goes_on:
            break
    unbound = [name for name in wrt if name not in namespace]
    if unbound:
        message = f"The script ended before '{unbound[0]}' was assigned."
        raise BadArgument(message, hint="Check the name, and the arguments of the script.")
    wrong = next(name for name in wrt if not is_differentiable(namespace[name]))
    floats = sorted(name for name in variables_of(script) if is_differentiable(namespace.get(name)))
    raise NotDifferentiable(
        f"'{wrong}' is of type '{type_name(namespace[wrong])}', expected floating-point numbers.",
        hint=f"Only floats and arrays of floats have a gradient{f': {listed(floats)}' if floats else ''}.",
    )


def is_differentiable(value: Any) -> bool:
    """Whether the value is a float or an array of floats (complex ones included)."""
    if isinstance(value, (np.ndarray, np.generic)):
        return bool(np.issubdtype(value.dtype, np.inexact))
    return isinstance(value, (float, complex))


def type_name(value: Any) -> str:
    """`int64[100]` for an array, else the name of the Python type."""
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else type(value).__name__


def program_between(top_level: TopLevel, of: Sequence[str]) -> list[ast.stmt]:
    """The statements up to the last one that changes an output."""
    resolve = resolver(top_level.namespace, top_level.rest, top_level.directory)
    shared = with_aliases(set(of), [*top_level.before, *top_level.rest])
    changing = [
        position
        for position, statement in enumerate(top_level.rest, start=1)
        if names_bound([statement]) & set(of) or names_changed([statement], resolve) & shared
    ]
    if not changing:
        raise BadArgument(
            f"'{of[0]}' is not assigned after the variables of --wrt.",
            hint="From the moment these are bound, its value does not depend on them.",
        )
    body = [s for s in top_level.rest[: changing[-1]] if not (_is_print(s) and not names_changed([s], resolve))]
    for node in nodes_of_scope(body):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            raise Unsupported(
                "A star import cannot stand between the inputs and the output.",
                at=Location.of(node, top_level.script.path),
                hint="Move it to the top of the script.",
            )
    return body
