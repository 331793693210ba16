"""Independent iterations become points of a nest, all others stay in order."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.printer import body_text
from daad.passes.parallel.loop_to_map import loops_to_nests
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.generate import clearing_program
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[20], y: float64[20], m: float64[20, 20], r: float64[20, 20], s: float64[], idx: int64[20]"

ROWS = {
    "elementwise": (
        """
        loop i = 0 .. 20:
          loop j = 19 .. -1 down:
            m[i, j] = x[i] * y[j]
        """,
        "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i] * y[j]",
    ),
    "a recurrence": (
        "loop i = 1 .. 20:\n  x[i] = x[i - 1] * y[i]",
        "loop i = 1 .. 20:\n  x[i] = x[i - 1] * y[i]",
    ),
    "columns of a factorisation": (
        """
        loop k = 0 .. 20:
          loop j = k + 1 .. 20:
            r[k, j] = 0
            for i in 0 .. 20:  r[k, j] += m[i, k] * m[i, j]
            for i in 0 .. 20:  m[i, j] += -(m[i, k] * r[k, j])
        """,
        """
        loop k = 0 .. 20:
          for j in k + 1 .. 20:  r[k, j] = 0
          for j in k + 1 .. 20, i in 0 .. 20:  r[k, j] += m[i, k] * m[i, j]
          for j in k + 1 .. 20, i in 0 .. 20:  m[i, j] += -(m[i, k] * r[k, j])
        """,
    ),
    "rows below the diagonal": (
        """
        loop i = 0 .. 20:
          loop j = i .. 20:
            for k in 0 .. i:  m[i, j] += -(m[i, k] * m[k, j])
        """,
        """
        loop i = 0 .. 20:
          for j in i .. 20, k in 0 .. i:  m[i, j] += -(m[i, k] * m[k, j])
        """,
    ),
    "bounds that move": (
        "loop i = 0 .. 20:\n  for j in 0 .. i:  m[i, j] = x[i]",
        "loop i = 0 .. 20:\n  for j in 0 .. i:  m[i, j] = x[i]",
    ),
    "a sum": ("loop i = 0 .. 20:\n  s += x[i]", "for i in 0 .. 20:  s += x[i]"),
    "partial sums": (
        "loop i = 0 .. 20:\n  s += x[i]\n  y[i] = s",
        "loop i = 0 .. 20:\n  s += x[i]\n  y[i] = s",
    ),
    "an element for all": (
        "loop i = 0 .. 20:\n  s = x[i]\n  y[i] = s * s",
        "loop i = 0 .. 20:\n  s = x[i]\n  y[i] = s * s",
    ),
    "one after the other": (
        "loop i = 1 .. 20:\n  x[i] = y[i]\n  m[i, 0] = x[i - 1]",
        "for i in 1 .. 20:  x[i] = y[i]\nfor i in 1 .. 20:  m[i, 0] = x[i - 1]",
    ),
    "read before it is written": (
        "loop i = 1 .. 19:\n  m[i, 0] = x[i - 1]\n  x[i] = y[i]",
        "loop i = 1 .. 19:\n  m[i, 0] = x[i - 1]\n  x[i] = y[i]",
    ),
    "read before it is written, downwards": (
        "loop i = 18 .. 0 down:\n  m[i, 0] = x[i - 1]\n  x[i] = y[i]",
        "for i in 1 .. 19:  m[i, 0] = x[i - 1]\nfor i in 1 .. 19:  x[i] = y[i]",
    ),
    "scattered sums": (
        "loop i = 0 .. 20:\n  x[idx[i]] += y[i]",
        "for i in 0 .. 20:  x[idx[i]] += y[i]",
    ),
    "scattered": ("loop i = 0 .. 20:\n  x[idx[i]] = y[i]", "loop i = 0 .. 20:\n  x[idx[i]] = y[i]"),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_loops(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source)
    assert body_text(check(built, loops_to_nests).body) == textwrap.dedent(expected).strip()


SOURCES = {
    "random": random_program,
    "clearing": clearing_program,
    "temporaries": temporaries_program,
    "primal": lambda seed: Generator(seed).program(),
    "adjoint": lambda seed: gradient_program(Generator(seed).program()),
}


@pytest.mark.parametrize("seed", a_quarter(range(50)))
@pytest.mark.parametrize("source", SOURCES)
def test_random_programs_stay_the_same(source: str, seed: int) -> None:
    built = SOURCES[source](seed)
    names = [*SHAPES, *built.results] if source == "adjoint" else built.parameters
    changed = check(built, loops_to_nests, names, rtol=1e-9)
    if not invalid_nests(built):
        assert not invalid_nests(changed)
