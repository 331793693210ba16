"""Gather form is the same sum, and no two points of it meet."""

from __future__ import annotations

import pytest

from daad.ir.printer import body_text
from daad.passes.reductions.gather_form import to_gather_form
from daad.passes.scalar.simplification import simplify
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[9], y: float64[9], m: float64[9, 9], k: int64[9], w: float64[]"

ROWS = {
    "shifted": (
        """
        for i in 1 .. 8:
          x[i - 1] += 0.5 * y[i]
          x[i] += 0.25 * y[i] - 0.5 * y[i]
          x[i + 1] += 0.5 * y[i]
          y[i] = 0
        """,
        """
        for i in 0 .. 9:  x[i] += 0.5 * ((y[i + 1] if i < 7 else 0) + (y[i - 1] if i >= 2 else 0))\
 - 0.25 * (y[i] if i >= 1 and i < 8 else 0)
        for i in 1 .. 8:  y[i] = 0
        """,
    ),
    "rows above and below never meet": (
        """
        loop r = 1 .. 8:
          for i in 1 .. 9:
            m[r - 1, i] += w * m[r, i]
            m[r + 1, i] += m[r, i]
            m[r + 1, i - 1] += m[r, i]
            m[r, i] = 0
        """,
        """
        loop r = 1 .. 8:
          for i in 1 .. 9:  m[r - 1, i] += w * m[r, i]
          for i in 0 .. 9:  m[r + 1, i] += (m[r, i] if i >= 1 else 0) + (m[r, i + 1] if i < 8 else 0)
          for i in 1 .. 9:  m[r, i] = 0
        """,
    ),
    "far apart": (
        """
        for i in 0 .. 4:
          x[i] += y[i]
          x[i + 4] += y[i + 1]
        """,
        """
        for i in 0 .. 4:
          x[i] += y[i]
          x[i + 4] += y[i + 1]
        """,
    ),
    "divided by what is the same everywhere": (
        """
        for i in 1 .. 8:
          x[i - 1] += w * w * (y[i] / (2.0 * w))
          x[i + 1] += w * y[i] * w / (2.0 * w)
          x[i] += -(y[i] / w)
          y[i] = 0
        """,
        """
        for i in 0 .. 9:  x[i] += w * w / (2.0 * w) * ((y[i + 1] if i < 7 else 0) + (y[i - 1] if i >= 2 else 0))\
 - (y[i] if i >= 1 and i < 8 else 0) / w
        for i in 1 .. 8:  y[i] = 0
        """,
    ),
    "divided by what is not": (
        """
        for i in 1 .. 8:
          x[i - 1] += y[i] / k[i]
          x[i] += y[i] / k[i]
          y[i] = 0
        """,
        """
        for i in 0 .. 8:  x[i] += (y[i + 1] / k[i + 1] if i < 7 else 0) + (y[i] / k[i] if i >= 1 else 0)
        for i in 1 .. 8:  y[i] = 0
        """,
    ),
    "reversed": (
        """
        for i in 0 .. 8:
          x[i] += y[i]
          x[-i + 8] += y[i]
          y[i] = y[i] * 2.0
        """,
        """
        for i in 0 .. 9:  x[i] += (y[i] if i < 8 else 0) + (y[-i + 8] if i >= 1 else 0)
        for i in 0 .. 8:  y[i] = y[i] * 2.0
        """,
    ),
    "transposed": (
        """
        for i in 0 .. 9, j in 0 .. 9:
          m[i, j] += x[i] * y[j]
          m[j, i] += x[i]
        """,
        "for i in 0 .. 9, j in 0 .. 9:  m[i, j] += x[i] * y[j] + x[j]",
    ),
    "strided and by index array": (
        """
        for i in 0 .. 4:
          x[2*i] += y[i]
          x[2*i + 1] += y[i]
          x[2*i + 2] += y[i]
          x[k[i]] += y[i]
          y[i] = 0
        """,
        """
        for i in 0 .. 4:
          x[2*i] += y[i]
          x[2*i + 1] += y[i]
        for i in 0 .. 4:  x[2*i + 2] += y[i]
        for i in 0 .. 4:  x[k[i]] += y[i]
        for i in 0 .. 4:  y[i] = 0
        """,
    ),
    "reductions alone": (
        """
        for i in 0 .. 9, j in 0 .. 9:
          x[i] += m[i, j]
          y[j] += m[i, j]
          w += m[i, j] * x[i]
          m[i, j] = 0
        """,
        """
        for i in 0 .. 9, j in 0 .. 9:  x[i] += m[i, j]
        for i in 0 .. 9, j in 0 .. 9:  y[j] += m[i, j]
        for i in 0 .. 9, j in 0 .. 9:  w += m[i, j] * x[i]
        for i in 0 .. 9, j in 0 .. 9:  m[i, j] = 0
        """,
    ),
    "gathered reduction": (
        """
        for i in 0 .. 8, j in 0 .. 9:
          x[i] += m[i, j]
          x[i + 1] += m[i, j]
        """,
        "for i in 0 .. 9, j in 0 .. 9:  x[i] += (m[i, j] if i < 8 else 0) + (m[i - 1, j] if i >= 1 else 0)",
    ),
    "cleared between": (
        """
        for i in 1 .. 8:
          x[i] += y[i]
          y[i] = 0
          x[i + 1] += y[i]
        """,
        """
        for i in 1 .. 8:
          x[i] += y[i]
          y[i] = 0
        for i in 1 .. 8:  x[i + 1] += y[i]
        """,
    ),
    "read where it was written": (
        """
        for i in 1 .. 8:
          x[i] += y[i]
          y[i] += x[3]
        """,
        """
        for i in 1 .. 8:  x[i] += y[i]
        for i in 1 .. 8:  y[i] += x[3]
        """,
    ),
    "bounds of an outer loop": (
        """
        loop t = 0 .. 8:
          for i in 1 .. t:
            x[i - 1] += y[i]
            x[i + 1] += y[i]
        """,
        """
        loop t = 0 .. 8:
          for i in 0 .. t + 1:  x[i] += (y[i + 1] if i < (t - 1) else 0) + (y[i - 1] if i >= 2 else 0)
        """,
    ),
    "bounds that may lie outside": (
        """
        for i in 1 .. n:
          x[i - 1] += y[i]
          x[i + 1] += y[i]
        """,
        """
        for i in 1 .. n:  x[i - 1] += y[i]
        for i in 1 .. n:  x[i + 1] += y[i]
        """,
    ),
    "bounds that are known to lie within": (
        """
        loop n = 0 .. 8:
          for i in 1 .. n:
            x[i - 1] += y[i]
            x[i] += y[i]
        """,
        """
        loop n = 0 .. 8:
          for i in 0 .. n:  x[i] += (y[i + 1] if i < (n - 1) else 0) + (y[i] if i >= 1 else 0)
        """,
    ),
    "no points": ("for i in 3 .. 3, j in 0 .. 2:\n  x[i] += y[j]\n  y[j] = 0", ""),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_gathered(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source, integers="" if "loop" in source else "n")
    text = body_text(check(built, to_gather_form).body)
    lines = expected.strip("\n").splitlines()
    margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    assert text == "\n".join(x[margin:] for x in lines if x.strip())


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    check(naive_joint(name), to_gather_form)


@pytest.mark.parametrize("seed", a_quarter(range(80)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, to_gather_form, built.arrays)


@pytest.mark.parametrize("seed", a_quarter(range(80)))
def test_random_adjoints_stay_the_same(seed: int) -> None:
    built = gradient_program(Generator(seed).program())
    check(built, lambda p: simplify(to_gather_form(p)), [*SHAPES, *built.results], rtol=1e-9)
