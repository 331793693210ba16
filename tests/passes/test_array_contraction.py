"""Local arrays of which each iteration has a part of its own hold one such part."""

from __future__ import annotations

import random
import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.memory.array_contraction import contract_arrays
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.random_cases import random_cases
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[6, 8], x: float64[8], y: float64[8]"
LOCAL = "T: float64[8, 8], U: float64[8, 8], t: float64[8], tape: float64[8, 8, 8]"

SMALLER = {
    "a row": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
          for j in 0 .. 8:  y[j] += T[i, j] * T[i, -j + 7]
        """,
        """
        loop i = 0 .. 6:
          for j in 0 .. 8:  T[j] = A[i, j] * x[j]
          for j in 0 .. 8:  y[j] += T[j] * T[-j + 7]
        """,
    ),
    "a column at a distance, backwards": (
        """
        loop i = 5 .. -1 down:
          for j in 0 .. 8:  T[j, i + 2] = A[i, j] * x[j]
          for j in 0 .. 8:  y[j] += T[j, i + 2]
        """,
        """
        loop i = 5 .. -1 down:
          for j in 0 .. 8:  T[j] = A[i, j] * x[j]
          for j in 0 .. 8:  y[j] += T[j]
        """,
    ),
    "a scalar": (
        """
        loop i = 0 .. 6:
          t[i] = A[i, i] * x[i]
          for j in 0 .. 8:  y[j] += t[i] * A[i, j]
        """,
        """
        loop i = 0 .. 6:
          t = A[i, i] * x[i]
          for j in 0 .. 8:  y[j] += t * A[i, j]
        """,
    ),
    "two axes, one for each loop": (
        """
        loop i = 0 .. 6:
          loop k = 0 .. 8:
            for j in 0 .. 8:  tape[i, j, k] = A[i, j] * x[k]
            for j in 0 .. 8:  y[j] += tape[i, j, k]
        """,
        """
        loop i = 0 .. 6:
          loop k = 0 .. 8:
            for j in 0 .. 8:  tape[j] = A[i, j] * x[k]
            for j in 0 .. 8:  y[j] += tape[j]
        """,
    ),
    "the outer loop alone": (
        """
        loop i = 0 .. 6:
          loop k = 0 .. 8:
            T[i, k] = A[i, k] * x[k]
          loop k = 0 .. 8:
            y[k] += T[i, k]
        """,
        """
        loop i = 0 .. 6:
          loop k = 0 .. 8:
            T[k] = A[i, k] * x[k]
          loop k = 0 .. 8:
            y[k] += T[k]
        """,
    ),
    "a loop that comes again": (
        """
        loop n = 0 .. 3:
          loop i = 0 .. 6:
            for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
            for j in 0 .. 8:  x[j] += 0.1 * T[i, j]
        """,
        """
        loop n = 0 .. 3:
          loop i = 0 .. 6:
            for j in 0 .. 8:  T[j] = A[i, j] * x[j]
            for j in 0 .. 8:  x[j] += 0.1 * T[j]
        """,
    ),
    "within a branch": (
        """
        if x[0] > 0:
          loop i = 0 .. 6:
            for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
            for j in 0 .. 8:  y[j] += T[i, j]
        """,
        """
        if x[0] > 0:
          loop i = 0 .. 6:
            for j in 0 .. 8:  T[j] = A[i, j] * x[j]
            for j in 0 .. 8:  y[j] += T[j]
        """,
    ),
}

AS_IT_IS = {
    "read behind the loop": """
        loop i = 0 .. 6:
          for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
        for i in 0 .. 6, j in 0 .. 8:  y[j] += T[i, j]
        """,
    "read by the next iteration": """
        for j in 0 .. 8:  T[0, j] = x[j]
        loop i = 0 .. 6:
          for j in 0 .. 8:  T[i + 1, j] = A[i, j] * T[i, j]
          for j in 0 .. 8:  y[j] += T[i + 1, j]
        """,
    "kept for when the loop comes again": """
        loop n = 0 .. 3:
          loop i = 0 .. 6:
            if n < 1:
              for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
            for j in 0 .. 8:  y[j] += T[i, j]
        """,
    "made in a loop before": """
        loop n = 0 .. 3:
          loop i = 0 .. 6:
            for j in 0 .. 8:  T[i, j] = A[i, j] * x[j]
          loop i = 0 .. 6:
            for j in 0 .. 8:  y[j] += T[i, j]
        """,
    "every other row": """
        loop i = 0 .. 3:
          for j in 0 .. 8:  T[2*i, j] = A[i, j] * x[j]
          for j in 0 .. 8:  y[j] += T[2*i, j]
        """,
    "along a diagonal": """
        loop i = 0 .. 4:
          for j in 0 .. 4:  t[i + j] = A[i, j] * x[j]
          for j in 0 .. 4:  y[j] += t[i + j]
        """,
    "an argument": """
        loop i = 0 .. 6:
          for j in 0 .. 8:  A[i, j] = A[i, j] * x[j]
        """,
}


def contracted(p: Program) -> Program:
    return contract_arrays(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("rows", ARRAYS, source, local=LOCAL)


@pytest.mark.parametrize(("source", "expected"), SMALLER.values(), ids=SMALLER)
def test_smaller(source: str, expected: str) -> None:
    changed = check(built(source), contracted, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()


@pytest.mark.parametrize("source", AS_IT_IS.values(), ids=AS_IT_IS)
def test_left_as_it_is(source: str) -> None:
    assert contracted(built(source)) == built(source)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: contract_arrays(p, live))


@pytest.mark.parametrize("start", a_quarter(range(0, 40, 20)))
def test_random_programs_stay_the_same(start: int) -> None:
    for made, live in random_cases(range(start, start + 20)):
        check(made, lambda p, live=live: contract_arrays(p, live), live)


WRITERS = ("T[i, j] = A[i, j] * x[j]", "T[i, j] = U[i, j] + 1.0", "U[i, j] = T[i, j] * x[j]", "U[i, j] = A[i, j]",
           "T[i, j] += x[j]", "U[i + 1, j] = y[j]", "T[j, i] = x[j]")  # fmt: skip
READERS = ("y[j] += T[i, j]", "y[j] += U[i, 7 - j]", "x[j] = 0.5 * T[i, j]", "y[j] += U[i + 1, j]")


def _random(seed: int) -> str:
    dice = random.Random(seed)
    loops = []
    for _ in range(dice.choice((1, 1, 2))):
        lines = [dice.choice(WRITERS) for _ in range(dice.choice((1, 2, 3)))]
        lines += [dice.choice(READERS) for _ in range(dice.choice((1, 2)))]
        if dice.random() < 0.3:
            dice.shuffle(lines)
        body = "".join(f"  for j in 0 .. {dice.choice((6, 6, 6, 5))}:  {line}\n" for line in lines)
        loops.append(f"loop i = 0 .. {dice.choice((5, 6))}:\n{body}")
    text = "".join(loops)
    if dice.random() < 0.5:
        text = "loop n = 0 .. 2:\n" + textwrap.indent(text, "  ")
    start = "for i in 0 .. 8, j in 0 .. 8:  {0}[i, j] = x[j] + 0.1\n"
    return "".join(start.format(name) for name in "TU" if dice.random() < 0.7) + text


@pytest.mark.parametrize("start", a_quarter(range(0, 120, 40)))
def test_random_rows(start: int) -> None:
    smaller = 0
    for seed in range(start, start + 40):
        found = check(built(_random(seed)), contracted, rtol=0)
        smaller += found.arrays != built(_random(seed)).arrays
    assert smaller


def pairs(data, table):  # type: ignore[no-untyped-def]
    moved = np.zeros((data.shape[1], data.shape[1]))
    for i in range(data.shape[1]):
        moved[i, i:] = data[:, i] @ data[:, i:] / table[i]
        moved[i:, i] = moved[i, i:]
    return np.sum(moved)


def test_rows_of_tiles_have_the_axis_that_is_there() -> None:
    """Products over tiles of rows kept a whole matrix for each row; within a limit there is no symmetric matrix."""
    size = 128
    plan = daad.plan(pairs, (np.ones((160, size)), np.ones(size)), memory_limit="10MiB")
    assert plan.parts["scratch"] <= 1.6 * 8 * size * size
