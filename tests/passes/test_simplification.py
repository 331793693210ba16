"""Simplified expressions have the same value."""

from __future__ import annotations

import pytest

from daad.ir.printer import body_text
from daad.passes.scalar.simplification import simplify
from tests.codegen.generate import random_program
from tests.codegen.text import program
from tests.passes.checking import check

ROWS = {
    "a[i] * 1.0": "a[i]",
    "-(-a[i])": "a[i]",
    "a[i] + -b[i]": "a[i] - b[i]",
    "a[i] - (-b[i])": "a[i] + b[i]",
    "2.0 * 0.5 * a[i]": "a[i]",
    "0.0 * a[i]": "0 * a[i]",
    "0.0 * 3.0 + a[i]": "a[i]",
    "1.0 / 0.0 * a[i]": "1.0 / 0:float64 * a[i]",
    "where(i >= 0, a[i], b[i])": "a[i]",
    "where(i > 3, a[i], b[i])": "b[i]",
    "where(i < 3, a[i], b[i])": "a[i] if i < 3 else b[i]",
    "where(i < 4 and i >= 1, a[i], b[i])": "a[i] if i >= 1 else b[i]",
    "where(i + t <= t, a[i], a[i])": "a[i]",
    "where(i + t < 7, a[i], b[i])": "a[i]",
    "where(a[i] > 0.5, a[i] / 1.0, b[i] - 0.0)": "a[i] if a[i] > 0.5 else b[i]",
    "where(2.0 != 0.0, a[i], b[i])": "a[i]",
    "where(2.0 == 0.0, a[i], b[i])": "b[i]",
    "float64(a[i])": "a[i]",
    "-1.0 * a[i]": "-a[i]",
    "(-a[i]) * (-a[i])": "a[i] * a[i]",
    "(-a[i]) * (-b[i])": "a[i] * b[i]",
}


@pytest.mark.parametrize(("value", "expected"), ROWS.items(), ids=ROWS)
def test_value(value: str, expected: str) -> None:
    source = f"for t in range(0, 4):\n    with nest(i=(0, 4)):\n        c[i] = {value}"
    built = program("row", "a: float64[4]; b: float64[4]; c: float64[4]", source)
    text = body_text(check(built, simplify, rtol=0).body)
    assert text == f"loop t = 0 .. 4:\n  for i in 0 .. 4:  c[i] = {expected}"


def test_what_stays_as_it_is_disappears() -> None:
    built = program("row", "a: float64[4]", "with nest(i=(0, 4)):\n    a[i] = where(i < 4, a[i], 0.0)")
    assert body_text(check(built, simplify, rtol=0).body) == ""


def test_what_a_value_is_where_it_stands_says_nothing_about_other_places() -> None:
    value = "where(i < 2, a[i], b[i])"
    places = ("(0, 4)", "(0, 2)", "(2, 4)", "(0, 4)")
    source = "\n".join(f"with nest(i={place}):\n    c[i] = {value}" for place in places)
    built = program("row", "a: float64[4]; b: float64[4]; c: float64[4]", source)
    assert body_text(check(built, simplify, rtol=0).body).splitlines() == [
        "for i in 0 .. 4:  c[i] = a[i] if i < 2 else b[i]",
        "for i in 0 .. 2:  c[i] = a[i]",
        "for i in 2 .. 4:  c[i] = b[i]",
        "for i in 0 .. 4:  c[i] = a[i] if i < 2 else b[i]",
    ]


@pytest.mark.parametrize("seed", range(100))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, simplify, built.arrays, rtol=0)
