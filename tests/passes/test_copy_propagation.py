"""Copies that nobody needs go."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes.redundancy.copy_propagation import propagate_copies
from daad.passes.redundancy.dead_code import remove_dead
from tests.passes.checking import check
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "of an array that stays": (
        """
        for i in 0 .. 20:  t[i] = x[i]
        for i in 1 .. 19:  y[i] = exp(t[i - 1] * t[i + 1])
        """,
        "for i in 1 .. 19:  y[i] = exp(x[i - 1] * x[i + 1])",
    ),
    "of an array that is overwritten": (
        """
        loop n = 0 .. 3:
          for i in 0 .. 20:  t[i] = x[i]
          for i in 1 .. 19:  x[i] = t[i - 1] * t[i + 1]
        """,
        """
        loop n = 0 .. 3:
          for i in 0 .. 20:  t[i] = x[i]
          for i in 1 .. 19:  x[i] = t[i - 1] * t[i + 1]
        """,
    ),
    "to a result": (
        """
        for i in 0 .. 20:  t[i] = x[i] * 2.0
        for i in 0 .. 20:  y[i] = t[i]
        x[0] = t[1]
        """,
        """
        for i in 0 .. 20:  y[i] = x[i] * 2.0
        x[0] = y[1]
        """,
    ),
    "from one to the next": (
        """
        for i in 0 .. 20:  t[i] = x[i] * 2.0
        for i in 0 .. 20:  u[i] = t[i]
        u[3] = 1.0
        for i in 0 .. 20:  y[i] = u[i]
        y[4] = 2.0
        """,
        """
        for i in 0 .. 20:  y[i] = x[i] * 2.0
        y[3] = 1.0
        y[4] = 2.0
        """,
    ),
    "to a result that was read before": (
        """
        for i in 0 .. 20:  t[i] = x[i] * y[-i + 19]
        for i in 0 .. 20:  y[i] = t[i]
        """,
        """
        for i in 0 .. 20:  t[i] = x[i] * y[-i + 19]
        for i in 0 .. 20:  y[i] = t[i]
        """,
    ),
    "to a result that goes on": (
        """
        for i in 0 .. 20:  t[i] = x[i] * 2.0
        for i in 0 .. 20:  y[i] = t[i]
        y[0] = 0
        x[0] = t[0]
        """,
        """
        for i in 0 .. 20:  t[i] = x[i] * 2.0
        for i in 0 .. 20:  y[i] = t[i]
        y[0] = 0
        x[0] = t[0]
        """,
    ),
}


def _copies(built: Program) -> Program:
    live = frozenset(built.parameters)
    return remove_dead(propagate_copies(built, live), live)


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_copies(source: str, expected: str) -> None:
    built = program("row", "x: float64[20], y: float64[20]", source, local="t: float64[20], u: float64[20]")
    assert body_text(check(built, _copies).body) == textwrap.dedent(expected).strip()


@pytest.mark.parametrize("seed", a_quarter(range(100)))
def test_random_temporaries(seed: int) -> None:
    built = temporaries_program(seed)
    check(built, _copies, built.parameters, rtol=0)
