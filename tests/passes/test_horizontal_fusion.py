"""Merged nests do the same work in fewer passes."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.printer import body_text
from daad.passes.loops.horizontal_fusion import fuse_horizontally, join_updates
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.generate import clearing_program
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = (
    "x: float64[20], y: float64[20], z: float64[20], m: float64[20, 20], s: float64[], q: float64[], "
    "a: float64[4, 4], b: float64[4, 4], c: float64[4, 4], n: int64[20]"
)

ROWS = {
    "the same points": (
        """
        for i in 0 .. 20:  y[i] = x[i] * 2.0
        for j in 0 .. 20:  z[j] = y[j] + x[j]
        """,
        """
        for i in 0 .. 20:
          y[i] = x[i] * 2.0
          z[i] = y[i] + x[i]
        """,
    ),
    "other points": (
        """
        for i in 1 .. 19:  y[i] = x[i] * 2.0
        for i in 1 .. 19:  z[i] = y[i - 1]
        """,
        """
        for i in 1 .. 19:  y[i] = x[i] * 2.0
        for i in 1 .. 19:  z[i] = y[i - 1]
        """,
    ),
    "two updates of an element": (
        """
        for i in 0 .. 20:  y[i] += x[i]
        for i in 0 .. 20:  y[i] += z[i]
        """,
        """
        for i in 0 .. 20:
          y[i] += x[i]
          y[i] += z[i]
        """,
    ),
    "products of matrices": (
        """
        for i in 0 .. 4, j in 0 .. 4, k in 0 .. 4:  a[i, j] += b[i, k] * c[k, j]
        for i in 0 .. 4, j in 0 .. 4, k in 0 .. 4:  a[i, j] += c[i, k] * b[j, k]
        """,
        """
        for i in 0 .. 4, j in 0 .. 4, k in 0 .. 4:  a[i, j] += b[i, k] * c[k, j]
        for i in 0 .. 4, j in 0 .. 4, k in 0 .. 4:  a[i, j] += c[i, k] * b[j, k]
        """,
    ),
    "products of matrices and vectors": (
        """
        for i in 0 .. 4, j in 0 .. 4:  x[i] += b[i, j] * z[j]
        for i in 0 .. 4, j in 0 .. 4:  y[i] += b[i, j] * z[j + 4]
        """,
        """
        for i in 0 .. 4, j in 0 .. 4:
          x[i] += b[i, j] * z[j]
          y[i] += b[i, j] * z[j + 4]
        """,
    ),
    "updates after an assignment": (
        """
        for i in 0 .. 20:  y[i] = x[i]
        for i in 0 .. 20:  y[i] += z[i]
        for i in 0 .. 20:  y[i] += z[i] * 2.0
        """,
        "for i in 0 .. 20:  y[i] = x[i] + z[i] + z[i] * 2.0",
    ),
    "sums at places that data say": (
        """
        for i in 0 .. 20:  y[n[i]] += x[i]
        for i in 0 .. 20:  y[n[i] + 1] += x[i] * z[i]
        """,
        """
        for i in 0 .. 20:
          y[n[i]] += x[i]
          y[n[i] + 1] += x[i] * z[i]
        """,
    ),
    "sums at places that data say, read between": (
        """
        for i in 0 .. 20:  y[n[i]] += x[i]
        for i in 0 .. 20:  y[n[i] + 1] += y[i]
        """,
        """
        for i in 0 .. 20:  y[n[i]] += x[i]
        for i in 0 .. 20:  y[n[i] + 1] += y[i]
        """,
    ),
    "a sum and a maximum at places that data say": (
        """
        for i in 0 .. 20:  y[n[i]] += x[i]
        for i in 0 .. 20:  y[n[i] + 1] max= x[i]
        """,
        """
        for i in 0 .. 20:  y[n[i]] += x[i]
        for i in 0 .. 20:  y[n[i] + 1] max= x[i]
        """,
    ),
    "sums over one loop": (
        """
        for i in 0 .. 20:  s += x[i]
        for i in 0 .. 20:  s += z[i]
        """,
        "for i in 0 .. 20:  s += x[i] + z[i]",
    ),
    "not past another update": (
        """
        for i in 0 .. 20:  q += x[i]
        s += x[2]
        for i in 0 .. 20:  s += x[i] * y[i]
        """,
        """
        for i in 0 .. 20:  q += x[i]
        s += x[2]
        for i in 0 .. 20:  s += x[i] * y[i]
        """,
    ),
    "past another maximum": (
        """
        for i in 0 .. 20:  q += x[i]
        s max= x[2]
        for i in 0 .. 20:  s max= x[i] * y[i]
        """,
        """
        for i in 0 .. 20:
          q += x[i]
          s max= x[i] * y[i]
        s max= x[2]
        """,
    ),
    "past an update of a neighbour": (
        """
        for i in 0 .. 20:  m[1, i] += x[i]
        for i in 0 .. 20:  m[2, i] += x[i]
        for i in 0 .. 20:  m[1, i] += z[i]
        """,
        """
        for i in 0 .. 20:
          m[1, i] += x[i]
          m[2, i] += x[i]
          m[1, i] += z[i]
        """,
    ),
    "a clear between": (
        """
        for i in 0 .. 20:  y[i] += x[i]
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  y[i] += x[i] + z[i]
        """,
        """
        for i in 0 .. 20:
          y[i] += x[i]
          x[i] = 0
          y[i] += x[i] + z[i]
        """,
    ),
    "nothing in common": (
        """
        for i in 0 .. 20:  y[i] = 1.0
        for i in 0 .. 20:  z[i] = 2.0
        """,
        """
        for i in 0 .. 20:  y[i] = 1.0
        for i in 0 .. 20:  z[i] = 2.0
        """,
    ),
    "over what is in between": (
        """
        for i in 0 .. 20:  y[i] = x[i]
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        for i in 0 .. 20:  z[i] = x[i]
        """,
        """
        for i in 0 .. 20:
          y[i] = x[i]
          z[i] = x[i]
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        """,
    ),
    "not over what it reads": (
        """
        for i in 0 .. 20:  y[i] = x[i]
        for i in 0 .. 20, j in 0 .. 20:  z[i] += m[i, j]
        for i in 0 .. 20:  y[i] += z[i]
        """,
        """
        for i in 0 .. 20:  y[i] = x[i]
        for i in 0 .. 20, j in 0 .. 20:  z[i] += m[i, j]
        for i in 0 .. 20:  y[i] += z[i]
        """,
    ),
    "sums over the same": (
        """
        for i in 0 .. 20:  s += x[i]
        for i in 0 .. 20:  q += x[i] * y[i]
        for i in 0 .. 20:  z[i] = x[i]
        """,
        """
        for i in 0 .. 20:
          s += x[i]
          q += x[i] * y[i]
        for i in 0 .. 20:  z[i] = x[i]
        """,
    ),
    "scalars": ("s = x[0]\nq = s * 2.0\nq += s", "do:\n  s = x[0]\n  q = s * 2.0 + s"),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_merged(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source)
    assert body_text(check(built, fuse_horizontally).body) == textwrap.dedent(expected).strip()


SOURCES = {
    "random": random_program,
    "clearing": clearing_program,
    "temporaries": temporaries_program,
    "adjoint": lambda seed: gradient_program(Generator(seed).program()),
}


FILL = "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i]\n"
SUM = "for i in 0 .. 20:  y[i] += s\n"
UPDATE = "for j in 0 .. 20, i in 0 .. 20:  m[i, j] += y[i] * x[j]\n"
FILLED = "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i]"
WAITING = {
    "until the update": (FILL + SUM + UPDATE, "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i] + y[i] * x[j]"),
    "of the transposed": (
        FILL + SUM + UPDATE.replace("m[i, j]", "m[j, i]"),
        "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i] + y[j] * x[i]",
    ),
    "not where it is read before": (f"{FILL}s = m[0, 1]\n{SUM}{UPDATE}", FILLED),
    "not where a part is written before": (f"{FILL}m[0, 1] = 0.5\n{SUM}{UPDATE}", FILLED),
    "not where what it reads changes": (f"{FILL}x[3] = 0.5\n{SUM}{UPDATE}", FILLED),
    "not for an update of a part": (FILL + SUM + UPDATE.replace("i in 0", "i in 1"), FILLED),
    "not for an update by what it holds": (FILL + SUM + UPDATE.replace("x[j]", "m[i, j]"), FILLED),
    "not with an array of its size": (
        FILL.replace("x[i]", "n[i, j]") + SUM + UPDATE,
        FILLED.replace("x[i]", "n[i, j]"),
    ),
    "not over a loop": (f"{FILL}loop t = 0 .. 3:\n  y[t] += s\n{UPDATE}", FILLED),
}


@pytest.mark.parametrize(("source", "expected"), WAITING.values(), ids=WAITING)
def test_fills_wait_for_updates(source: str, expected: str) -> None:
    built = program("row", f"{ARRAYS}, n: float64[20, 20]", source)
    lines = body_text(check(built, join_updates).body).splitlines()
    assert [line for line in lines if "m[i, j] = " in line] == [expected]
    assert (lines[0] == expected) == ("+" not in expected)


@pytest.mark.parametrize("seed", a_quarter(range(40)))
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("change", [fuse_horizontally, join_updates])
def test_random_programs_stay_the_same(source, seed, change) -> None:  # type: ignore[no-untyped-def]
    built = SOURCES[source](seed)
    names = [*SHAPES, *built.results] if source == "adjoint" else None
    merged = check(built, change, names)
    if not invalid_nests(built):
        assert not invalid_nests(merged)
