"""Simplified expressions have the same value."""

from __future__ import annotations

import pytest

from daad.ir.printer import body_text
from daad.passes.scalar.simplification import simplify
from tests.codegen.generate import random_program
from tests.passes.checking import check
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "a[i] * 1.0": "a[i]",
    "-(-a[i])": "a[i]",
    "a[i] + -b[i]": "a[i] - b[i]",
    "a[i] - (-b[i])": "a[i] + b[i]",
    "2.0 * 0.5 * a[i]": "a[i]",
    "0 * a[i]": "0 * a[i]",
    "0:float64 * 3.0 + a[i]": "a[i]",
    "1.0 / 0:float64 * a[i]": "1.0 / 0:float64 * a[i]",
    "a[i] if i >= 0 else b[i]": "a[i]",
    "a[i] if i > 3 else b[i]": "b[i]",
    "a[i] if i < 3 else b[i]": "a[i] if i < 3 else b[i]",
    "a[i] if i < 4 and i >= 1 else b[i]": "a[i] if i >= 1 else b[i]",
    "a[i] if i + t <= t else a[i]": "a[i]",
    "a[i] if i + t < 7 else b[i]": "a[i]",
    "a[i] / 1.0 if a[i] > 0.5 else b[i] - 0": "a[i] if a[i] > 0.5 else b[i]",
    "a[i] if 2.0 != 0:float64 else b[i]": "a[i]",
    "a[i] if 2.0 == 0:float64 else b[i]": "b[i]",
    "float64(a[i])": "a[i]",
    "-1.0 * a[i]": "-a[i]",
    "(-a[i]) * (-a[i])": "a[i] * a[i]",
    "(-a[i]) * (-b[i])": "a[i] * b[i]",
    "a[i] if bitwise_and(1, int64(a[i] > 0.5)) != 0 else b[i]": "a[i] if int64(a[i] > 0.5) != 0 else b[i]",
    "a[i] if bitwise_and(int64(a[i] > 0.5), int64(True)) == 0 else b[i]": "a[i] if int64(a[i] > 0.5) == 0 else b[i]",
    "a[i] if bool(bitwise_and(int64(a[i] > 0.5), int64(b[i] > 0.5))) else b[i]": (
        "a[i] if a[i] > 0.5 and b[i] > 0.5 else b[i]"
    ),
    "a[i] if bitwise_and(2, int64(a[i] > 0.5)) != 0 else b[i]": (
        "a[i] if bitwise_and(2, int64(a[i] > 0.5)) != 0 else b[i]"
    ),
    "(a[i] if a[i] > 0.5 else 1.0) if a[i] > 0.5 else b[i]": "a[i] if a[i] > 0.5 else b[i]",
    "a[i] if a[i] > 0.5 else (b[i] if a[i] > 0.5 else 1.0)": "a[i] if a[i] > 0.5 else 1.0",
}


@pytest.mark.parametrize(("value", "expected"), ROWS.items(), ids=ROWS)
def test_value(value: str, expected: str) -> None:
    source = f"loop t = 0 .. 4:\n  for i in 0 .. 4:  c[i] = {value}"
    built = program("row", "a: float64[4], b: float64[4], c: float64[4]", source)
    text = body_text(check(built, simplify, rtol=0).body)
    assert text == f"loop t = 0 .. 4:\n  for i in 0 .. 4:  c[i] = {expected}"


def test_what_stays_as_it_is_disappears() -> None:
    built = program("row", "a: float64[4]", "for i in 0 .. 4:  a[i] = a[i] if i < 4 else 0")
    assert body_text(check(built, simplify, rtol=0).body) == ""


def test_what_a_value_is_where_it_stands_says_nothing_about_other_places() -> None:
    value = "a[i] if i < 2 else b[i]"
    places = ("0 .. 4", "0 .. 2", "2 .. 4", "0 .. 4")
    source = "\n".join(f"for i in {place}:  c[i] = {value}" for place in places)
    built = program("row", "a: float64[4], b: float64[4], c: float64[4]", source)
    assert body_text(check(built, simplify, rtol=0).body).splitlines() == [
        "for i in 0 .. 4:  c[i] = a[i] if i < 2 else b[i]",
        "for i in 0 .. 2:  c[i] = a[i]",
        "for i in 2 .. 4:  c[i] = b[i]",
        "for i in 0 .. 4:  c[i] = a[i] if i < 2 else b[i]",
    ]


@pytest.mark.parametrize("seed", a_quarter(range(100)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, simplify, built.arrays, rtol=0)
