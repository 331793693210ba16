"""Sums that are the same at many places are computed once; the rest stays as it is."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.printer import body_text
from daad.passes.reductions.reduction_simplification import simplify_reductions
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[20], y: float64[20], m: float64[20, 30], m2: float64[20, 30], a: float64[20, 30], s: float64[]"

ROWS = {
    "a row for every row": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += a[k, j]",
        """
        for j in 0 .. 30:  m_sum[j] = 0
        for j in 0 .. 30, k in 0 .. 20:  m_sum[j] += a[k, j]
        for i in 0 .. 20, j in 0 .. 30:  m[i, j] += m_sum[j]
        """,
    ),
    "one number for all, from where it starts": (
        """
        for i in 2 .. 20, j in 1 .. 30:  y[i] += 2.0 * a[0, j]
        for i in 0 .. 20, j in 1 .. 30, k in 3 .. 20:  y[i] += x[k] * a[k, j]
        """,
        """
        for i in 2 .. 20, j in 1 .. 30:  y[i] += 2.0 * a[0, j]
        y_sum = 0
        for j in 1 .. 30, k in 3 .. 20:  y_sum += x[k] * a[k, j]
        for i in 0 .. 20:  y[i] += y_sum
        """,
    ),
    "a product has a sum for each element": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += a[i, k] * a[k, j]",
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += a[i, k] * a[k, j]",
    ),
    "a factor that stays the same meanwhile": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += a[k, j] * x[i]",
        """
        for j in 0 .. 30:  m_sum[j] = 0
        for j in 0 .. 30, k in 0 .. 20:  m_sum[j] += a[k, j]
        for i in 0 .. 20, j in 0 .. 30:  m[i, j] += x[i] * m_sum[j]
        """,
    ),
    "factors and divisors of both": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += -(x[i] * (a[k, j] / y[k]) / y[i])",
        """
        for j in 0 .. 30:  m_sum[j] = 0
        for j in 0 .. 30, k in 0 .. 20:  m_sum[j] += -(a[k, j] / y[k])
        for i in 0 .. 20, j in 0 .. 30:  m[i, j] += x[i] / y[i] * m_sum[j]
        """,
    ),
    "three factors in a row, one sum after the other": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 30, l in 0 .. 20:  m[i, j] += a[i, k] * m2[l, k] * a[l, j]",
        """
        for i in 0 .. 20, l in 0 .. 20:  m_sum[i, l] = 0
        for i in 0 .. 20, k in 0 .. 30, l in 0 .. 20:  m_sum[i, l] += a[i, k] * m2[l, k]
        for i in 0 .. 20, j in 0 .. 30, l in 0 .. 20:  m[i, j] += a[l, j] * m_sum[i, l]
        """,
    ),
    "one outer sum within another": (
        "for i in 0 .. 20, k in 0 .. 30, l in 0 .. 20:  s += a[i, k] * m2[l, k]",
        """
        for k in 0 .. 30:  s_sum[k] = 0
        for i in 0 .. 20, k in 0 .. 30:  s_sum[k] += a[i, k]
        for k in 0 .. 30, l in 0 .. 20:  s += m2[l, k] * s_sum[k]
        """,
    ),
    "of what no index names": (
        """
        for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  y[i] += x[i]
        for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  s += 0.5
        """,
        """
        for i in 0 .. 20:  y[i] += 600.0 * x[i]
        s += 6000.0
        """,
    ),
    "a function of both stays whole": (
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += sin(a[k, j] * x[i])",
        "for i in 0 .. 20, j in 0 .. 30, k in 0 .. 20:  m[i, j] += sin(a[k, j] * x[i])",
    ),
    "in a loop": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 20, j in 4 .. 30, k in 0 .. 20:  m[i, j] += a[k, j] * x[t]
        """,
        """
        loop t = 0 .. 3:
          for j in 4 .. 30:  m_sum[j - 4] = 0
          for j in 4 .. 30, k in 0 .. 20:  m_sum[j - 4] += a[k, j] * x[t]
          for i in 0 .. 20, j in 4 .. 30:  m[i, j] += m_sum[j - 4]
        """,
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_spread(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source)
    assert body_text(check(built, simplify_reductions).body) == textwrap.dedent(expected).strip()


SOURCES = {"random": random_program, "adjoint": lambda seed: gradient_program(Generator(seed).program())}


@pytest.mark.parametrize("seed", a_quarter(range(40)))
@pytest.mark.parametrize("source", SOURCES)
def test_random_programs_stay_the_same(source: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(simplify_reductions.__globals__, "LEAST_POINTS", 1)
    built = SOURCES[source](seed)
    check(built, simplify_reductions, [*SHAPES, *built.results] if source == "adjoint" else None, rtol=1e-9)
