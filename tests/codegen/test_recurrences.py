"""Loops that carry one number, computed in blocks, against the interpreter; what is none of them stays a loop."""

from __future__ import annotations

import re

import numpy as np
import pytest

from daad.codegen.compilation import compile_program
from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.recurrences import Recurrence, find_recurrence
from daad.ir.interpreter import run
from daad.ir.nodes import Loop, Program
from tests.codegen.running import arguments, assert_agrees, call
from tests.texts import program

ARRAYS = (
    "A: float64[50, 51], b: float64[50], c: float64[50], f: float32[50], g: float32[50], k: float64[], s: float64[], "
    "m: int64[50], B: float64[3]"
)
# A loop, and whether it is a recurrence.
ROWS = {
    "along a row": ("loop j = 1 .. 49:\n  b[j] = 0.3 * b[j - 1] + c[j]", True),
    "as an update": ("loop j = 1 .. 49:\n  b[j] += b[j - 1]\n  b[j] = b[j] / 9.0", True),
    "its adjoint": ("loop j = 48 .. 0 down:\n  b[j] = 0.3 * b[j]\n  b[j - 1] += b[j]", True),
    "a sum up to each": ("loop j = 0 .. 47:\n  b[j + 1] = b[j] + c[j]", True),
    "backwards in memory": ("loop j = 1 .. 49:\n  b[-j + 49] = 0.5 * b[-j + 50] - c[j]", True),
    "every third": ("loop j = 1 .. 17:\n  b[3*j] = c[j] - 0.5 * b[3*j - 3]", True),
    "down a column": ("loop j = 1 .. 50:\n  A[j, 3] = 0.7 * (A[j - 1, 3] + A[j, 4]) + A[j, 3]", True),
    "diagonally": ("loop j = 1 .. 50:\n  A[j, j] = 0.7 * A[j - 1, j - 1] + A[j, -j + 50]", True),
    "a scalar": ("loop j = 0 .. 50:\n  s = 0.9 * s + 0.1 * c[j]\n  b[j] = exp(s)", True),
    "smoothing": ("loop j = 1 .. 50:\n  b[j] = k * c[j] + (1.0 - k) * b[j - 1]", True),
    "single precision": ("loop j = 49 .. 0 down:\n  f[j - 1] = f[j] * 0.5 + g[j] * f[j - 1]", True),
    "by a gather": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + c[m[j]]", True),
    "a function of each": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + exp(c[j]) / (2.0 + c[j])", True),
    "functions in single precision": (
        "loop j = 1 .. 50:\n  f[j] = f[j - 1] * 0.5 + tanh(g[j])\n  g[j] = sin(f[j]) * f[j - 1]", True
    ),
    "the larger of two": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + maximum(c[j], c[j - 1])", True),
    "what is ahead": ("loop j = 1 .. 49:\n  b[j] = 0.5 * b[j - 1] + b[j] * b[j + 1]", True),
    "more": ("loop j = 1 .. 49:\n  b[j] = c[j] - b[j - 1]\n  c[j] = b[j] * b[j - 1]\n  s = b[j]", True),
    "a factor that grows": ("loop j = 1 .. 50:\n  b[j] = 1.9 * b[j - 1] + c[j]", True),
    "a factor too large": ("loop j = 1 .. 50:\n  b[j] = 2.5 * b[j - 1] + c[j]", True),
    "a factor too small": ("loop j = 1 .. 50:\n  b[j] = 1e-50 * b[j - 1] + c[j]", True),
    "a factor of zero": ("loop j = 1 .. 50:\n  b[j] = 0 * b[j - 1] + c[j]", True),
    "a factor that changes": ("loop j = 1 .. 50:\n  b[j] = c[j] * b[j - 1] + 1.0", False),
    "a factor that is written": ("loop j = 1 .. 50:\n  b[j] = k * b[j - 1] + 1.0\n  k = b[j]", False),
    "two steps back": ("loop j = 2 .. 50:\n  b[j] = 0.5 * b[j - 1] + 0.2 * b[j - 2]", False),
    "only two steps back": ("loop j = 2 .. 50:\n  b[j] = 0.5 * b[j - 2] + c[j]", False),
    "not linear": ("loop j = 1 .. 50:\n  b[j] = sin(b[j - 1]) + c[j]", False),
    "squared": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] * b[j - 1]", False),
    "a divisor": ("loop j = 1 .. 50:\n  b[j] = 1.0 / (b[j - 1] + 3.0)", False),
    "independent": ("loop j = 1 .. 50:\n  b[j] = 0.5 * c[j - 1]", False),
    "two of them": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + c[j - 1]\n  c[j] = 0.2 * c[j - 1]", False),
    "read by the next but one": ("loop j = 2 .. 50:\n  b[j] = 0.5 * b[j - 1]\n  c[j] = b[j - 2]", False),
    "a place that meets": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + c[j]\n  b[j - 1] = c[j]", True),
    "a place that is lost": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + c[j]\n  b[-j + 49] = c[j]", False),
    "by an index": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1] + b[m[j]]", False),
    "to an index": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1]\n  c[m[j]] = b[j]", False),
    "the largest": ("loop j = 1 .. 50:\n  b[j] max= b[j - 1]", False),
    "with two dtypes": ("loop j = 1 .. 50:\n  b[j] = 0.5 * b[j - 1]\n  f[j] = g[j]", False),
    "few": ("loop j = 1 .. 16:\n  b[j] = 0.5 * b[j - 1] + c[j]", False),
    "with a nest": ("loop j = 1 .. 50:\n  for i in 0 .. 50:  A[i, j] = 0.5 * A[i, j - 1]", False),
}  # fmt: skip


