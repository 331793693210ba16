"""Constants take the place of reads where nothing else can have been written."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.printer import body_text
from daad.passes.scalar.constant_propagation import propagate_constants
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.passes.generate import clearing_program
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[20], y: float64[20], z: float64[20], n: int64[20], s: float64[]"

ROWS = {
    "all elements": (
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] += x[i] * z[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] += 3.0 * z[i]
        """,
    ),
    "a part, and no more": (
        """
        for i in 4 .. 20:  x[i] = 3.0
        for i in 6 .. 20:  y[i] = x[i - 1]
        for i in 4 .. 20:  z[i] = x[i - 1]
        """,
        """
        for i in 4 .. 20:  x[i] = 3.0
        for i in 6 .. 20:  y[i] = 3.0
        for i in 4 .. 20:  z[i] = x[i - 1]
        """,
    ),
    "until something else is written": (
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 5 .. 8:  x[i] = y[i]
        for i in 0 .. 20:  x[i] = x[i] * s
        for i in 0 .. 5:  z[i] = x[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 5 .. 8:  x[i] = y[i]
        for i in 0 .. 20:  x[i] = x[i] * s
        for i in 0 .. 5:  z[i] = x[i]
        """,
    ),
    "beside what else is written": (
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 8:  x[i] += y[i]
        for i in 8 .. 20:  z[i] = x[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 8:  x[i] += y[i]
        for i in 8 .. 20:  z[i] = 3.0
        """,
    ),
    "from one statement of a point to the next": (
        """
        for i in 0 .. 20:
          x[i] = 3.0
          y[i] = x[i]
          x[i] = x[i] * s
          z[i] = x[i]
        """,
        """
        for i in 0 .. 20:
          x[i] = 3.0
          y[i] = 3.0
          x[i] = 3.0 * s
          z[i] = x[i]
        """,
    ),
    "side by side": (
        """
        for i in 0 .. 10:  x[i] = 3.0
        for i in 10 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = x[i]
        """,
        """
        for i in 0 .. 10:  x[i] = 3.0
        for i in 10 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = 3.0
        """,
    ),
    "behind a loop that writes other things, which stays as it is": (
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = 2.0
        loop t = 0 .. 3:
          for i in 0 .. 20:  y[i] += x[i]
        for i in 0 .. 20:  z[i] = x[i] * y[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = 2.0
        loop t = 0 .. 3:
          for i in 0 .. 20:  y[i] += x[i]
        for i in 0 .. 20:  z[i] = 3.0 * y[i]
        """,
    ),
    "into a branch, and not out of it": (
        """
        s = 3.0
        if n[0] > 0:
            x[0] = s
            s = 4.0
        y[0] = s
        """,
        """
        s = 3.0
        if n[0] > 0:
          x[0] = 3.0
          s = 4.0
        y[0] = s
        """,
    ),
    "zeros stay, and so does what is converted": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  n[i] = 1.5
        for i in 0 .. 20:  y[i] = x[i] + n[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  n[i] = 1.5
        for i in 0 .. 20:  y[i] = x[i] + n[i]
        """,
    ),
    "at an index that is read": (
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = x[n[i]]
        """,
        """
        for i in 0 .. 20:  x[i] = 3.0
        for i in 0 .. 20:  y[i] = 3.0
        """,
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_propagate(source: str, expected: str) -> None:
    assert (
        body_text(check(program("row", ARRAYS, source), propagate_constants).body) == textwrap.dedent(expected).strip()
    )


SOURCES = {
    "random": random_program,
    "clearing": clearing_program,
    "adjoint": lambda seed: gradient_program(Generator(seed).program()),
}


@pytest.mark.parametrize("seed", a_quarter(range(40)))
@pytest.mark.parametrize("source", SOURCES)
def test_random_programs_stay_the_same(source: str, seed: int) -> None:
    built = SOURCES[source](seed)
    check(built, propagate_constants, [*SHAPES, *built.results] if source == "adjoint" else None)
