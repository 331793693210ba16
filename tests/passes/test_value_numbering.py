"""What is computed twice is computed once."""

from __future__ import annotations

import random
import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes.redundancy.value_numbering import number_values
from tests.passes.checking import check
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "two sums": (
        """
        s = 0
        for i in 0 .. 20:  s += x[i]
        t = 0
        for j in 0 .. 20:  t += x[j]
        for i in 0 .. 20:  y[i] = s * x[i] + t
        """,
        """
        s = 0
        for i in 0 .. 20:  s += x[i]
        for i in 0 .. 20:  y[i] = s * x[i] + s
        """,
    ),
    "each made from the one before": (
        """
        for i in 0 .. 20:  u[i] = sin(x[i])
        for i in 0 .. 20:  v[i] = sin(x[i])
        s = 0
        t = 0
        for i in 0 .. 20:  s += u[i] * y[i]
        for i in 0 .. 20:  t += v[i] * y[i]
        y[0] = s * t
        """,
        """
        for i in 0 .. 20:  u[i] = sin(x[i])
        s = 0
        for i in 0 .. 20:  s += u[i] * y[i]
        y[0] = s * s
        """,
    ),
    "of what changes between": (
        """
        for i in 0 .. 20:  u[i] = sin(x[i])
        x[3] = 0
        for i in 0 .. 20:  v[i] = sin(x[i])
        for i in 0 .. 20:  y[i] = u[i] + v[i]
        """,
        None,
    ),
    "in a loop, read before it is made anew": (
        """
        loop n = 0 .. 3:
          for i in 0 .. 20:  u[i] = sin(x[i])
          for i in 0 .. 20:  x[i] = y[i] + v[i]
          for i in 0 .. 20:  y[i] = u[i] * x[i]
          for i in 0 .. 20:  v[i] = sin(x[i])
        """,
        None,
    ),
    "in a loop, read in the next iteration": (
        """
        loop n = 0 .. 3:
          for i in 0 .. 20:  u[i] = sin(x[i])
          for i in 0 .. 20:  y[i] = u[i] * v[i]
          for i in 0 .. 20:  v[i] = sin(x[i])
        """,
        None,
    ),
    "changed by others": (
        """
        for i in 0 .. 20:  u[i] = sin(x[i])
        for i in 0 .. 20:  v[i] = sin(x[i])
        loop n = 0 .. 3:
          v[n] = 0
        for i in 0 .. 20:  y[i] = u[i] + v[i]
        """,
        None,
    ),
    "over other elements": (
        """
        for i in 0 .. 20:  u[i] = sin(x[i])
        for i in 0 .. 19:  v[i] = sin(x[i])
        for i in 0 .. 19:  y[i] = u[i] + v[i]
        """,
        None,
    ),
}
LOCAL = "u: float64[20], v: float64[20], s: float64[], t: float64[]"


def _same(built: Program) -> Program:
    return number_values(built, frozenset(built.parameters))


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_same(source: str, expected: str | None) -> None:
    built = program("row", "x: float64[20], y: float64[20]", source, local=LOCAL)
    found = body_text(check(built, _same, rtol=0).body)
    assert found == (body_text(built.body) if expected is None else textwrap.dedent(expected).strip())


MAKERS = (
    "for i in 0 .. 20:  {a}[i] = x[i] * 2.0",
    "for i in 1 .. 20:  {a}[i] = x[i - 1] * 2.0",
    "for i in 0 .. 20:  {a}[i] = 1.0\nfor i in 0 .. 20:  {a}[i] += x[i]",
)
READERS = (
    "for i in 0 .. 20:  x[i] = {a}[i] - {b}[i]",
    "for i in 0 .. 20:  y[i] += {a}[i] * {b}[i]",
    "for i in 0 .. 20:  y[i] += {a}[-i + 19]",
)


def _random(seed: int) -> str:
    """Each of three arrays is made in one place of a loop or around it; others read them and change what makes them."""
    dice = random.Random(seed)
    makers = dice.sample(MAKERS, 2)
    places: dict[str, list[str]] = {where: [] for where in ("before", "inside", "after")}
    for a in "uvw":
        places[dice.choice(("before", "inside", "inside", "after"))] += dice.choice(makers).format(a=a).split("\n")
    for where in places:
        for _ in range(dice.choice((0, 1, 2))):
            line = dice.choice(READERS).format(a=dice.choice("uvw"), b=dice.choice("uvw"))
            places[where].insert(dice.randint(0, len(places[where])), line)
    text = {where: "\n".join(lines) for where, lines in places.items()}
    loop = "loop n = 0 .. 3:\n" + textwrap.indent(text["inside"] or "y[0] += 1.0", "  ")
    last = "for i in 0 .. 20:  y[i] += u[i] + 3.0 * v[i] + 7.0 * w[i]"
    return "\n".join([text["before"], loop, text["after"], last])


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs(seed: int) -> None:
    local = "u: float64[20], v: float64[20], w: float64[20]"
    built = program("row", "x: float64[20], y: float64[20]", _random(seed), local=local)
    check(built, _same, rtol=0)


def standardised(x, w):  # type: ignore[no-untyped-def]
    z = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    return np.sum(np.tanh(z @ w))


def test_of_a_mean_and_a_standard_deviation() -> None:
    arguments = np.random.default_rng(0).normal(size=(7, 5)), np.random.default_rng(1).normal(size=(5, 5))
    plan = daad.plan(standardised, arguments)
    sums = [line for line in body_text(plan.derivation.primal.body).splitlines() if "+= x[" in line]
    assert len(sums) == 1
