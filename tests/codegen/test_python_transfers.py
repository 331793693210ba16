"""Numbers for Python go in one call where they are neighbours in memory, in their order, and nothing else is done."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.codegen.chosen_names import Names
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.python_transfers import numbers_put, results_taken
from daad.ir.nodes import Loop, Nest
from tests.texts import program

ARRAYS = "x: float64[9], A: float64[4, 5], s: float32[9], n: int64[9], t: float64[], k: int64[]"

# The statement, and the element from which on so many numbers go, in each iteration of a loop over `k`; None where they
# go one by one.
PUT = {
    "a row": ("loop i = 0 .. 9:\n  t = python_put(t, x[i])", ("0", 9)),
    "a part of a row": ("loop i = 2 .. 7:\n  t = python_put(t, x[i - 1])", ("1", 5)),
    "rows": ("loop i = 1 .. 3:\n  loop j = 0 .. 5:\n    t = python_put(t, A[i, j])", ("5", 10)),
    "a part of a matrix": ("loop i = 1 .. 3:\n  loop j = 0 .. 4:\n    t = python_put(t, A[i, j])", None),
    "columns": ("loop j = 0 .. 5:\n  loop i = 0 .. 4:\n    t = python_put(t, A[i, j])", None),
    "backwards": ("loop i = 0 .. 9:\n  t = python_put(t, x[-i + 8])", None),
    "from the last on": ("loop i = 8 .. -1 down:\n  t = python_put(t, x[i])", None),
    "each once more": ("loop i = 0 .. 9:\n  t = python_put(t, x[0])", None),
    "sums": ("loop i = 0 .. 9:\n  t = python_put(t, x[i] + 1.0)", None),
    "short floats": ("loop i = 0 .. 9:\n  t = python_put(t, s[i])", None),
    "where data say": ("loop i = 0 .. 9:\n  t = python_put(t, x[n[i]])", None),
    "something besides": ("loop i = 0 .. 9:\n  t = python_put(t, x[i])\n  x[i] = 0", None),
    "to another record": ("loop i = 0 .. 9:\n  x[0] = python_put(t, x[i])", None),
}
TAKEN = {
    "a row": ("for i in 0 .. 9:  x[i] = python_get(t, i + 3)", ("0", 9, "3")),
    "a part of a row": ("for i in 2 .. 7:  x[i - 1] = python_get(t, i)", ("1", 5, "2")),
    "rows": ("for i in 1 .. 3, j in 0 .. 5:  A[i, j] = python_get(t, 5*i + j)", ("5", 10, "5")),
    "rows, their numbers first": ("for j in 0 .. 5, i in 1 .. 3:  A[i, j] = python_get(t, 5*i + j)", ("5", 10, "5")),
    "columns": ("for i in 0 .. 4, j in 0 .. 5:  A[i, j] = python_get(t, i + 4*j)", None),
    "a part of a matrix": ("for i in 0 .. 4, j in 0 .. 4:  A[i, j] = python_get(t, 5*i + j)", None),
    "backwards": ("for i in 0 .. 9:  x[-i + 8] = python_get(t, i)", None),
    "one for all": ("for i in 0 .. 9:  x[i] = python_get(t, k)", None),
    "short floats": ("for i in 0 .. 9:  s[i] = python_get(t, i)", None),
    "sums": ("for i in 0 .. 9:  x[i] += python_get(t, i)", None),
    "twice": ("for i in 0 .. 9:  x[i] = 2.0 * python_get(t, i)", None),
}


@pytest.mark.parametrize(("source", "expected"), PUT.values(), ids=PUT)
def test_numbers_that_are_put(source: str, expected: tuple[str, int] | None) -> None:
    built = program("row", ARRAYS, source)
    (loop,) = built.body
    assert isinstance(loop, Loop)
    found = numbers_put(loop, Context(built, Names({})))
    assert (found and (str(found.start), found.count)) == expected


@pytest.mark.parametrize(("source", "expected"), TAKEN.values(), ids=TAKEN)
def test_results_that_are_taken(source: str, expected: tuple[str, int, str] | None) -> None:
    built = program("row", ARRAYS, source)
    (nest,) = built.body
    assert isinstance(nest, Nest)
    found = results_taken(nest, Context(built, Names({})))
    assert (found and (str(found.start), found.count, str(found.place))) == expected


def symmetric(A, w):
    values, vectors = np.linalg.eigh(A + A.T)
    again = np.linalg.eigh(A * A.T)[0]
    return np.sum(w * values) + np.sum(w * again) + np.sum(w[1] * (vectors[:, :3] @ vectors[:, :3].T)[1])


def test_matrices_go_to_python_and_back() -> None:
    rng = np.random.default_rng(1)
    assert daad.check(symmetric, (rng.normal(size=(27, 27)), rng.normal(size=27)), wrt="A")
