"""`with`: contexts of NumPy and Python that change nothing about values are left out, those that the program writes are
entered and left as it says."""

from __future__ import annotations

import ast
import contextlib
import types
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.frontend import unsupported
from daad.frontend.installed_code import is_library
from daad.frontend.python.reading.reader import Reader, Signal
from daad.ir.symbols import Kind, symbol

CLASSES = (np.errstate, warnings.catch_warnings, contextlib.redirect_stdout, contextlib.redirect_stderr)
LEFT_OUT: tuple[Any, ...] = (*CLASSES, np.printoptions)
WRITTEN = contextlib.contextmanager(iter).__code__
"""The code of functions that `contextlib.contextmanager` makes of generators."""


def run_with(reader: Reader, node: ast.With, rest: Sequence[ast.stmt]) -> Signal | None:
    """The statement, as statements without contexts."""
    item = node.items[0]
    name = symbol(Kind.HIDDEN, "context", f"{item.context_expr.lineno}:{item.context_expr.col_offset}")
    way = _way(reader, item.context_expr)
    made = _known(node).get(way)
    if made is None:
        body: list[ast.stmt] = node.body if len(node.items) == 1 else [ast.With(node.items[1:], node.body)]
        found = _statements(way, item, body, name)
        if found is None:
            raise unsupported.refusal(node, reader.stage.at)
        made = [ast.fix_missing_locations(ast.copy_location(one, node)) for one in found]
        _known(node)[way] = made
    reader.scope.own |= {name}
    return reader.execute([*made, *rest]) or Signal.CONTINUE


def _known(node: ast.With) -> dict[str, list[ast.stmt]]:
    """The statements by the way to go, the same ones whenever the program is read."""
    if not hasattr(node, "as_statements"):
        node.as_statements = {}  # type: ignore[attr-defined]
    found: dict[str, list[ast.stmt]] = node.as_statements  # type: ignore[attr-defined]
    return found


def _way(reader: Reader, opened: ast.expr) -> str:
    """What kind of context it is."""
    function = reader.eval(opened.func) if isinstance(opened, ast.Call) else None
    made = reader.eval(opened) if function is None else None
    if function is contextlib.nullcontext:
        return "given"
    if _is_one_of(function, LEFT_OUT) or isinstance(made, CLASSES):
        return "left out"
    if function is contextlib.suppress:
        return "suppressed"
    if isinstance(function, types.FunctionType) and function.__code__ is WRITTEN:
        return "generator"
    cls = function if isinstance(function, type) else type(made)
    enter, leave = getattr(cls, "__enter__", None), getattr(cls, "__exit__", None)
    are_written = isinstance(enter, types.FunctionType) and isinstance(leave, types.FunctionType)
    return "object" if are_written and not is_library(cls.__module__) else ""


def _is_one_of(function: Any, kinds: tuple[Any, ...]) -> bool:
    return any(function is kind for kind in kinds)


def _statements(way: str, item: ast.withitem, body: list[ast.stmt], name: str) -> list[ast.stmt] | None:
    opened, target = item.context_expr, item.optional_vars
    context = ast.Name(name, ast.Load())
    if way == "left out" and target is None:
        return body
    if way == "given" and isinstance(opened, ast.Call):
        value = opened.args[0] if opened.args else ast.Constant(None)
        return [*_given(target, value), *body]
    if way == "suppressed" and target is None and isinstance(opened, ast.Call):
        handler = ast.ExceptHandler(ast.Tuple(opened.args, ast.Load()), None, [ast.Pass()])
        return [ast.Try(body, [handler], [], [])]
    if way == "generator" and isinstance(opened, ast.Call):
        function = ast.Attribute(opened.func, "__wrapped__", ast.Load())
        value = ast.Call(ast.Name("next", ast.Load()), [context], [])
        end = ast.Call(ast.Name("next", ast.Load()), [context, ast.Constant(None)], [])
        return _entered(ast.Call(function, opened.args, opened.keywords), value, end, target, body, name)
    if way == "object":
        value = ast.Call(ast.Attribute(context, "__enter__", ast.Load()), [], [])
        nothing = [ast.Constant(None) for _ in range(3)]
        end = ast.Call(ast.Attribute(context, "__exit__", ast.Load()), [*nothing], [])
        return _entered(opened, value, end, target, body, name)
    return None


def _given(target: ast.expr | None, value: ast.expr) -> list[ast.stmt]:
    return [ast.Expr(value) if target is None else ast.Assign([target], value)]


def _entered(
    opened: ast.expr, value: ast.expr, end: ast.expr, target: ast.expr | None, body: list[ast.stmt], name: str
) -> list[ast.stmt]:
    first = ast.Assign([ast.Name(name, ast.Store())], opened)
    return [first, *_given(target, value), ast.Try(body, [], [], [ast.Expr(end)])]
