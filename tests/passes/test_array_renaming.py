"""An array that is overwritten as a whole is another one from there on, with the same results."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.ir.walk import writes
from daad.passes import improve
from daad.passes.redundancy.array_renaming import rename_arrays
from daad.passes.redundancy.dead_code import remove_dead
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

TOLD_APART = {
    "by a statement": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        for i in 1 .. 8:  y[i] += t[i - 1]
        for j in 0 .. 8:  t[-j + 7] = 2.0
        for i in 0 .. 8:  y[i] += t[i]
        """,
        """
        for i in 0 .. 8:  t_1[i] = x[i]
        for i in 1 .. 8:  y[i] += t_1[i - 1]
        for j in 0 .. 8:  t[-j + 7] = 2.0
        for i in 0 .. 8:  y[i] += t[i]
        """,
    ),
    "by one of the assigns of a statement, three times": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        for i in 0 .. 8:
          y[i] += t[i]
          t[i] = 1.0
          y[i] += t[i]
        loop n = 0 .. 2:
          t[n] += x[n]
        for i in 0 .. 8:
          t[i] = y[i]
          x[i] = t[i]
        """,
        """
        for i in 0 .. 8:  t_2[i] = x[i]
        for i in 0 .. 8:
          y[i] += t_2[i]
          t_1[i] = 1.0
          y[i] += t_1[i]
        loop n = 0 .. 2:
          t_1[n] += x[n]
        for i in 0 .. 8:
          t[i] = y[i]
          x[i] = t[i]
        """,
    ),
    "by an assign that is not the first of the statement": (
        """
        for i in 0 .. 8:
          y[i] += x[i]
          t[i] = x[i]
          y[i] += t[i]
        for i in 0 .. 8:  t[i] = 2.0
        for i in 0 .. 8:  y[i] += t[i]
        """,
        """
        for i in 0 .. 8:
          y[i] += x[i]
          t_1[i] = x[i]
          y[i] += t_1[i]
        for i in 0 .. 8:  t[i] = 2.0
        for i in 0 .. 8:  y[i] += t[i]
        """,
    ),
    "a result": (
        """
        for i in 0 .. 8:  r[i] = 1.0
        for i in 1 .. 8:  y[i] += r[i - 1]
        for i in 0 .. 8:  r[i] = 0
        """,
        """
        for i in 0 .. 8:  r_1[i] = 1.0
        for i in 1 .. 8:  y[i] += r_1[i - 1]
        for i in 0 .. 8:  r[i] = 0
        """,
    ),
}
FILL = "for i in 0 .. 8:  t[i] = 1.0\n"
KEPT = {
    "a part": FILL + "for i in 1 .. 8:  t[i] = x[i]\nfor i in 0 .. 8:  y[i] = t[i]",
    "an update": FILL + "for i in 0 .. 8:  t[i] += x[i]\nfor i in 0 .. 8:  y[i] = t[i]",
    "from itself": FILL + "for i in 0 .. 8:  t[i] = t[i] * x[i]\nfor i in 0 .. 8:  y[i] = t[i]",
    "in a loop": "loop n = 0 .. 3:\n  for i in 0 .. 8:  t[i] = x[n]\n  y[n] = t[n]",
    "an argument": "for i in 0 .. 8:  x[i] = y[i]\nfor i in 0 .. 8:  x[i] = 1.0",
    "for the first time": FILL + "for i in 0 .. 8:  y[i] = t[i]",
}


def built(source: str) -> Program:
    arrays, source = "x: float64[8], y: float64[8]", textwrap.dedent(source)
    return program("versions", arrays, source, local="t: float64[8], r: float64[8]", results="r")


def told_apart(p: Program) -> Program:
    return rename_arrays(p, frozenset((*p.parameters, *p.results)))


@pytest.mark.parametrize(("source", "expected"), TOLD_APART.values(), ids=TOLD_APART)
def test_told_apart(source: str, expected: str) -> None:
    changed = check(built(source), told_apart, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_left_as_it_is(source: str) -> None:
    assert told_apart(built(source)) == built(source)


def test_array_that_stays_is_one() -> None:
    made = built(TOLD_APART["by a statement"][0])
    assert rename_arrays(made, frozenset(("t", *made.parameters))) == made


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: remove_dead(rename_arrays(p, live), live), rtol=0)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs_stay_the_same(seed: int) -> None:
    made = temporaries_program(seed)
    check(made, told_apart, made.parameters, rtol=0)


def smoothed(field, out, weight):  # type: ignore[no-untyped-def]
    out[:] = weight * np.sin(field)


def damped(height, level, drag):  # type: ignore[no-untyped-def]
    level[:, :] = np.exp(-drag) * height


@pytest.mark.parametrize("function", [smoothed, damped])
def test_twins_know_the_seed(function: Callable[..., Any]) -> None:
    rows = 12 if function is smoothed else 9
    values = [np.full((rows, 7), 0.3 + n) for n in range(3)]
    _, target, other = function.__code__.co_varnames[:3]
    made = daad.plan(function, values, wrt=(target, other), of=target, seed=1.0, on_inputs="keep").derivation.joint
    assert len(writes(made.body)) == 2, "the gradients alone: neither a seed nor what is made from it"
