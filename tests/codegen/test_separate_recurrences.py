"""Loops of several recurrences: they come apart where each part is one, and where the order of statements allows it."""

from __future__ import annotations

import textwrap

import pytest

from daad.codegen.schedule.separate_recurrences import separate_recurrences
from daad.ir.printer import body_text
from tests.codegen.generate import random_program
from tests.codegen.running import assert_agrees
from tests.passes.checking import check
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "b: float64[50], c: float64[50], d: float64[50]"

SEPARATED = {
    "a value and its tangent": (
        """
loop j = 1 .. 49:
  d[j] = 0.3 * d[j - 1]
  b[j] = 0.3 * b[j - 1] + c[j]
""",
        """
        loop j = 1 .. 49:
          d[j] = 0.3 * d[j - 1]
        loop j = 1 .. 49:
          b[j] = 0.3 * b[j - 1] + c[j]
        """,
    ),
    "a tangent that reads values, backwards": (
        """
loop j = 48 .. 0 down:
  d[j] = 0.3 * d[j + 1] + c[j] * b[j + 1]
  b[j] = 0.3 * b[j + 1] + c[j]
""",
        """
        loop j = 48 .. 0 down:
          b[j] = 0.3 * b[j + 1] + c[j]
        loop j = 48 .. 0 down:
          d[j] = 0.3 * d[j + 1] + c[j] * b[j + 1]
        """,
    ),
    "each needs the other": (
        """
loop j = 1 .. 49:
  d[j] = 0.3 * b[j - 1]
  b[j] = 0.3 * d[j - 1] + c[j]
""",
        None,
    ),
    "one is no recurrence": (
        """
loop j = 1 .. 49:
  d[j] = sin(d[j - 1])
  b[j] = 0.3 * b[j - 1] + c[j]
""",
        None,
    ),
    "few iterations": (
        """
loop j = 1 .. 9:
  d[j] = 0.3 * d[j - 1]
  b[j] = 0.3 * b[j - 1]
""",
        None,
    ),
}


@pytest.mark.parametrize(("source", "expected"), SEPARATED.values(), ids=SEPARATED)
def test_separated(source: str, expected: str | None) -> None:
    built = program("rows", ARRAYS, source)
    changed = check(built, separate_recurrences, rtol=0)
    assert body_text(changed.body) == (
        textwrap.dedent(expected).strip() if expected is not None else body_text(built.body)
    )


def test_all_agree() -> None:
    calm = "for i in 0 .. 50:\n  b[i] = sin(b[i])\n  c[i] = sin(c[i])\n  d[i] = sin(d[i])\n"
    sources = "".join(calm + source.replace("j", f"j{n}") for n, (source, _) in enumerate(SEPARATED.values()))
    assert_agrees(program("everything", ARRAYS, sources), rtol=1e-10)


@pytest.mark.parametrize("seed", a_quarter(range(40)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, separate_recurrences, built.arrays, rtol=0)
