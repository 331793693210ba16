"""`with`: contexts of NumPy and Python that change nothing about values are left out, those that the program writes are
entered and left as it says."""

from __future__ import annotations

import ast
import contextlib
import threading
import types
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend import library, unsupported
from daad.frontend.installed_code import is_library, is_of_library
from daad.frontend.python.control.exceptions import PASSED
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.reading.scope import own_nodes
from daad.frontend.python.syntax.made_nodes import assign, call, kept, load, located
from daad.frontend.python.syntax.source import function_source
from daad.frontend.python.values.plotting_packages import Picture
from daad.frontend.python.values.text_files import TextFile
from daad.frontend.python.values.written_files import is_tree, opens_path
from daad.ir.symbols import Kind, symbol

CLASSES = (
    *(np.errstate, warnings.catch_warnings, contextlib.redirect_stdout, contextlib.redirect_stderr),
    *(type(threading.Lock()), type(threading.RLock())),
)
LEFT_OUT: tuple[Any, ...] = (*CLASSES, np.printoptions)
WRITTEN = contextlib.contextmanager(iter).__code__
"""The code of functions that `contextlib.contextmanager` makes of generators."""


TRACE = object()
"""What `__exit__` gets for a traceback, of which nothing is known."""


@dataclass(frozen=True)
class Way:
    """What kind of context it is; `leave`: the program's function that is told how the body ends; `raises`: what
    becomes of the body's exceptions there, nothing where nobody would see it."""

    kind: str
    leave: Any = None
    raises: str = ""


def run_with(reader: Reader, node: ast.With, rest: Sequence[ast.stmt]) -> Signal | None:
    """The statement, as statements without contexts."""
    item = node.items[0]
    place = f"{item.context_expr.lineno}:{item.context_expr.col_offset}"
    names = [symbol(Kind.HIDDEN, one, place) for one in ("context", "entered", "has_raised", "raised")]
    way = _told(reader, _way(reader, item.context_expr))

    def made() -> list[ast.stmt] | None:
        body: list[ast.stmt] = node.body if len(node.items) == 1 else [ast.With(node.items[1:], node.body)]
        found = _statements(way, item, body, names)
        return None if found is None else located(found, node)

    statements = kept(node, f"{way.kind} {way.raises}", made)
    if statements is None:
        raise unsupported.refusal(node, reader.stage.at)
    reader.scope.own |= {*names}
    return reader.execute([*statements, *rest]) or Signal.END


def _way(reader: Reader, opened: ast.expr) -> Way:
    function = reader.eval(opened.func) if isinstance(opened, ast.Call) else None
    made = reader.eval(opened) if function is None else None
    if function is contextlib.nullcontext:
        return Way("given")
    if function is open or opens_path(function) or is_tree(function) or isinstance(made, TextFile | Picture):
        return Way("file")
    if function is warnings.catch_warnings and is_library(reader.scope.source.globals.get("__name__")):
        return Way("recorded")
    if any(function is one for one in LEFT_OUT) or isinstance(made, CLASSES):
        return Way("left out")
    if function is contextlib.suppress:
        return Way("suppressed")
    if isinstance(function, types.FunctionType) and function.__code__ is WRITTEN:
        return Way("generator", vars(function)["__wrapped__"])
    program = library.programs().get(function) if isinstance(function, Hashable) else None
    leaves = getattr(library.ALWAYS.get(program), "__exit__", None)
    if leaves is not None:
        return Way("object", leaves)
    cls = function if isinstance(function, type) else type(made)
    enter, leave = getattr(cls, "__enter__", None), getattr(cls, "__exit__", None)
    are_written = isinstance(enter, types.FunctionType) and isinstance(leave, types.FunctionType)
    is_read = not is_of_library(cls) or (cls.__module__ or "").partition(".")[0] == "scipy"
    return Way("object", leave) if are_written and is_read else Way("")


def _told(reader: Reader, way: Way) -> Way:
    """The same with what becomes of the body's exceptions."""
    if way.leave is None:
        return way
    if _may_suppress(way.kind, function_source(way.leave).node):
        return Way(way.kind, way.leave, "may end")
    return Way(way.kind, way.leave, "pass" if reader.attempts else "")


