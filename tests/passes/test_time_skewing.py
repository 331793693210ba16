"""Iterations over time that go through the rows together, each some rows behind the one before."""

from __future__ import annotations

import textwrap
from unittest import mock

import numpy as np
import pytest

import daad
from daad.codegen.compilation import compile_program
from daad.ir.interpreter import run
from daad.ir.nodes import Loop, Program
from daad.ir.printer import body_text
from daad.ir.walk import walk
from daad.passes import improve
from daad.passes.loops import time_skewing
from daad.passes.loops.time_skewing import skew_time
from tests.passes.checking import arguments, check
from tests.passes.kernels import KERNELS, naive_joint
from tests.passes.random_cases import random_cases
from tests.passes.slabbed import by_rows, in_sweeps
from tests.passes.test_twins import outline
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[9, 8], B: float64[9, 8], C: float64[4, 9, 8], D: float64[8, 9], x: float64[9], s: float64[]"
LOCAL = "v: float64[8]"

PLACES = {
    "<i - t>": "4*front + i_near - t_step",
    "<i - 2*t>": "4*front + i_near - 2*t_step",
    "<row - 2*t>": "4*front + row_near - 2*t_step",
}

SWEPT = {
    "rows that are overwritten in place": (
        """
        loop t = 0 .. 8:
          loop i = 1 .. 8:
            for j in 0 .. 8:  A[i, j] += A[i - 1, j] + A[i + 1, j]
        """,
        """
        loop t_block = 0 .. 1:
          loop front = 0 .. 4:
            loop t_step = 0 .. 8:
              loop i_near = 0 .. 4:
                if (<i - t>) >= 0 and (<i - t>) < 7:
                  for j in 0 .. 8:  A[<i - t> + 1, j] += A[<i - t>, j] + A[<i - t> + 2, j]
        """,
    ),
    "backwards in time and rows, for a number of steps that is known later": (
        """
        loop t = n - 1 .. -1 down:
          loop i = 7 .. 0 down:
            for j in 0 .. 8:  v[j] = A[i, j] * x[i]
            for j in 0 .. 8:
              A[i - 1, j] += v[j]
              A[i + 1, j] += v[-j + 7]
        """,
        """
        loop t_block = 0 .. (n + 7) // 8:
          loop front = 0 .. 6:
            loop t_step = 0 .. minimum(8, n - 8*t_block):
              loop i_near = 0 .. 4:
                if (<i - 2*t>) >= 0 and (<i - 2*t>) < 7:
                  for j in 0 .. 8:  v[j] = A[2*t_step - 4*front - i_near + 7, j] * x[2*t_step - 4*front - i_near + 7]
                  for j in 0 .. 8:
                    A[2*t_step - 4*front - i_near + 6, j] += v[j]
                    A[2*t_step - 4*front - i_near + 8, j] += v[-j + 7]
        """,
    ),
    "statements over all rows, of which steps keep something each": (
        """
        loop t = 0 .. 4:
          for i in 0 .. 9, j in 0 .. 8:  C[t, i, j] = A[i, j]
          for i in 1 .. 8, j in 0 .. 8:  B[i, j] = A[i - 1, j] + A[i + 1, j]
          for i in 1 .. 8, j in 0 .. 8:  A[i, j] = B[i, j]
        """,
        """
        loop t_block = 0 .. 1:
          loop front = 0 .. 4:
            loop t_step = 0 .. 4:
              loop row_near = 0 .. 4:
                if (<row - 2*t>) >= 0 and (<row - 2*t>) < 9:
                  for j in 0 .. 8:  C[4*t_block + t_step, <row - 2*t>, j] = A[<row - 2*t>, j]
                  if (<row - 2*t>) >= 1 and (<row - 2*t>) < 8:
                    for j in 0 .. 8:  B[<row - 2*t>, j] = A[<row - 2*t> - 1, j] + A[<row - 2*t> + 1, j]
                  if (<row - 2*t>) >= 2:
                    for j in 0 .. 8:  A[<row - 2*t> - 1, j] = B[<row - 2*t> - 1, j]
        """,
    ),
    "single rows at their turn": (
        """
        loop t = 0 .. 11:
          loop i = 1 .. 9:
            if i < 2:
              for j in 0 .. 8:  A[0, j] = A[2, j]
            for j in 0 .. 8:  A[i, j] = A[i, j] * x[i] + A[i - 1, j]
        """,
        """
        loop t_block = 0 .. 2:
          loop front = 0 .. 6:
            loop t_step = 0 .. minimum(8, -8*t_block + 11):
              loop i_near = 0 .. 4:
                if (<i - 2*t>) >= 0 and (<i - 2*t>) < 8:
                  if (<i - 2*t> + 1) < 2:
                    for j in 0 .. 8:  A[0, j] = A[2, j]
                  for j in 0 .. 8:  A[<i - 2*t> + 1, j] = A[<i - 2*t> + 1, j] * x[<i - 2*t> + 1] + A[<i - 2*t>, j]
        """,
    ),
}

LEFT = {
    "a sum over all rows": """
        loop t = 0 .. 4:
          loop i = 0 .. 9:
            for j in 0 .. 8:
              A[i, j] = A[i, j] * 0.5
              s += A[i, j]
        """,
    "rows that move with time": """
        loop t = 0 .. 4:
          loop i = t .. 9:
            for j in 0 .. 8:  A[i, j] = A[i, j] * x[t]
        """,
    "places from an array": """
        loop t = 0 .. 4:
          loop i = 0 .. 9:
            for j in 0 .. 8:  A[m[i], j] = A[i, j] * 0.5
        """,
    "as many rows as an array says": """
        loop t = 0 .. 4:
          loop i = 0 .. m[t]:
            for j in 0 .. 8:  A[i, j] = A[i, j] * 0.5
        """,
    "a row that goes from iteration to iteration": """
        loop t = 0 .. 4:
          loop i = 0 .. 9:
            for j in 0 .. 8:  v[j] = v[j] + A[i, j]
            for j in 0 .. 8:  A[i, j] = v[-j + 7]
        """,
    "something beside the rows": """
        loop t = 0 .. 4:
          s += x[t]
          loop i = 1 .. 9:
            for j in 0 .. 8:  A[i, j] = A[i - 1, j] * s
        """,
}


