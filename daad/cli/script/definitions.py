"""Where a called function is defined: in the script, in a module beside it, already live or not yet."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daad.cli.script.bindings import nodes_of_scope
from daad.errors import DaadError
from daad.frontend.python.syntax.source import function_source, parse


@dataclass(frozen=True)
class Definition:
    """A function, and how to find the functions that it calls."""

    node: ast.FunctionDef
    resolve: Resolver


Resolver = Callable[[ast.expr], Definition | None]


def resolver(namespace: Mapping[str, Any], later: Sequence[ast.stmt], directory: str) -> Resolver:
    """Finds the definition of a called function of the script, or of a module that lies beside it."""

    def resolve(node: ast.expr) -> Definition | None:
        return defined.get(ast.unparse(node)) or definition(live_value(node, namespace), directory)

    defined = dict(_defined_in(later, directory, resolve))
    return resolve


def _defined_in(statements: Sequence[ast.stmt], directory: str, resolve: Resolver) -> Iterator[tuple[str, Definition]]:
    """Functions by the text of their call, for definitions and imports that have not run yet."""
    for node in nodes_of_scope(statements):
        match node:
            case ast.FunctionDef():
                yield node.name, Definition(node, resolve)
            case ast.ImportFrom(module=str() as module):
                found = module_functions(module, directory)
                yield from ((a.asname or a.name, found[a.name]) for a in node.names if a.name in found)
            case ast.Import():
                for alias in node.names:
                    found = module_functions(alias.name, directory)
                    yield from ((f"{alias.asname or alias.name}.{name}", found[name]) for name in found)


def module_functions(module: str, directory: str) -> dict[str, Definition]:
    """The functions of a module that lies beside the script."""
    path = os.path.join(directory, *module.split(".")) + ".py"
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        statements = parse(file.read()).body
    functions = [node for node in statements if isinstance(node, ast.FunctionDef)]
    resolve = resolver({}, functions, directory)
    return {node.name: Definition(node, resolve) for node in functions}


def live_value(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """What a name or a dotted name stands for now, or None."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(live_value(node.value, namespace), node.attr, None)
    return None


def definition(value: Any, directory: str) -> Definition | None:
    """The definition of a live function that stands in a file under `directory`."""
    if not callable(value) or isinstance(value, type):
        return None
    try:
        source = function_source(value)
    except DaadError:
        return None
    beside = os.path.realpath(source.filename).startswith(os.path.realpath(directory) + os.sep)
    if not beside or not isinstance(source.node, ast.FunctionDef):
        return None
    return Definition(source.node, resolver({**source.globals, **source.closure}, [], directory))