def _may_suppress(kind: str, node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether an exception may end there: a generator catches it, or `__exit__` gives what may be true."""
    if kind == "generator":
        around = (one for one in own_nodes(node) if getattr(one, "handlers", None) or is_context(one))
        return any(isinstance(inner, ast.Yield | ast.YieldFrom) for one in around for inner in ast.walk(one))
    returned = [one.value for one in own_nodes(node) if isinstance(one, ast.Return)]
    values = [node.body] if isinstance(node, ast.Lambda) else returned
    return not all(value is None or (isinstance(value, ast.Constant) and not value.value) for value in values)


def is_context(node: ast.AST) -> bool:
    """Whether a statement is a `with` of what may do something when it is left."""
    names = {one.__name__ for one in LEFT_OUT}
    opened = [item.context_expr for item in node.items] if isinstance(node, ast.With) else []
    return any(ast.unparse(o.func if isinstance(o, ast.Call) else o).split(".")[-1] not in names for o in opened)


def _statements(way: Way, item: ast.withitem, body: list[ast.stmt], names: Sequence[str]) -> list[ast.stmt] | None:
    opened, target = item.context_expr, item.optional_vars
    context, raised = load(names[0]), load(names[3])
    if way.kind == "left out" and target is None:
        return body
    if way.kind == "recorded":
        return [*_given(target, ast.List([], ast.Load())), *body]
    if way.kind == "file":
        return [*_given(target, opened), *body]
    if way.kind == "given" and isinstance(opened, ast.Call):
        value = opened.args[0] if opened.args else ast.Constant(None)
        return [*_given(target, value), *body]
    if way.kind == "suppressed" and target is None and isinstance(opened, ast.Call):
        handler = ast.ExceptHandler(ast.Tuple(opened.args, ast.Load()), None, [ast.Pass()])
        return [ast.Try(body, [handler], [], [])]
    if way.kind == "generator" and isinstance(opened, ast.Call):
        function = ast.Attribute(opened.func, "__wrapped__", ast.Load())
        made = ast.Call(function, opened.args, opened.keywords)
        value, end = call("next", context), call("next", context, ast.Constant(None))
        told = call(ast.Attribute(context, "ended_by", ast.Load()), raised)
        return _entered(way, names, (made, value, told, end), target, body)
    if way.kind == "object":
        value = call(ast.Attribute(context, "__enter__", ast.Load()))
        leave = ast.Attribute(context, "__exit__", ast.Load())
        end = call(leave, *(ast.Constant(None) for _ in range(3)))
        told = call(leave, ast.Attribute(raised, "__class__", ast.Load()), raised, ast.Constant(TRACE))  # type: ignore[arg-type]
        return _entered(way, names, (opened, value, told, end), target, body)
    return None


def _given(target: ast.expr | None, value: ast.expr) -> list[ast.stmt]:
    return [ast.Expr(value) if target is None else ast.Assign([target], value)]


def _entered(
    way: Way,
    names: Sequence[str],
    calls: tuple[ast.expr, ast.expr, ast.expr, ast.expr],
    target: ast.expr | None,
    body: list[ast.stmt],
) -> list[ast.stmt]:
    """The translation that Python's reference gives; shorter where nobody sees the body's exceptions."""
    context, entered, has_raised, raised = names
    made, value, told, end = calls
    if not way.raises:
        return [assign(context, made), *_given(target, value), ast.Try(body, [], [], [ast.Expr(end)])]
    again = ast.If(ast.UnaryOp(ast.Not(), told), [ast.Raise(None, None)], [])
    kinds = ast.Constant(PASSED) if way.raises == "pass" else None  # type: ignore[arg-type]
    handler = ast.ExceptHandler(kinds, raised, [assign(has_raised, ast.Constant(True)), again])
    bound = [] if target is None else [ast.Assign([target], load(entered))]
    watched = ast.Try([*bound, *body], [handler], [], [])
    last = ast.If(ast.UnaryOp(ast.Not(), load(has_raised)), [ast.Expr(end)], [])
    before = [assign(context, made), assign(entered, value), assign(has_raised, ast.Constant(False))]
    return [*before, ast.Try([watched], [], [], [last])]
