"""Calling compiled programs: addresses, threads, memory, what happens without a compiler."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
import pytest

from daad.analysis.cost.footprint import footprint
from daad.codegen.compilation import compile_program
from daad.errors import CompileError
from daad.ir.nodes import Array
from daad.runtime import compiled
from tests.runtime.small import scaled
from tests.texts import program

LARGE = program(
    "large",
    "x: float64[1000, 1000]",
    """
    for i in 0 .. 1000, j in 0 .. 1000:
      a[i, j] = x[i, j] * 2.0
      b[i, j] = x[i, j] + 1.0
    for i in 0 .. 1000, j in 0 .. 1000:  y[i, j] = a[i, j] * b[j, i]
    """,
    local="a: float64[1000, 1000], b: float64[1000, 1000], y: float64[1000, 1000]",
    results="y",
)


@pytest.mark.parametrize("array", [np.zeros(5), np.zeros(5)[2:], np.zeros(()), np.zeros((0, 3)), np.zeros((3, 4)).T])
def test_both_ways_to_the_address_agree(array: np.ndarray) -> None:
    itself, pointer = (compiled.memory_of(way([array])) for way in (compiled._arrays_themselves, compiled._pointers))
    assert itself == pointer


def test_threads_share_one_compiled_program() -> None:
    run = compile_program(scaled())
    wrong: list[int] = []

    def work(number: int) -> None:
        x, y = np.full(8, float(number)), np.empty(8)
        for _ in range(300):
            run.call([x, y], [number])
            if not np.array_equal(y, x * 2.0 * number):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


HUGE_PAGE = 2**21  # one of memory that was freed before may stay resident, and is used again


def test_memory_is_modelled_and_measured() -> None:
    run = compile_program(LARGE)
    modelled = footprint(LARGE)
    assert (modelled.parameters, modelled.results, modelled.scratch) == (8_000_000, 8_000_000, 16_000_000)
    assert run.scratch_bytes == modelled.scratch
    arrays = [np.ones((1000, 1000)), np.empty((1000, 1000))]
    for _ in range(2):
        assert run.measure(arrays) == pytest.approx(modelled.total, abs=HUGE_PAGE + 2**20)
    np.testing.assert_array_equal(arrays[1], 4.0)


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(CompileError) as caught:
        compile_program(scaled(7.0))
    assert str(caught.value) == (
        "The C++ compiler 'no-such-compiler' was not found.\n"
        "  Install one (apt install g++, or pip install 'daad[compiler]'), or name another in the variable CXX."
    )


def test_failing_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daad.codegen.targets.frame.PREAMBLE", "this is no C++;")
    with pytest.raises(CompileError) as caught:
        compile_program(scaled(8.0))
    error = caught.value
    assert re.fullmatch(r"The C\+\+ compiler 'c\+\+ [^\n]*\.cpp[^\n]*' failed: [^\n]+\.", error.message)
    assert str(error.log) in str(error.hint)
    assert "this is no C++;" in Path(str(error.log)).read_text()


def test_scalars_come_back() -> None:
    run = compile_program(
        program("scalars", "a: float64[]", "a = a + 1.0\nb = a * 2.0", local="b: float64[]", results="b")
    )
    a, b = np.array(3.0), np.empty(())
    run.call([a, b])
    assert (a[()], b[()]) == (4.0, 8.0)
    assert Array("b", (), "float64").nbytes == 8