def recurrence_of(made: Program) -> Recurrence | None:
    loop = made.body[0]
    assert isinstance(loop, Loop), "a loop is expected"
    return find_recurrence(loop, Context(made, name_everything(made)))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_recurrences(row: tuple[str, bool]) -> None:
    source, expected = row
    assert (recurrence_of(program("p", ARRAYS, source)) is not None) == expected


CALM = """
for j in 0 .. 50:
  b[j] = tanh(b[j])
  c[j] = tanh(c[j])
  f[j] = f[j] / (1.0 + f[j] * f[j])
s = tanh(s)
k = 0.5 * tanh(k)
"""


def everything() -> Program:
    """All rows one after the other; what one leaves is found by the next, not too large."""
    parts = []
    for number, (source, _) in enumerate(ROWS.values()):
        words = re.sub(r"\bj\b", f"j{number}", CALM + source)
        parts.append(re.sub(r"\bi\b", f"i{number}", words))
    return program("recurrences", ARRAYS, "\n".join(parts))


def test_all_agree() -> None:
    assert_agrees(everything(), rtol=1e-10)


LENGTHS = """
loop i = 1 .. n:
  loop j = 1 .. i:
    A[i, j] += 0.4 * A[i, j - 1]
  loop l = i .. 1 down:
    A[i, l] = 0.3 * A[i, l]
    A[i, l - 1] += A[i, l]
  loop p = i .. 50:
    A[i, p] = A[i, p] - k * A[i, p - 1]
"""


@pytest.mark.parametrize("k", [0.9, -2.0, 3.0, 0.0, 1e-300, np.inf, np.nan])
def test_all_lengths_and_factors(k: float) -> None:
    """Also none at all: nothing is read or written then."""
    made = program("lengths", "A: float64[50, 51], k: float64[]", LENGTHS, "n")
    assert_agrees(made, arguments(made) | {"k": np.float64(k), "n": 50}, rtol=1e-10)


SPECIAL = """
loop j = 1 .. 200:
  x[j] = k * x[j - 1] + y[j]
loop l = 199 .. 0 down:
  z[l] = k * z[l]
  z[l - 1] += z[l]
"""


def test_infinity_nan_and_signs_of_zero() -> None:
    made = program("special", "x: float64[200], y: float64[200], z: float64[200], k: float64[]", SPECIAL)
    compiled = compile_program(made)
    for place in (3, 8, 9, 70, 198):
        for value, rest in ((np.inf, 1.0), (-np.inf, 1.0), (np.nan, 1.0), (0.0, -0.0), (1e308, 0.0), (5e-324, 0.0)):
            y = np.full(200, rest)
            y[place] = value
            values = {"x": np.full(200, rest), "y": y, "z": y.copy(), "k": np.float64(0.5)}
            expected, found = run(made, values), call(compiled, made, values)
            for name in ("x", "z"):
                np.testing.assert_allclose(found[name], expected[name], rtol=1e-14, atol=1e-322, err_msg=name)
                np.testing.assert_array_equal(np.signbit(found[name]), np.signbit(expected[name]), err_msg=name)


def test_rounding_stays_small() -> None:
    """Sums up to each element, which cancel: no worse than one after the other."""
    made = program("sums", "x: float64[10000]", "loop j = 1 .. 10000:\n  x[j] += x[j - 1]")
    x = np.random.default_rng(0).normal(size=10000)
    found = call(compile_program(made), made, {"x": x})["x"]
    exact = np.cumsum(x.astype(np.longdouble))
    assert np.max(np.abs(found - exact)) <= np.max(np.abs(np.cumsum(x) - exact)) + 1e-13
