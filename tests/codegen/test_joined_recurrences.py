"""Recurrences take in the rows next to them: the same values, and only where each iteration has what a row needs."""

from __future__ import annotations

import re
import textwrap

import pytest

from daad.codegen.schedule.joined_recurrences import join_recurrences
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from tests.codegen.generate import random_program
from tests.codegen.running import assert_agrees
from tests.passes.checking import check
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[20, 51], b: float64[50], c: float64[50], d: float64[50], k: float64[], m: int64[50]"
BACK = "loop j = 48 .. 0 down:\n  b[j] = 0.3 * b[j]\n  b[j - 1] += b[j]\n"
FORTH = "loop j = 1 .. 49:\n  b[j] = 0.3 * b[j - 1] + c[j]\n"

JOINED = {
    "a copy behind": (
        BACK + "for i in 1 .. 49:  c[i - 1] = b[i]",
        """
        loop j = 48 .. 0 down:
          b[j] = 0.3 * b[j]
          b[j - 1] += b[j]
          c[j - 1] = b[j]
        """,
    ),
    "sums with what was copied": (
        FORTH + "for i in 1 .. 49:  d[i] += 2.0 * b[i] - c[i + 1] / k",
        """
        loop j = 1 .. 49:
          b[j] = 0.3 * b[j - 1] + c[j]
          d[j] += 2.0 * b[j] - c[j + 1] / k
        """,
    ),
    "an update before": (
        "for i in 1 .. 49:  c[i] += d[i - 1]\n" + FORTH,
        """
        loop j = 1 .. 49:
          c[j] += d[j - 1]
          b[j] = 0.3 * b[j - 1] + c[j]
        """,
    ),
    "what the iteration before has left as well": (
        FORTH + "for i in 1 .. 49:  d[i] = b[i] * b[i - 1]",
        """
        loop j = 1 .. 49:
          b[j] = 0.3 * b[j - 1] + c[j]
          d[j] = b[j] * b[j - 1]
        """,
    ),
    "with others in between": (
        "for i in 1 .. 49:  c[i] += d[i - 1]\nfor i in 1 .. 49:  A[3, i] = d[i]\n" + FORTH,
        """
        loop j = 1 .. 49:
          c[j] += d[j - 1]
          b[j] = 0.3 * b[j - 1] + c[j]
        for i in 1 .. 49:  A[3, i] = d[i]
        """,
    ),
    "what is in between changes what a row reads": (
        FORTH + "for i in 0 .. 50:  c[i] += 1.0\nfor i in 1 .. 49:  d[i] = b[i] * c[i]",
        None,
    ),
    "on both sides, in a loop": (
        """
loop i = 1 .. 20:
  for p in 1 .. 49:  A[i, p] += A[i - 1, p + 1]
  loop j = 1 .. 49:
    A[i, j] += 0.5 * A[i, j - 1]
  for q in 1 .. 49:  A[i - 1, q] = A[i, q]
        """,
        """
        loop i = 1 .. 20:
          loop j = 1 .. 49:
            A[i, j] += A[i - 1, j + 1]
            A[i, j] += 0.5 * A[i, j - 1]
            A[i - 1, j] = A[i, j]
        """,
    ),
    "what the next iteration changes again": (BACK + "for i in 1 .. 49:  c[i - 1] = b[i - 1]", None),
    "a neighbour that is written later": (FORTH + "for i in 1 .. 49:  d[i] = b[i] * b[i + 1]", None),
    "what a later iteration reads": (FORTH + "for i in 1 .. 49:  c[i + 1] = b[i]", None),
    "what a later iteration overwrites": (
        "loop j = 1 .. 49:\n  b[j] = 0.3 * b[j - 1]\n  d[j] = b[j]\nfor i in 1 .. 49:  d[i + 1] = b[i]",
        None,
    ),
    "before: what an earlier iteration reads": ("for i in 1 .. 49:  c[i + 1] += d[i]\n" + FORTH, None),
    "before: what an earlier iteration writes": (
        "for i in 1 .. 49:  c[i] += b[i - 1]\n" + FORTH,
        None,
    ),
    "other points": (FORTH + "for i in 1 .. 48:  d[i] = b[i]", None),
    "nothing in common": (FORTH + "for i in 1 .. 49:  d[i] = A[3, i]", None),
    "a function": (FORTH + "for i in 1 .. 49:  d[i] = exp(b[i])", None),
    "by an index": (FORTH + "for i in 1 .. 49:  d[i] = b[i] + c[m[i]]", None),
    "a sum": (FORTH + "for i in 1 .. 49:  k += b[i]", None),
    "two dimensions": (FORTH + "for i in 1 .. 49, p in 0 .. 20:  A[p, i] = b[i]", None),
    "no recurrence": ("loop j = 1 .. 49:\n  b[j] = sin(b[j - 1])\nfor i in 1 .. 49:  d[i] = b[i]", None),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), JOINED.values(), ids=JOINED)
def test_joined(source: str, expected: str | None) -> None:
    built = program("rows", ARRAYS, source)
    changed = check(built, join_recurrences, rtol=0)
    assert body_text(changed.body) == (
        textwrap.dedent(expected).strip() if expected is not None else body_text(built.body)
    )


CALM = """
for j in 0 .. 50:
  b[j] = tanh(b[j])
  c[j] = tanh(c[j])
  d[j] = tanh(d[j])
k = 2.0 + tanh(k)
"""


def everything() -> Program:
    """All rows one after the other; values stay small."""
    sources = (CALM + source for source, _ in JOINED.values())
    parts = [re.sub(r"\b([ijpq])\b", rf"\g<1>{number}", source) for number, source in enumerate(sources)]
    return program("everything", ARRAYS, "\n".join(parts))


def test_all_agree() -> None:
    assert_agrees(everything(), rtol=1e-10)


@pytest.mark.parametrize("seed", a_quarter(range(40)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, join_recurrences, built.arrays, rtol=0)
