"""Statements that go through their rows together, each some rows behind what it reads."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import daad
from daad.codegen.compilation import compile_program
from daad.ir.interpreter import run
from daad.ir.nodes import Loop, Program
from daad.ir.printer import body_text
from daad.ir.walk import walk
from daad.passes import improve
from daad.passes.loops.shifted_fusion import fuse_shifted
from tests.passes.checking import arguments, check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.random_cases import random_cases
from tests.passes.slabbed import by_rows
from tests.passes.test_twins import outline
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[9, 8], B: float64[9, 8], C: float64[9, 8], x: float64[9], s: float64[]"
LOCAL = "T: float64[9, 8]"

STENCILS = """
for i in 1 .. 8, j in 0 .. 8:  T[i, j] = A[i - 1, j] + A[i + 1, j]
for i in 2 .. 7, j in 0 .. 8:  B[i, j] = T[i - 1, j] + T[i + 1, j]
"""

TOGETHER = {
    "a stencil of a stencil": (
        STENCILS,
        """
        loop row = 1 .. 8:
          for j in 0 .. 8:  T[2, j] = A[row - 1, j] + A[row + 1, j]
          if row >= 3:
            for j in 0 .. 8:  B[row - 1, j] = T[0, j] + T[2, j]
          for i_1 in 0 .. 8:  T[0, i_1] = T[1, i_1]
          for i_2 in 0 .. 8:  T[1, i_2] = T[2, i_2]
        """,
    ),
    "what is read may be overwritten once all have read it": (
        """
        for i in 1 .. 8, j in 0 .. 8:  T[i, j] = A[i - 1, j] + A[i + 1, j]
        for i in 1 .. 8, j in 0 .. 8:  A[i, j] = T[i, j]
        """,
        """
        loop row = 1 .. 9:
          if row < 8:
            for j in 0 .. 8:  T[1, j] = A[row - 1, j] + A[row + 1, j]
          if row >= 2:
            for j in 0 .. 8:  A[row - 1, j] = T[0, j]
          for i_1 in 0 .. 8:  T[0, i_1] = T[1, i_1]
        """,
    ),
    "one row holds all that is alive": (
        """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j] * B[i, j]
        for i in 0 .. 9, j in 0 .. 8:  C[i, -j + 7] = T[i, j]
        """,
        """
        loop row = 0 .. 9:
          for j in 0 .. 8:  T[j] = A[row, j] * B[row, j]
          for j in 0 .. 8:  C[row, -j + 7] = T[j]
        """,
    ),
    "single rows and columns at their turn": (
        """
        for i in 1 .. 8, j in 1 .. 7:  A[i, j] = B[i, j] * B[i - 1, j]
        for i in 0 .. 9:  A[i, 0] = A[i, 1]
        for j in 0 .. 8:  A[0, j] = A[1, j]
        for i in 1 .. 9, j in 0 .. 8:  C[i, j] = A[i - 1, j]
        """,
        """
        loop row = 0 .. 9:
          if row >= 1 and row < 8:
            for j in 1 .. 7:  A[row, j] = B[row, j] * B[row - 1, j]
          A[row, 0] = A[row, 1]
          if row >= 1 and row < 2:
            for j in 0 .. 8:  A[0, j] = A[1, j]
          if row >= 1:
            for j in 0 .. 8:  C[row, j] = A[row - 1, j]
        """,
    ),
    "within a loop, whose iterations leave nothing in what becomes smaller": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j] * x[t]
          for i in 0 .. 9, j in 0 .. 8:  A[i, j] = T[i, j]
        """,
        """
        loop t = 0 .. 3:
          loop row = 0 .. 9:
            for j in 0 .. 8:  T[j] = A[row, j] * x[t]
            for j in 0 .. 8:  A[row, j] = T[j]
        """,
    ),
    "what conditions keep within the array": (
        """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j] * 2.0
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = T[i, j - 1] if j >= 1 else 0
        """,
        """
        loop row = 0 .. 9:
          for j in 0 .. 8:  T[j] = A[row, j] * 2.0
          for j in 0 .. 8:  B[row, j] = T[j - 1] if j >= 1 else 0
        """,
    ),
    "what others look at stays whole": (
        """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j]
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = T[i, j] * 2.0
        s = T[3, 4]
        """,
        """
        loop row = 0 .. 9:
          for j in 0 .. 8:  T[row, j] = A[row, j]
          for j in 0 .. 8:  B[row, j] = T[row, j] * 2.0
        s = T[3, 4]
        """,
    ),
}

