"""Variables have 32 bits where nothing that is computed of them needs more."""

from __future__ import annotations

import pytest

from daad.codegen.gpu.index_width import NARROW, WIDE, index_type
from tests.texts import program

ARRAYS = "x: float64[50], A: float64[50000, 50000], n: int64[], at: int64[50]"
WIDTHS = {
    "small": ("for i in 0 .. 50:  x[i] = 1", NARROW),
    "gathers": ("for i in 0 .. 50:  x[at[i]] += 1", NARROW),
    "far away": ("for i in 0 .. 50000:  A[i, 3] = 1", WIDE),
    "the first rows of a large array": ("for i in 0 .. 40, j in 0 .. 50000:  A[i, j] = 1", NARROW),
    "values, which have a width of their own": ("for i in 0 .. 50:  x[i] = 100000000 * i", NARROW),
    "on the way": ("loop k = 0 .. 50000:\n  for i in 50000*k .. 50000*k + 1:  A[k, -50000*k + i] = 1", WIDE),
    "bounds that data give": ("loop k = 0 .. n:\n  x[0] += 1", WIDE),
    "conditions": ("loop k = 0 .. 50:\n  if 100000000 * k > n:\n    x[k] = 1", NARROW),
}


@pytest.mark.parametrize(("source", "expected"), WIDTHS.values(), ids=WIDTHS)
def test_widths(source: str, expected: str) -> None:
    assert index_type(program("widths", ARRAYS, source)) == expected


def test_integers_of_the_program_are_wide() -> None:
    assert index_type(program("widths", "x: float64[50]", "loop k = 0 .. n:\n  x[0] += 1", integers="n")) == WIDE
