"""The team of threads: the same bits for any number of them, one team for all libraries, nobody waits for a thread."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from daad.codegen.compilation import compile_program
from daad.codegen.cpp.thread_team import Dimension, shared_loops
from daad.ir.nodes import Program
from daad.runtime.compiled import Compiled
from tests.codegen.running import arguments, assert_agrees, call, team_of
from tests.texts import program

ROWS = Dimension("int", "i", "2", "(n - 1)")
COLUMNS = Dimension("int64_t", "j", "0", "5")
SHARED = """\
daad::share((((n - 1)) - (2)), 0, daad::most_threads, [=](int64_t own__first, int64_t own__last, int own__thread) \
DAAD_INLINED {
for (int i = int(2) + int(own__first), own__stop = int(2) + int(own__last); i < own__stop; i += 1) {
for (int64_t j = 0; j < 5; j += 1) {
}}});"""
TOGETHER = """\
daad::share((((n - 1)) - (2)) * ((5) - (0)), 1, 4, \
[=](int64_t own__first, int64_t own__last, int own__thread) DAAD_INLINED {
for (int64_t own__number = own__first; own__number < own__last; own__number += 1) {
const int i = int(2) + int(own__number / ((5) - (0)) % (((n - 1)) - (2)));
const int64_t j = int64_t(0) + int64_t(own__number % ((5) - (0)));
}});"""
SIDE = 300


def stepping(factor: float) -> Program:
    """Steps of time, each with two nests that threads share."""
    body = (
        "loop t = 0 .. 300:\n"
        f"  for i in 0 .. 300, j in 0 .. 300:  y[i, j] = {factor} * x[i, j] + sin(x[i, j])\n"
        "  for i in 0 .. 300, j in 0 .. 300:  x[i, j] = 0.5 * y[i, j] + 0.25 * y[-i + 299, -j + 299]\n"
    )
    return program("p", f"x: float64[{SIDE}, {SIDE}], y: float64[{SIDE}, {SIDE}]", body)


def test_scalars_from_around_are_read() -> None:
    body = "s = 0.5\nfor i in 0 .. 9:  s += x[i, i]\nfor i in 0 .. 1200, j in 0 .. 1300:  y[i, j] = s * x[i, j] + s\n"
    arrays = "x: float64[1200, 1300], y: float64[1200, 1300]"
    made = program("p", arrays, body, local="s: float64[]")
    assert_agrees(made)


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    return compile_program(stepping(0.3))


@pytest.mark.parametrize(("together", "piece", "most", "text"), [(1, 0, 0, SHARED), (2, 1, 4, TOGETHER)])
def test_loops_that_are_shared(together: int, piece: int, most: int, text: str) -> None:
    before, after = shared_loops([ROWS, COLUMNS], together, piece, most)
    assert "\n".join([*before, after]) == text


def test_outer_loops_with_few_iterations_are_shared_together() -> None:
    body = "for i in 0 .. 4, j in 0 .. 28, k in 0 .. 3000:  y[i, j, k] = sin(x[i + 1, j + 1, k] + x[i + 2, j, k])\n"
    made = program("p", "x: float64[6, 30, 3000], y: float64[4, 28, 3000]", body)
    compiled = assert_agrees(made)
    with team_of(compiled) as threads:
        found = []
        for count in (1, 3):
            threads.value = count
            found.append(call(compiled, made, arguments(made))["y"])
    np.testing.assert_array_equal(*found)


def test_bits_do_not_depend_on_how_many_there_are(compiled: Compiled) -> None:
    made = stepping(0.3)
    values, found = arguments(made), []
    with team_of(compiled) as threads:
        for count in (1, 2, 3, 7, 1000):
            threads.value = count
            found.append(call(compiled, made, values)["x"])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_libraries_have_one_team(compiled: Compiled) -> None:
    other, values = compile_program(stepping(0.4)), arguments(stepping(0.3))
    with team_of(compiled) as threads, team_of(other) as others:
        threads.value = 3
        assert others.value == 3
        call(compiled, stepping(0.3), values)
        before = len(list(Path("/proc/self/task").iterdir()))
        call(other, stepping(0.4), values)
        assert len(list(Path("/proc/self/task").iterdir())) == before


def test_calls_from_several_threads_and_forks_do_not_wait_for_each_other(compiled: Compiled) -> None:
    other = compile_program(stepping(0.4))
    programs = {0.3: compiled, 0.4: other}
    values = arguments(stepping(0.3))
    with team_of(compiled) as threads:
        threads.value = 1
        expected = {factor: call(made, stepping(factor), values)["x"] for factor, made in programs.items()}
        threads.value = 3
        wrong: list[float] = []

        def work(factor: float) -> None:
            for _ in range(5):
                if not np.array_equal(call(programs[factor], stepping(factor), values)["x"], expected[factor]):
                    wrong.append(factor)

        calling = [threading.Thread(target=work, args=(factor,)) for factor in programs]
        for thread in calling:
            thread.start()
        children = [_forked(lambda: work(0.3)) for _ in range(3)]
        for thread in calling:
            thread.join()
        assert not wrong
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]


def _forked(work: object) -> int:
    child = os.fork()
    if not child:
        try:
            work()  # type: ignore[operator]
            os._exit(0)
        finally:
            os._exit(1)
    return child
