"""Handlers have exactly the parameters that they honour: read in the body, with NumPy's names and defaults."""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special

import daad.frontend
from daad.frontend import library
from daad.frontend.library.solvers.sparse_matrices import Sparse
from daad.frontend.numpy import ROWS, callbacks
from daad.frontend.numpy.calling.binding import Binding, named
from daad.frontend.numpy.complex import complex_calls
from daad.frontend.python.calls import builtins

SCIPY = (scipy.fft, scipy.integrate, scipy.linalg, scipy.ndimage, scipy.signal, scipy.special)
FOLDERS = [Path(daad.frontend.__file__).parent / name for name in ("library", "numpy")]
MODULES = sorted(path for folder in FOLDERS for path in folder.glob("*.py"))


def bindings() -> Iterator[Binding]:
    """All rows of all tables."""
    assert all(SCIPY), "the programs of SciPy's functions are there once it is imported"
    for leading, rows in (
        (1, ROWS),
        (1, complex_calls.EXPLICIT.items()),
        (2, callbacks.IMPLEMENTATIONS.items()),
        (2, builtins.IMPLEMENTATIONS.items()),
        (0, library.programs().items()),
        (0, library.METHODS.items()),
    ):
        yield from (Binding(named(function), function, row, leading) for function, row in rows)


BINDINGS = list(bindings())


def read_in(code: CodeType) -> set[str]:
    """The variables that a function reads, or hands to a function inside of it."""
    found = set(code.co_cellvars)
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("LOAD_FAST"):
            value = instruction.argval
            found.update(value if isinstance(value, tuple) else (value,))
    return found


def test_what_handlers_take_they_read() -> None:
    """But for those that are told how something is run, which nothing that it computes shows."""
    asked = [b for b in BINDINGS if b.implementation not in library.ALWAYS]
    assert not {b.name: left for b in asked if (left := set(b.own.parameters) - read_in(code_of(b)))}


WITHOUT_VALUES = {"self", "copy", "casting", "order", "blocksize"}
"""How a matrix is held, which no element of it shows."""


def test_what_methods_of_matrices_take_they_read() -> None:
    methods = {name: method for name, method in vars(Sparse).items() if inspect.isfunction(method)}
    taken = {name: {*inspect.signature(method).parameters} for name, method in methods.items()}
    left = {name: taken[name] - read_in(method.__code__) - WITHOUT_VALUES for name, method in methods.items()}
    assert not {name: those for name, those in left.items() if those}


def code_of(binding: Binding) -> CodeType:
    function = binding.implementation
    return function.__code__ if hasattr(function, "__code__") else type(function).__call__.__code__


def test_parameters_are_those_of_the_functions() -> None:
    """Of one of the functions, where a row stands for several."""
    asked: dict[Any, dict[str, Any]] = {}
    for binding in BINDINGS:
        asked.setdefault(binding.implementation, {}).update(defaults(binding))
    wrong = [
        f"{binding.name}: {name}"
        for binding in BINDINGS
        for name, own in binding.own.parameters.items()
        if own.kind not in (own.VAR_POSITIONAL, own.VAR_KEYWORD) and not binding.hands_on
        if name not in asked[binding.implementation] or not is_same(own.default, asked[binding.implementation][name])
    ]
    assert not wrong


def defaults(binding: Binding) -> dict[str, Any]:
    """The defaults of the function by the names that the row gives its parameters."""
    return {binding.renamed.get(p.name, p.name): p.default for p in binding.asked.parameters.values()}


def is_same(own: Any, asked: Any) -> bool:
    """Sentinels stand for what daad gives a meaning; what may be left out in NumPy may be asked for."""
    return (
        own is inspect.Parameter.empty
        or type(asked) is object
        or isinstance(asked, Enum)
        or asked is np._NoValue
        or own is asked
        or own == asked
    )


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.Lambda]:
    tree = ast.parse(path.read_text())
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda))


def unread(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Parameters that the body never names, but for those whose names say so."""
    own = node.args
    names = {a.arg for a in (*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg) if a is not None}
    body = node.body if isinstance(node.body, list) else [node.body]
    read = {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)}
    return {name for name in names - read if not name.startswith("_")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_function_takes_what_it_never_reads(path: Path) -> None:
    found = {f"{getattr(node, 'name', 'lambda')}:{node.lineno}": unread(node) for node in functions_of(path)}
    assert not {place: names for place, names in found.items() if names}


def ignores(stage: Any, a: Any, axis: Any = None) -> Any:
    return stage, a


def test_the_scan_sees_what_is_not_read() -> None:
    assert set(inspect.signature(ignores).parameters) - read_in(ignores.__code__) == {"axis"}
    (node,) = ast.parse(inspect.getsource(ignores)).body
    assert isinstance(node, ast.FunctionDef)
    assert unread(node) == {"axis"}
