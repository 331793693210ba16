"""Axes along which nothing differs are dropped, with the same results to the bit."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.memory.dimension_contraction import contract_dimensions
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.random_cases import random_cases
from tests.seeds import a_quarter
from tests.texts import program

DROPPED = {
    "coefficients of a sweep": (
        """
        loop t = 0 .. 3:
          for i in 1 .. 5:  T[i, 0] = 0
          loop j = 1 .. 8:
            for i in 1 .. 5:  T[i, j] = 2.0 / (3.0 - T[i, j - 1])
            for i in 1 .. 5:  A[i, j] = T[i, j] * A[i, j - 1] + T[i, j]
        """,
        """
        loop t = 0 .. 3:
          T[0] = 0
          loop j = 1 .. 8:
            T[j] = 2.0 / (3.0 - T[j - 1])
            for i in 1 .. 5:  A[i, j] = T[j] * A[i, j - 1] + T[j]
        """,
    ),
    "both axes": (
        """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = x[3]
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] += T[i, -j + 7]
        """,
        """
        T = x[3]
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] += T
        """,
    ),
    "one made from the other, at other coordinates": (
        """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = x[j]
        for i in 0 .. 4, j in 0 .. 8:  U[i + 2, j] = T[0, j] * T[i, j]
        for i in 0 .. 4, j in 0 .. 8:  U[i + 2, j] += 1.0
        for i in 2 .. 6, j in 0 .. 8:  x[j] += U[i, j]
        """,
        """
        for j in 0 .. 8:  T[j] = x[j]
        for j in 0 .. 8:  U[j] = T[j] * T[j]
        for j in 0 .. 8:  U[j] += 1.0
        for i in 2 .. 6, j in 0 .. 8:  x[j] += U[j]
        """,
    ),
    "a sum over the other axis": (
        """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = 0
        for i in 0 .. 6, j in 0 .. 8, k in 0 .. 8:  T[i, j] += x[k]
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = T[i, j]
        """,
        """
        T = 0
        for k in 0 .. 8:  T += x[k]
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = T
        """,
    ),
    "where something goes": (
        """
        for i in 0 .. 6, j in 0 .. 8:  K[i, j] = int64(x[j])
        A[K[2, 3], 1] = A[K[1, 0], K[0, 5]]
        """,
        """
        for j in 0 .. 8:  K[j] = int64(x[j])
        A[K[3], 1] = A[K[0], K[5]]
        """,
    ),
    "all that a nest writes": (
        """
        for i in 0 .. 6, j in 0 .. 8:
          T[i, j] = x[j]
          U[i, j] = T[i, j] * 2.0
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = U[i, j] + T[i, j]
        """,
        """
        for j in 0 .. 8:
          T[j] = x[j]
          U[j] = T[j] * 2.0
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = U[j] + T[j]
        """,
    ),
}

KEPT = {
    "values that differ": "for i in 0 .. 6, j in 0 .. 8:  T[i, j] = A[i, j]",
    "by the index": "for i in 0 .. 6, j in 0 .. 8:  T[i, j] = x[0] * i + j",
    "parts": """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = 0
        for i in 1 .. 6, j in 1 .. 8:  T[i, j] = 1.0
        """,
    "one element": """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = 0
        T[3, 2] = 1.0
        """,
    "by way of another array": """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = 1.0
        for i in 0 .. 6, j in 0 .. 8:  U[i, j] = T[i, j] + A[i, j]
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = U[i, j]
        """,
    "a triangle": "loop t = 0 .. 6:\n  for i in 0 .. t, j in t .. 8:  T[i, j] = 1.0",
    "a diagonal": "for i in 0 .. 6:  T[i, i] = 1.0",
    "an index from an array": """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = 1.0
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = T[n, n]
        """,
    "a nest that needs its points": """
        for i in 0 .. 6, j in 0 .. 8:
          T[i, j] = 1.0
          A[i, j] = T[i, j]
        """,
    "what was never written": """
        for i in 1 .. 5, j in 1 .. 7:  T[i, j] = 1.0
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = T[i, j]
        """,
}
LOCAL = "T: float64[6, 8], U: float64[6, 8], K: int64[6, 8]"


def built(source: str) -> Program:
    return program("uniform", "A: float64[6, 8], x: float64[8], n: int64[]", source, local=LOCAL)


def smaller(p: Program) -> Program:
    return contract_dimensions(p, frozenset(p.parameters))


@pytest.mark.parametrize(("source", "expected"), DROPPED.values(), ids=DROPPED)
def test_dropped(source: str, expected: str) -> None:
    changed = check(built(source), smaller, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_left_as_it_is(source: str) -> None:
    assert smaller(built(source)) == built(source)


def test_what_is_seen_from_outside_stays() -> None:
    made = built(DROPPED["both axes"][0])
    assert contract_dimensions(made, frozenset((*made.parameters, "T"))) == made


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(joint, lambda p: contract_dimensions(p, live))
    check(improve(joint, live), lambda p: contract_dimensions(p, live))


@pytest.mark.parametrize("start", a_quarter(range(0, 20, 10)))
def test_random_programs_stay_the_same(start: int) -> None:
    for made, live in random_cases(range(start, start + 10)):
        check(made, lambda p, live=live: contract_dimensions(p, live), live)


def implicit_rows(u, steps, r):  # type: ignore[no-untyped-def]
    """Implicit diffusion along rows: Thomas' algorithm on all of them at once."""
    c, d = np.zeros(u.shape), np.zeros(u.shape)
    for _ in range(steps):
        c[:, 0] = -r / (1.0 + 2.0 * r)
        d[:, 0] = u[:, 0] / (1.0 + 2.0 * r)
        for j in range(1, u.shape[1]):
            c[:, j] = -r / (1.0 + 2.0 * r + r * c[:, j - 1])
            d[:, j] = (u[:, j] + r * d[:, j - 1]) / (1.0 + 2.0 * r + r * c[:, j - 1])
        u[:, -1] = d[:, -1]
        for j in range(u.shape[1] - 2, -1, -1):
            u[:, j] = d[:, j] - c[:, j] * u[:, j + 1]


def columns(field, times, a, b):  # type: ignore[no-untyped-def]
    """The same structure down columns, with other names and constants."""
    upper, right = np.empty(field.shape), np.empty(field.shape)
    for _ in range(times):
        upper[0, :] = a / b
        right[0, :] = field[0, :] / b
        for row in range(1, field.shape[0]):
            upper[row, :] = a / (b - a * upper[row - 1, :])
            right[row, :] = (field[row, :] - a * right[row - 1, :]) / (b - a * upper[row - 1, :])
        field[-1, :] = right[-1, :]
        for row in range(field.shape[0] - 2, -1, -1):
            field[row, :] = right[row, :] - upper[row, :] * field[row + 1, :]


@pytest.mark.parametrize(
    ("function", "arguments", "of", "name"),
    [(implicit_rows, (4, 0.3), "u", "c"), (columns, (3, -0.4, 2.2), "field", "upper")],
    ids=["rows", "columns"],
)
def test_twins_keep_a_line_of_coefficients(function, arguments, of, name) -> None:  # type: ignore[no-untyped-def]
    field = np.random.default_rng(0).random((23, 37))
    arrays = daad.grad(function, of=of, seed=1.0)._planned(field.copy(), *arguments).derivation.primal.arrays
    assert len(arrays[name].shape) == 1
    assert daad.check(function, (field, *arguments), of=of, seed=1.0)
