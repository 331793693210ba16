"""Expressions in the names of `OPERANDS`: built as one-line functions and compared with what NumPy says."""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.fftpack
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial.transform
import scipy.special
import scipy.stats

from daad.frontend.python import build_program
from daad.frontend.python.syntax.source import function_source
from daad.ir.interpreter import run

_random = np.random.default_rng(7)


def _floats(*shape: int) -> np.ndarray:
    return _random.uniform(-2.0, 2.0, size=shape)


OPERANDS: dict[str, Any] = {
    "x": _floats(5),
    "y": _floats(5),
    "u": _random.uniform(0.2, 0.9, size=5),
    "a": _floats(3, 4),
    "b": _floats(4, 5),
    "c": _floats(4, 4),
    "d": _floats(3, 4),
    "p": _floats(2, 3, 4),
    "q": _floats(2, 4, 3),
    "o": _floats(3, 1),
    "e": _floats(4, 3),
    "v": _floats(3),
    "w": _floats(4),
    "f": _floats(3, 4).astype(np.float32),
    "g": _random.uniform(0.2, 0.9, size=(3, 4)).astype(np.float32),
    "i": np.array([3, -1, 4, 2, 0]),
    "j": np.array([[1, -2, 3, 5], [4, 0, 6, -3], [7, 2, -9, 8]]),
    "k": np.array([2, 1, 3, 1, 2], dtype=np.int32),
    "m": np.array([[True, False, True, False], [False, False, True, True], [True, True, True, False]]),
    "z": np.array([1.0, 0.0, -0.0, np.nan, np.inf]),
    "s": 1.3,
    "t": -0.4,
    "n": 3,
    "h": np.asfortranarray(_floats(3, 4)),
}


NAMES = "cluster fft fftpack integrate interpolate linalg ndimage optimize signal spatial special stats"
SCIPY = {name: getattr(scipy, name) for name in NAMES.split()}


def names_in(expression: str) -> list[str]:
    """The operands that an expression names, sorted."""
    tree = ast.parse(expression, mode="eval")
    return sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in OPERANDS})


def function_of(expression: str) -> tuple[Callable[..., Any], list[str]]:
    """A function that returns the expression, and its parameters; its source is readable like a file's."""
    names = names_in(expression)
    source = f"def expression({', '.join(names)}):\n    return {expression}\n"
    file = f"<expression {expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np, "math": math, **SCIPY}
    exec(compile(source, file, "exec"), scope)
    return scope["expression"], names


def interpreted(function: Callable[..., Any], arguments: dict[str, Any]) -> list[np.ndarray]:
    """All results of the function's Program, in order; numbers that were known are as they are."""
    built = build_program(function_source(function), tuple(arguments.values()))
    places = {place: arguments[name] for name, place in built.places.items()}
    final = run(built.program, {**places, **built.constants})
    return [final[leaf] if isinstance(leaf, str) else np.asarray(leaf) for leaf in leaves(built.value)]


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a returned structure, in order."""
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (tuple, list)) else [value]


def check(expression: str) -> None:
    """Values, shapes and dtypes of the interpreted Program are those of NumPy."""
    function, names = function_of(expression)
    arguments = {name: np.copy(OPERANDS[name]) if np.ndim(OPERANDS[name]) else OPERANDS[name] for name in names}
    with np.errstate(all="ignore"):
        expected = leaves(function(*(np.copy(v) if np.ndim(v) else v for v in arguments.values())))
    got = interpreted(function, arguments)
    assert len(got) == len(expected), f"{len(expected)} results, got {len(got)}"
    for left, right in zip(got, expected, strict=True):
        right = np.asarray(right)
        assert left.dtype == right.dtype, f"dtype {right.dtype}, got {left.dtype}"
        assert left.shape == right.shape, f"shape {right.shape}, got {left.shape}"
        tolerance = 1e-5 if right.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def rows(text: str) -> list[str]:
    """The expressions of a table: separated by semicolons."""
    return [row for row in (part.strip() for part in text.split(";")) if row]