def swept(p: Program) -> Program:
    return in_sweeps(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("rows", f"{ARRAYS}, m: int64[9]", source, integers="n", local=LOCAL)


def count(p: Program) -> int:
    """The sweeps."""
    return sum(isinstance(node, Loop) and node.var.startswith("front") for node in walk(p.body))


@pytest.mark.parametrize(("source", "text"), SWEPT.values(), ids=SWEPT)
def test_swept(source: str, text: str) -> None:
    changed = check(built(source), swept, rtol=0)
    found = body_text(changed.body)
    for short, place in PLACES.items():
        found = found.replace(place, short)
    assert found == textwrap.dedent(text).strip()


@pytest.mark.parametrize("source", LEFT.values(), ids=LEFT)
def test_left_as_it_is(source: str) -> None:
    made = built(source)
    outer = made.body[0]
    assert isinstance(outer, Loop)
    assert next(n.var for n in walk(swept(made).body) if isinstance(n, Loop)) == outer.var


@pytest.mark.parametrize("source", [source for source, _ in list(SWEPT.values())[:3]])
def test_a_shorter_lag_is_wrong(source: str) -> None:
    least = time_skewing._least_lag

    def shorter(*given):  # type: ignore[no-untyped-def]
        lag = least(*given)
        return lag and lag - 1

    with mock.patch.object(time_skewing, "_least_lag", shorter), pytest.raises(AssertionError, match="before"):
        check(built(source), swept, rtol=0)


def test_what_caches_hold_or_threads_share_stays() -> None:
    def large(side: int) -> Program:
        source = f"""
        loop t = 0 .. 9:
          for i in 1 .. {side - 1}, j in 0 .. {side}:  B[i, j] = A[i - 1, j] + A[i + 1, j]
          for i in 1 .. {side - 1}, j in 0 .. {side}:  A[i, j] = B[i - 1, j] + B[i + 1, j]
        """
        shape = f"float64[{side}, {side}]"
        return program("large", f"A: {shape}, B: {shape}", source)

    live = frozenset("AB")
    assert count(skew_time(large(500), live)) == 0
    assert count(skew_time(large(1500), live)) == 1
    assert count(skew_time(large(1500), live, 2)) == 0


def test_rows_of_few_elements_stay() -> None:
    source = """
    loop t = 0 .. 9:
      loop i = 1 .. 2000000:
        A[i] = A[i - 1] + A[i]
    """
    made = program("long", "A: float64[2000000]", source)
    assert skew_time(made, frozenset("A")) is made


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "sweep"])  # which takes seconds to interpret
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(by_rows(improve(joint, live), live), lambda p: in_sweeps(p, live), live, rtol=0)


@pytest.mark.parametrize("start", a_quarter(range(0, 20, 10)))
def test_random_programs_stay_the_same(start: int) -> None:
    found = 0
    for made, live in random_cases(range(start, start + 10)):
        found += count(check(made, lambda p, live=live: in_sweeps(p, live), live, rtol=0))
    assert found


def relax(plate, rounds):  # type: ignore[no-untyped-def]
    for _ in range(rounds):
        for row in range(1, plate.shape[0] - 1):
            plate[row, 1:-1] = 0.2 * (plate[row - 1, 1:-1] + plate[row, 1:-1] + plate[row + 1, 2:])
    return np.sum(plate)


def settle(height, times):  # type: ignore[no-untyped-def]
    for _ in range(times):
        for k in range(1, height.shape[0] - 1):
            height[k, 1:-1] = 0.3 * (height[k - 1, 1:-1] + height[k, 1:-1] + height[k + 1, 2:])
    return np.sum(height)


def test_twins() -> None:
    """Names, sizes and constants play no part."""

    def joint(function, rows, columns):  # type: ignore[no-untyped-def]
        given = np.ones((rows, columns)), 7
        wrt = function.__code__.co_varnames[0]
        return daad.plan(function, given, wrt=wrt, on_inputs="primal").derivation.joint

    one, other = joint(relax, 1200, 1300), joint(settle, 1700, 1100)
    assert count(one) == count(other) == 2
    assert tuple(outline(one.body)) == tuple(outline(other.body))


def test_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    given = np.random.default_rng(0).random((1100, 1000)), 9
    found = []
    for threads in (1, 8):
        monkeypatch.setattr("daad.pipeline.threads", lambda threads=threads: threads)
        found.append(daad.grad(relax, wrt="plate", on_inputs="keep")(*given))
    np.testing.assert_array_equal(*found)


def test_compiled() -> None:
    changed = swept(built("".join(textwrap.dedent(source) for source, _ in SWEPT.values())))
    assert count(changed) == len(SWEPT)
    for trips in (0, 1, 8, 11):
        values = {**arguments(changed), "n": trips}
        expected = run(changed, values)
        given = [np.array(values[p]) for p in changed.parameters]
        compile_program(changed).call(given, [trips])
        for parameter, found in zip(changed.parameters, given, strict=True):
            np.testing.assert_allclose(found, expected[parameter], rtol=1e-13, err_msg=parameter)
