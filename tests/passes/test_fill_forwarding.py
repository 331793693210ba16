"""Fills go into what overwrites them, only where nobody else reads them and what they are made of is still there."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.printer import body_text
from daad.passes.redundancy.fill_forwarding import forward_fills
from tests.passes.checking import check
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

VECTORS = "x: float64[9], y: float64[9], m: bool[9], n: int64[9], k: int64[9]"
ARRAYS = f"{VECTORS}, A: float64[4, 5], B: float64[4, 5], s: float64[]"
STORE = "for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else y[i]"
FORWARDED = {
    "a constant": (
        f"for i in 0 .. 9:  y[i] = 0.0\n{STORE}",
        "for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else 0.0",
    ),
    "a copy": (
        f"for i in 0 .. 9:  y[i] = x[i]\n{STORE}",
        "for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else x[i]",
    ),
    "one after the other": (
        f"for i in 0 .. 9:  y[i] = 0.0\nfor i in 0 .. 9:  y[i] = 1.0 if m[i] else y[i]\n{STORE}",
        "for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else (1.0 if m[i] else 0.0)",
    ),
    "past others": (
        f"for i in 0 .. 9:  y[i] = 0.0\nfor i in 0 .. 9:  x[i] = 2.0 * x[i]\n{STORE}",
        "for i in 0 .. 9:  x[i] = 2.0 * x[i]\nfor i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else 0.0",
    ),
    "of other variables": (
        """
        for i in 0 .. 4, j in 0 .. 5:  A[i, j] = B[i, j]
        for j in 0 .. 4, i in 0 .. 5:  A[j, i] = 2.0 * A[j, i]
        """,
        "for j in 0 .. 4, i in 0 .. 5:  A[j, i] = 2.0 * B[j, i]",
    ),
    "of the last dimension first": (
        """
        for j in 0 .. 5, i in 0 .. 4:  A[i, j] = B[i, j]
        for i in 0 .. 4, j in 0 .. 5:  A[i, j] = 2.0 * A[i, j]
        """,
        "for i in 0 .. 4, j in 0 .. 5:  A[i, j] = 2.0 * B[i, j]",
    ),
    "in a loop": (
        f"loop t = 0 .. 3:\n  for i in 0 .. 9:  y[i] = x[i]\n  {STORE}\n  x[t] = y[t]",
        "loop t = 0 .. 3:\n  for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else x[i]\n  x[t] = y[t]",
    ),
}
KEPT = {
    "a part of the array": f"for i in 1 .. 9:  y[i] = 0.0\n{STORE}",
    "overwritten in part": "for i in 0 .. 9:  y[i] = 0.0\nfor i in 1 .. 9:  y[i] = sin(x[i]) if m[i] else y[i]",
    "read between": f"for i in 0 .. 9:  y[i] = 0.0\nx[0] = y[1]\n{STORE}",
    "written between": f"for i in 0 .. 9:  y[i] = 0.0\ny[1] = x[0]\n{STORE}",
    "written in a loop between": f"for i in 0 .. 9:  y[i] = 0.0\nloop t = 0 .. 3:\n  y[t] = x[t]\n{STORE}",
    "what it is made of changes": f"for i in 0 .. 9:  y[i] = x[i]\nx[0] = 1.0\n{STORE}",
    "read elsewhere": "for i in 0 .. 9:  y[i] = x[i]\nfor i in 0 .. 9:  y[i] = y[0] if m[i] else y[i]",
    "other elements": "for i in 0 .. 4, j in 0 .. 4:  A[i, j] = 1.0\n"
    "for i in 0 .. 4, j in 0 .. 5:  A[i, j] = 2.0 * A[i, j]",
    "numbers": "s = 0.0\ns = s + x[0]\ns = s * x[1]",
    "an update": "for i in 0 .. 9:  y[i] = 0.0\nfor i in 0 .. 9:  y[i] += x[i]",
    "a function": f"for i in 0 .. 9:  y[i] = exp(x[i])\n{STORE}",
    "on one side": "for i in 0 .. 9:  y[i] = 0.0\nif x[0] > 1.0:\n  for i in 0 .. 9:  y[i] = x[i] if m[i] else y[i]",
    "places that data say": "for i in 0 .. 9:  y[i] = x[n[i]]\nfor i in 0 .. 9:  n[i] = k[i]\n" + STORE,
}


@pytest.mark.parametrize(("source", "expected"), FORWARDED.values(), ids=FORWARDED)
def test_fills_go_into_what_overwrites_them(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source)
    assert body_text(check(built, forward_fills, built.parameters, rtol=0).body) == expected


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_fills_that_stay(source: str) -> None:
    built = program("row", ARRAYS, textwrap.dedent(source))
    assert body_text(check(built, forward_fills, built.parameters, rtol=0).body) == body_text(built.body)


@pytest.mark.parametrize("seed", a_quarter(range(100)))
def test_random_temporaries(seed: int) -> None:
    built = temporaries_program(seed)
    check(built, forward_fills, built.parameters, rtol=0)
