"""Functions of which the result depends on the arguments alone, as far as their text tells.

Nothing is looked up that may change between two calls, nothing is done that anybody sees but by the result.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.frontend.python.reading.scope import declared
from daad.frontend.python.syntax.source import FunctionSource, function_source
from daad.frontend.python.values.objects import is_generated
from daad.frontend.staging.container_items import CHANGING

LIBRARIES = frozenset({"numpy", "math", "cmath", "scipy", "operator"})
"""Modules of which functions and constants may be asked for."""
BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bool", "divmod", "enumerate", "float", "int", "len", "list", "max", "min", "pow"),
        *("range", "reversed", "round", "sorted", "sum", "tuple", "zip", "True", "False", "None"),
        *("ArithmeticError", "AssertionError", "ValueError", "TypeError", "ZeroDivisionError"),
    )
)
SEEN = frozenset(
    (
        *("random", "base", "flags", "ctypes", "data", "strides", "setflags", "resize", "as_strided"),
        *("shares_memory", "may_share_memory", "errstate", "seterr", "save", "load", "tofile", "dump", "print"),
    )
)
"""Attributes that tell more of an array than its elements, or do more than to compute something."""
UNKNOWN = object()
PLAIN = (bool, int, float, str, type(None))
CONSTANT = (bool, int, float, complex, str, bytes, type(None), np.generic, np.ndarray, np.dtype, np.ufunc)
SIMPLE = (
    *(ast.arguments, ast.arg, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Constant),
    *(ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.Expr, ast.Pass, ast.Raise, ast.Assert),
    *(
        ast.Break,
        ast.Continue,
        ast.JoinedStr,
        ast.FormattedValue,
        ast.BoolOp,
        ast.BinOp,
        ast.UnaryOp,
        ast.IfExp,
        ast.Compare,
        ast.Call,
    ),
    *(ast.keyword, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Name, ast.Attribute, ast.Starred),
)
"""What such a function may consist of."""


def is_pure(source: FunctionSource, assigned: Mapping[tuple[int, str], Any]) -> bool:
    """Whether it is such a function; `assigned` are global names that functions assign, by where they stand."""
    seen, todo = {id(source.node)}, [source]
    while todo:
        one = todo.pop()
        facts = _facts(one.node)
        given = (*one.defaults, *one.kwdefaults.values())
        if facts is None or one.receiver or one.closure or not all(type(value) in PLAIN for value in given):
            return False
        for path in facts:
            value = _value(one, path, assigned)
            inner = _read(value) if isinstance(value, types.FunctionType) and not _is_of_library(value) else None
            if inner is None and not _is_fixed(value):
                return False
            if inner is not None and id(inner.node) not in seen:
                seen.add(id(inner.node))
                todo.append(inner)
    return True


@lru_cache(maxsize=1000)
def _facts(node: ast.FunctionDef | ast.Lambda) -> tuple[tuple[str, ...], ...] | None:
    """What the function asks of its surroundings: names, with the attributes that follow; None if it is not pure."""
    own, outer, shared = declared(node)
    if not isinstance(node, ast.FunctionDef) or outer or shared:
        return None
    parts = [n for statement in node.body for n in ast.walk(statement)]
    if not all(isinstance(n, SIMPLE) and _is_harmless(n) for n in parts):
        return None
    inside = {id(n.value) for n in parts if isinstance(n, ast.Attribute)}
    paths = [_path(n) for n in parts if isinstance(n, ast.Name | ast.Attribute) and id(n) not in inside]
    return tuple(path for path in dict.fromkeys(paths) if path and path[0] not in own)


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr not in SEEN and not node.attr.startswith("__") and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Compare):
        sides = zip(node.ops, node.comparators, strict=True)
        return all(isinstance(b, ast.Constant) for op, b in sides if isinstance(op, ast.Is | ast.IsNot))
    return True


def _path(node: ast.expr) -> tuple[str, ...]:
    """A name and the attributes behind it; empty for an attribute of anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def _value(source: FunctionSource, path: tuple[str, ...], assigned: Mapping[tuple[int, str], Any]) -> Any:
    """What a name, with the attributes behind it, stands for; `UNKNOWN` if that may be another thing at the next
    call."""
    name, *attributes = path
    if name not in source.globals:
        return vars(builtins).get(name, UNKNOWN) if name in BUILTINS and not attributes else UNKNOWN
    value = source.globals[name]
    if (id(source.globals), name) in assigned:
        return UNKNOWN
    if not isinstance(value, types.ModuleType):
        return value if not attributes else UNKNOWN
    return abs if attributes and _root(value.__name__) in LIBRARIES else UNKNOWN


def _is_fixed(value: Any) -> bool:
    """Whether it is a number, an array, or something of a library or of Python's own."""
    return isinstance(value, CONSTANT) or (callable(value) and _is_of_library(value))


def _is_of_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    return _root(module) in {*LIBRARIES, "builtins"} and "random" not in module


def _root(module: str) -> str:
    return module.partition(".")[0]


def _read(function: types.FunctionType) -> FunctionSource | None:
    try:
        return function_source(function)
    except BadArgument:
        return None


def only_computes(function: Any) -> bool:
    """Whether a function leaves nothing behind that a second call would change."""
    if not isinstance(function, types.FunctionType) or is_generated(function):
        return False
    nodes = [*ast.walk(function_source(function).node)]
    names = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    stores = (isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store) for node in nodes)
    declares = (isinstance(node, ast.Global | ast.Nonlocal) for node in nodes)
    return not (names & CHANGING) and not any(stores) and not any(declares)
