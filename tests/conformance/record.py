"""A pytest plugin that records the calls of NumPy in NumPy's own tests, by rewriting their source as they are imported.

`python -m pytest -p tests.conformance.record --record-to calls.pickle <tests>`. Each call `f(x)`, operation `x + y`,
subscript and assignment to one in a test module goes through a recorder, which does it and writes it down.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import operator
import os
import pickle
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.calls import OPERATORS, Call, call_of, has_floats, named, operation
from tests.conformance.packages import MODULES, NOT_REPLAYED

FRAMES = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__"}
"""Builtins that ask who calls them."""
RECORDER = "__daad_recorder__"
APPLY = {
    **{name: getattr(operator, name.lower()) for name in ("Add", "Sub", "FloorDiv", "Mod", "Pow")},
    "Mult": operator.mul,
    "Div": operator.truediv,
    "MatMult": operator.matmul,
}


class Recorder:
    """What the rewritten source calls."""

    def __init__(self) -> None:
        self.names = named(MODULES, *NOT_REPLAYED)
        self.calls: dict[str, Call] = {}

    def call(self, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
        found = self._written(lambda: call_of(function, arguments, keywords, self.names))
        return self._kept(found, function(*arguments, **keywords))

    def operate(self, name: str, left: Any, right: Any) -> Any:
        is_array = type(left) is np.ndarray or type(right) is np.ndarray
        found = self._written(lambda: operation(OPERATORS[name], self.names, left, right) if is_array else None)
        return self._kept(found, APPLY[name](left, right))

    def item(self, owner: Any, index: Any) -> Any:
        is_array = type(owner) is np.ndarray
        found = self._written(lambda: operation("x[...]", self.names, owner, index) if is_array else None)
        return self._kept(found, owner[index])

    def set_item(self, value: Any, owner: Any, index: Any) -> None:
        is_array = type(owner) is np.ndarray
        found = self._written(lambda: operation("x[...] = y", self.names, owner, index, value) if is_array else None)
        owner[index] = value
        self._kept(found, None)

    def _written(self, write: Callable[[], Call | None]) -> Call | None:
        """Objects of tests may raise at any question, which must not show."""
        try:
            found = write()
        except Exception:
            return None
        return None if found is None or found.function in NOT_REPLAYED else found

    def _kept(self, call: Call | None, result: Any) -> Any:
        """What raises is not kept."""
        if call is not None and has_floats(call):
            self.calls.setdefault(call.key, call)
        return result


class Rewriter(ast.NodeTransformer):
    """Calls, operations and subscripts of a module become calls of the recorder."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in FRAMES:
            return node
        return self._recorded(node, "call", [node.func, *node.args], node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = type(node.op).__name__
        if name not in OPERATORS:
            return node
        return self._recorded(node, "operate", [ast.Constant(name), node.left, node.right])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._recorded(node, "item", [node.value, index_of(node.slice)])

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        call = self._recorded(node, "set_item", [node.value, target.value, index_of(target.slice)])
        return ast.copy_location(ast.Expr(call), node)

    def _recorded(self, node: ast.AST, way: str, arguments: list[Any], keywords: Any = ()) -> ast.expr:
        function = ast.Attribute(ast.Name(RECORDER, ast.Load()), way, ast.Load())
        return ast.copy_location(ast.Call(function, arguments, list(keywords)), node)


def index_of(index: ast.expr) -> ast.expr:
    """A subscript as an expression."""
    if isinstance(index, ast.Slice):
        return ast.Call(
            ast.Name("slice", ast.Load()),
            [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)],
            [],
        )
    if isinstance(index, ast.Tuple):
        return ast.Tuple([index_of(item) for item in index.elts], ast.Load())
    return index


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles rewritten source, and keeps no bytecode of it."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = Rewriter().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Modules in folders named `tests` are rewritten."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        origin = (spec and spec.origin) or ""
        if f"{os.sep}tests{os.sep}test_" not in origin or not origin.endswith(".py"):
            return None
        spec.loader = Loader(fullname, origin)
        return spec


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-to", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[KEY] = recorder = Recorder()
    setattr(builtins, RECORDER, recorder)
    sys.meta_path.insert(0, Finder())


KEY = pytest.StashKey[Recorder]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    np.random.seed(0)
    random.seed(0)


def pytest_unconfigure(config: pytest.Config) -> None:
    recorder = config.stash[KEY]
    calls = sorted(recorder.calls.values(), key=lambda call: call.key)
    config.getoption("--record-to").write_bytes(pickle.dumps(calls))
