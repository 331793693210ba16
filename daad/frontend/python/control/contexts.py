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
from daad.frontend.python.syntax.made_nodes import assign, call, kept, load, located
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

    def made() -> list[ast.stmt] | None:
        body: list[ast.stmt] = node.body if len(node.items) == 1 else [ast.With(node.items[1:], node.body)]
        found = _statements(way, item, body, name)
        return None if found is None else located(found, node)

    statements = kept(node, way, made)
    if statements is None:
        raise unsupported.refusal(node, reader.stage.at)
    reader.scope.own |= {name}
    return reader.execute([*statements, *rest]) or Signal.END


def _way(reader: Reader, opened: ast.expr) -> str:
    """What kind of context it is."""
    function = reader.eval(opened.func) if isinstance(opened, ast.Call) else None
    made = reader.eval(opened) if function is None else None
    if function is contextlib.nullcontext:
        return "given"
    if any(function is one for one in LEFT_OUT) or isinstance(made, CLASSES):
        return "left out"
    if function is contextlib.suppress:
        return "suppressed"
    if isinstance(function, types.FunctionType) and function.__code__ is WRITTEN:
        return "generator"
    cls = function if isinstance(function, type) else type(made)
    enter, leave = getattr(cls, "__enter__", None), getattr(cls, "__exit__", None)
    are_written = isinstance(enter, types.FunctionType) and isinstance(leave, types.FunctionType)
    return "object" if are_written and not is_library(cls.__module__) else ""


def _statements(way: str, item: ast.withitem, body: list[ast.stmt], name: str) -> list[ast.stmt] | None:
    opened, target = item.context_expr, item.optional_vars
    context = load(name)
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
        value, end = call("next", context), call("next", context, ast.Constant(None))
        return _entered(ast.Call(function, opened.args, opened.keywords), value, end, target, body, name)
    if way == "object":
        value = call(ast.Attribute(context, "__enter__", ast.Load()))
        end = call(ast.Attribute(context, "__exit__", ast.Load()), *(ast.Constant(None) for _ in range(3)))
        return _entered(opened, value, end, target, body, name)
    return None


def _given(target: ast.expr | None, value: ast.expr) -> list[ast.stmt]:
    return [ast.Expr(value) if target is None else ast.Assign([target], value)]


def _entered(
    opened: ast.expr, value: ast.expr, end: ast.expr, target: ast.expr | None, body: list[ast.stmt], name: str
) -> list[ast.stmt]:
    return [assign(name, opened), *_given(target, value), ast.Try(body, [], [], [ast.Expr(end)])]