APART = {
    "rows in the other order": """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j]
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = T[-i + 8, j]
        """,
    "rows and columns": """
        for i in 0 .. 8, j in 0 .. 8:  T[i, j] = A[i, j]
        for i in 0 .. 8, j in 0 .. 8:  B[i, j] = T[j, i]
        """,
    "a sum over all rows": """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j] * 2.0
        for i in 0 .. 9, j in 0 .. 8:  s += T[i, j]
        """,
    "a sum that is read": """
        for i in 0 .. 9, j in 0 .. 8:  x[i] += A[i, j]
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = A[i, j] * x[i]
        """,
    "a row that all read": """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j]
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = T[i, j] * T[0, j]
        """,
    "places from an array": """
        for i in 0 .. 9, j in 0 .. 8:  T[i, j] = A[i, j]
        for i in 0 .. 9, j in 0 .. 8:  B[i, j] = T[n[i], j]
        """,
}


def together(p: Program) -> Program:
    return by_rows(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("rows", f"{ARRAYS}, n: int64[9]", source, local=LOCAL)


def rows(p: Program) -> int:
    return sum(isinstance(node, Loop) and node.var.startswith("row") for node in walk(p.body))


@pytest.mark.parametrize(("source", "text"), TOGETHER.values(), ids=TOGETHER)
def test_together(source: str, text: str) -> None:
    changed = check(built(source), together, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(text).strip()


@pytest.mark.parametrize("source", APART.values(), ids=APART)
def test_left_as_it_is(source: str) -> None:
    assert together(built(source)) == built(source)


def test_what_is_near_stays_apart() -> None:
    live = frozenset({"B"})

    def large(side: int) -> Program:
        source = f"""
        for i in 1 .. {side - 1}, j in 0 .. {side}:  T[i, j] = A[i - 1, j] + A[i + 1, j]
        for i in 2 .. {side - 2}, j in 0 .. {side}:  B[i, j] = T[i - 1, j] + T[i + 1, j]
        """
        shape = f"float64[{side}, {side}]"
        return program("large", f"A: {shape}, B: {shape}", source, local=f"T: {shape}")

    assert fuse_shifted(large(16), live) == large(16)
    assert rows(fuse_shifted(large(200), live)) == 1
    assert rows(fuse_shifted(large(1000), live, 1)) == 1


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: by_rows(p, live), live, rtol=0)


@pytest.mark.parametrize("start", a_quarter(range(0, 60, 20)))
def test_random_programs_stay_the_same(start: int) -> None:
    found = 0
    for made, live in random_cases(range(start, start + 20)):
        found += rows(check(made, lambda p, live=live: by_rows(p, live), live, rtol=0))
    assert found


def smooth(p, source, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        beside = 0.3 * (p[1:-1, 2:] + p[1:-1, :-2])
        p[1:-1, 1:-1] = beside + 0.2 * (p[2:, 1:-1] + p[:-2, 1:-1]) - source
        p[:, 0] = p[:, 1]
        p[-1, :] = 0.0
    return np.sum(p * p)


def cool(plate, losses, rounds):  # type: ignore[no-untyped-def]
    for _ in range(rounds):
        across = 0.11 * (plate[1:-1, 2:] + plate[1:-1, :-2])
        plate[1:-1, 1:-1] = across + 0.37 * (plate[2:, 1:-1] + plate[:-2, 1:-1]) - losses
        plate[:, 0] = plate[:, 1]
        plate[-1, :] = 2.0
    return np.sum(plate * plate)


def test_twins() -> None:
    """Names, sizes and constants play no part; the time loops there and back go by rows."""

    def joint(function, rows, columns):  # type: ignore[no-untyped-def]
        given = np.ones((rows, columns)), np.ones((rows - 2, columns - 2)), 7
        return daad.plan(function, given, wrt=function.__code__.co_varnames[1]).derivation.joint

    one, other = joint(smooth, 80, 90), joint(cool, 101, 90)
    assert rows(one) == rows(other) == 2
    assert tuple(outline(one.body)) == tuple(outline(other.body))


def test_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    given = np.random.default_rng(0).random((300, 300)), np.random.default_rng(1).random((298, 298)), 3
    found = []
    for threads in (1, 8):
        monkeypatch.setattr("daad.pipeline.threads", lambda threads=threads: threads)
        found.append(daad.grad(smooth, wrt=("p", "source"), on_inputs="keep")(*given))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_compiled() -> None:
    changed = together(built("".join(textwrap.dedent(source) for source, _ in TOGETHER.values())))
    assert rows(changed) > 1
    values = arguments(changed)
    expected = run(changed, values)
    given = [np.array(values[p]) for p in changed.parameters]
    compile_program(changed, cache=False).call(given, [])
    for parameter, found in zip(changed.parameters, given, strict=True):
        np.testing.assert_allclose(found, expected[parameter], rtol=1e-14, err_msg=parameter)
