"""A branch on whether a mask holds anywhere goes only where nothing in it is done without the mask."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes.redundancy.if_conversion import convert
from tests.passes.checking import arguments, check
from tests.texts import program

FLAG = """
t = False
for i in 0 .. 9:  t max= m[i]
"""
STORE = "for i in 0 .. 9:  y[i] = sin(x[i]) if m[i] else y[i]"

# What follows the flag's statements, and what becomes of that.
CONVERTED = {
    "a store": (f"if t:\n  {STORE}", STORE),
    "an update": ("if t:\n  for i in 0 .. 9:  y[i] += x[i] if m[i] else 0", None),
    "an array of its own": (
        """
        if t:
          for i in 0 .. 9:  u[i] = x[i] if m[i] else 0.0
          for i in 0 .. 9:  u[i] = u[i] * 2.0
          for i in 0 .. 9:  y[i] = u[i] * u[i] if m[i] else y[i]
        """,
        None,
    ),
    "a store that reads others": ("if t:\n  for i in 1 .. 9:  y[i] = y[i] + x[i - 1] if m[i - 1] else y[i]", None),
    "in a loop": (
        f"loop k = 0 .. 3:\n  if t:\n    {STORE}\n  for i in 0 .. 9:  x[i] = y[i]",
        f"loop k = 0 .. 3:\n  {STORE}\n  for i in 0 .. 9:  x[i] = y[i]",
    ),
    "on a side of another branch": (
        f"if x[0] > 1.0:\n  if t:\n    {STORE}\nelse:\n  y[0] = 0",
        f"if x[0] > 1.0:\n  {STORE}\nelse:\n  y[0] = 0",
    ),
}
KEPT = {
    "what is done without the mask": "if t:\n  for i in 0 .. 9:  y[i] = sin(x[i])",
    "a number": "if t:\n  y[0] = 1.0",
    "another mask": "if t:\n  for i in 0 .. 9:  y[i] = sin(x[i]) if l[i] else y[i]",
    "two sides": f"if t:\n  {STORE}\nelse:\n  y[0] = 0",
    "a mask that is changed": f"m[0] = False\nif t:\n  {STORE}",
    "a mask that is changed in a loop": f"loop k = 0 .. 3:\n  if t:\n    {STORE}\n  m[k] = False",
    "a flag that is changed": f"t = True\nif t:\n  {STORE}",
    "a mask that the branch changes": f"if t:\n  {STORE}\n  for i in 0 .. 9:  m[i] = m[i]",
    "an array that is read later": "if t:\n  for i in 0 .. 9:  u[i] = 1.0\ny[0] = u[0] if m[0] else 2.0",
    "an array that is filled before": (
        "for i in 0 .. 9:  u[i] = 1.0\nloop k = 0 .. 3:\n  if t:\n    for i in 0 .. 9:  u[i] = u[i] + x[i]\n"
        "    for i in 0 .. 9:  y[i] = u[i] if m[i] else y[i]"
    ),
    "a part of an array": (
        "for i in 0 .. 9:  u[i] = 1.0\nif t:\n  for i in 1 .. 9:  u[i] = x[i]\n"
        "  for i in 0 .. 9:  y[i] = u[i] if m[i] else y[i]"
    ),
    "a place that data say": "if t:\n  for i in 0 .. 9:  y[i] = x[n[i]] if m[i] else y[i]",
    "functions for no element": (
        "if t:\n  for i in 0 .. 9:  y[i] = arctan2(x[i], 2.0) + tan(x[i]) + sinh(x[i]) + x[i] ** y[i] if m[i] else y[i]"
    ),
    "a loop": f"if t:\n  loop k = 0 .. 3:\n    {STORE}",
}
OTHER_FLAGS = {
    "of a part of the mask": "t = False\nfor i in 1 .. 9:  t max= m[i]",
    "that may hold before": "t = x[0] > 1.0\nfor i in 0 .. 9:  t max= m[i]",
    "that is set between": "t = False\nt = x[0] > 1.0\nfor i in 0 .. 9:  t max= m[i]",
    "of another kind": "t = False\nfor i in 0 .. 9:  t max= logical_not(m[i])",
    "of all": "t = False\nfor i in 0 .. 9:  t min= m[i]",
}


def _row(source: str) -> Program:
    parameters = "x: float64[9], y: float64[9], m: bool[9], l: bool[9], n: int64[9]"
    return program("row", parameters, source, local="t: bool[], u: float64[9]")


def _check(built: Program) -> str:
    """The converted body, after runs with masks that hold somewhere, and with one that holds nowhere."""
    changed = check(built, _convert, built.parameters, rtol=0)
    given = {**arguments(built), "m": np.zeros(9, dtype=bool)}
    before, after = run(built, given), run(changed, given)
    for name in built.parameters:
        np.testing.assert_array_equal(before[name], after[name])
    return body_text(changed.body)


def _convert(built: Program) -> Program:
    return convert(built, frozenset(built.parameters))


def _dedented(text: str) -> str:
    return textwrap.dedent(text).strip()


@pytest.mark.parametrize(("source", "expected"), CONVERTED.values(), ids=CONVERTED)
def test_branch_goes(source: str, expected: str | None) -> None:
    source = _dedented(source)
    left = textwrap.dedent(source.removeprefix("if t:\n")) if expected is None else expected
    assert _check(_row(FLAG + source)) == f"{FLAG}{left}".strip()


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_branch_stays(source: str) -> None:
    built = _row(FLAG + source)
    assert _check(built) == body_text(built.body)


@pytest.mark.parametrize("flag", OTHER_FLAGS.values(), ids=OTHER_FLAGS)
def test_flag_says_nothing_of_the_mask(flag: str) -> None:
    built = _row(f"{flag}\nif t:\n  {STORE}")
    assert _check(built) == body_text(built.body)
