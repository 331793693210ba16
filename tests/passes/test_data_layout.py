"""Local arrays whose axes are in the order of the loops, with the same results."""

from __future__ import annotations

import sys
import textwrap

import pytest

from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.memory.data_layout import lay_out
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[6, 8], B: float64[8, 6], x: float64[8], y: float64[6], z: float64[6], n: int64[]"

MOVED = {
    "columns run through rows": (
        """
        loop j = 1 .. 8:
          for i in 0 .. 6:  T[i, j] = T[i, j - 1] * A[i, j]
        """,
        """
        loop j = 1 .. 8:
          for i in 0 .. 6:  T[j, i] = T[j - 1, i] * A[i, j]
        """,
    ),
    "the other order where that runs more often": (
        """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = A[i, j]
        loop t = 0 .. 5:
          loop j = 1 .. 8:
            for i in 0 .. 6:  T[i, j] += T[i, j - 1]
        """,
        """
        for i in 0 .. 6, j in 0 .. 8:  T[j, i] = A[i, j]
        loop t = 0 .. 5:
          loop j = 1 .. 8:
            for i in 0 .. 6:  T[j, i] += T[j - 1, i]
        """,
    ),
    "an axis in the middle, a gather": (
        """
        loop t = 0 .. 4:
          for i in 0 .. 6:  tape[t, i, 0] = A[i, n]
        loop t = 0 .. 4:
          for i in 0 .. 6:  A[i, 0] = tape[n, i, 0]
        """,
        """
        loop t = 0 .. 4:
          for i in 0 .. 6:  tape[t, 0, i] = A[i, n]
        loop t = 0 .. 4:
          for i in 0 .. 6:  A[i, 0] = tape[n, 0, i]
        """,
    ),
}

AS_THEY_ARE = {
    "contiguous already": "for i in 0 .. 6, j in 0 .. 8:  T[i, j] = A[i, j]",
    "as often one way as the other": """
        for i in 0 .. 6:  T[i, 0] = A[i, 0]
        for j in 0 .. 6:  T[0, j] = A[0, j]
        """,
    "arrays from outside": """
        loop j = 1 .. 8:
          for i in 0 .. 6:  A[i, j] = A[i, j - 1]
        """,
    "a product of matrices": """
        for i in 0 .. 6, j in 0 .. 6:  T[j, i] = 0
        for i in 0 .. 6, j in 0 .. 6, k in 0 .. 8:  T[j, i] += A[i, k] * B[k, j]
        """,
    "rows with a number for each": """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = A[i, j] - y[i]
        for i in 0 .. 6, j in 0 .. 8:  y[i] += T[i, j]
        for i in 0 .. 6, j in 0 .. 8:  z[i] += T[i, j] / y[i]
        for i in 0 .. 6, j in 0 .. 8:  A[i, j] = T[i, j] * (y[i] + z[i])
        """,
    "a diagonal": "for i in 0 .. 6:  T[i, i] = x[i]",
}


@pytest.fixture(autouse=True)
def arrays_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[lay_out.__module__], "LEAST_BYTES", 0)


def arranged(p: Program) -> Program:
    return lay_out(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("layout", ARRAYS, source, local="T: float64[6, 8], tape: float64[4, 6, 1]")


@pytest.mark.parametrize(("source", "expected"), MOVED.values(), ids=MOVED)
def test_moved(source: str, expected: str) -> None:
    changed = check(built(source), arranged)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_left_as_it_is(source: str) -> None:
    assert arranged(built(source)) == built(source)


def test_small_arrays_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    source = MOVED["columns run through rows"][0]
    assert arranged(built(source)) == built(source)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: lay_out(p, live))


@pytest.mark.parametrize("start", a_quarter(range(0, 40, 20)))
def test_random_programs_stay_the_same(start: int) -> None:
    for seed in range(start, start + 20):
        made = random_program(seed)
        live = frozenset(sorted(made.arrays)[::2])
        check(made, lambda p, live=live: lay_out(p, live), live)
        joint = gradient_program(Generator(seed).program())
        live = frozenset((*SHAPES, *joint.results))
        check(joint, lambda p, live=live: lay_out(p, live), live)
