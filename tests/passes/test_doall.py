"""Loops whose iterations may run at the same time, on arrays of their own or on different elements."""

from __future__ import annotations

import re
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
from daad.passes.parallel.doall import mark_doall
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import arguments, check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.slabbed import in_slabs, shared
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[6, 8], x: float64[8], y: float64[8], z: float64[48]"
LOCAL = "T: float64[8, 8], t: float64[8], s: float64[]"

SHARED = {
    "a row each": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 8:  A[i, j] = A[i, j] * x[j]
        """,
        [()],
    ),
    "with a row and a number for itself": (
        """
        loop i = 0 .. 6:
          s = x[i]
          for j in 0 .. 8:  t[j] = A[i, j] * s
          for j in 0 .. 8:  A[i, j] = t[-j + 7]
        """,
        [("s", "t")],
    ),
    "columns, backwards": (
        """
        loop i = 7 .. -1 down:
          for j in 0 .. 6:  A[j, i] = A[j, i] * x[i]
        """,
        [()],
    ),
    "blocks of neighbours": (
        """
        loop i = 0 .. 6:
          loop k = 0 .. 2:
            for j in 0 .. 4:  z[8*i + j + 4*k] = x[j] * z[8*i + j + 4*k]
        """,
        [()],
    ),
    "windows that move with the loop": (
        """
        loop i = 0 .. 2:
          for j in 4*i .. 4*i + 4:  y[j] = x[j] * y[j]
        """,
        [()],
    ),
    "the inner loop of steps": (
        """
        loop n = 0 .. 3:
          loop i = 0 .. 6:
            for j in 0 .. 8:  t[j] = A[i, j] * x[j]
            for j in 0 .. 8:  A[i, j] += 0.5 * t[-j + 7]
          for j in 0 .. 8:  x[j] += 0.1 * A[0, j]
        """,
        [("t",)],
    ),
    "two loops with one array, which the second writes anew": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 8:  t[j] = A[i, j] * x[j]
          for j in 0 .. 8:  A[i, j] += 0.5 * t[-j + 7]
        loop i = 0 .. 6:
          for j in 0 .. 8:  t[j] = A[i, j] * y[j]
          for j in 0 .. 8:  A[i, j] += 0.5 * t[-j + 7]
        """,
        [("t",), ("t",)],
    ),
    "each side of a branch": (
        """
        if x[0] > 1.0:
          loop i = 0 .. 6:
            for j in 0 .. 8:  A[i, j] += x[j]
        else:
          loop i = 0 .. 6:
            for j in 0 .. 8:  A[i, j] += y[j]
        """,
        [(), ()],
    ),
}

ALONE = {
    "a sum over iterations": """
        loop i = 0 .. 6:
          for j in 0 .. 8:  y[j] += A[i, j]
        """,
    "what the iteration before wrote": """
        loop i = 1 .. 6:
          for j in 0 .. 8:  A[i, j] = A[i - 1, j] * x[j]
        """,
    "a local array that is not written first": """
        for j in 0 .. 8:  t[j] = 1.0
        loop i = 0 .. 6:
          for j in 0 .. 8:  A[i, j] = t[j]
          for j in 0 .. 7:  t[j] = A[i, j] * x[j]
        """,
    "a local array that is read behind the loop": """
        loop i = 0 .. 6:
          for j in 0 .. 8:  t[j] = A[i, j]
          for j in 0 .. 8:  A[i, j] = t[-j + 7]
        for j in 0 .. 8:  y[j] = t[j]
        """,
    "of which something is read behind the loop": """
        loop i = 0 .. 6:
          for j in 0 .. 8:  t[j] = A[i, j]
          for j in 0 .. 8:  A[i, j] = t[-j + 7]
        for j in 0 .. 7:  t[j] = x[j]
        for j in 0 .. 8:  y[j] = t[j]
        """,
    "kept for the next step": """
        for j in 0 .. 8:  t[j] = 1.0
        loop n = 0 .. 3:
          for j in 0 .. 8:  y[j] += t[j]
          loop i = 0 .. 6:
            for j in 0 .. 8:  t[j] = A[i, j]
            for j in 0 .. 8:  A[i, j] = t[-j + 7]
        """,
    "windows that overlap": """
        loop i = 0 .. 2:
          for j in 3*i .. 3*i + 4:  y[j] = x[j] * y[j]
        """,
    "a row and a column": """
        loop i = 0 .. 6:
          for j in 0 .. 6:  A[i, j] = A[j, i]
        """,
    "one place": """
        loop i = 0 .. 6:
          y[3] = x[i]
        """,
}


def marked(p: Program) -> Program:
    return shared(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("rows", ARRAYS, source, local=LOCAL)


def marks(p: Program) -> list[tuple[str, ...]]:
    return [n.sharing.own for n in walk(p.body) if isinstance(n, Loop) and n.sharing is not None]


@pytest.mark.parametrize(("source", "own"), SHARED.values(), ids=SHARED)
def test_shared(source: str, own: list[tuple[str, ...]]) -> None:
    changed = check(built(source), marked, rtol=0)
    assert marks(changed) == own
    assert re.sub(r" in parallel [^:]*", "", body_text(changed.body)) == body_text(built(source).body)


@pytest.mark.parametrize("source", ALONE.values(), ids=ALONE)
def test_left_as_it_is(source: str) -> None:
    assert marked(built(source)) == built(source)


def test_one_thread_and_little_work_share_nothing() -> None:
    source = built(SHARED["a row each"][0])
    assert mark_doall(source, frozenset(source.parameters), 1) == source
    assert mark_doall(source, frozenset(source.parameters), 2) == source


def test_large_arrays_are_not_copied_for_each_thread() -> None:
    source = """
    loop i = 0 .. 6:
      for j in 0 .. 600000:  v[j] = x[i]
      A[i, 0] = v[7]
    """
    made = program("large", ARRAYS, source, local="v: float64[600000]")
    assert marked(made) == made


def test_text() -> None:
    text = """
    loop i = 0 .. 6 in parallel 1 on 2 threads:
      for j in 0 .. 8:  A[i, j] = A[i, j] * x[j]
    """
    assert body_text(marked(built(SHARED["a row each"][0])).body) == textwrap.dedent(text).strip()


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    made = in_slabs(improve(joint, live), live, 2)
    check(made, lambda p: shared(p, live), live, rtol=0)


@pytest.mark.parametrize("start", a_quarter(range(0, 60, 20)))
def test_random_programs_stay_the_same(start: int) -> None:
    found = 0
    for seed in range(start, start + 20):
        made = random_program(seed)
        live = frozenset(sorted(made.arrays)[::2])
        check(made, lambda p, live=live: shared(p, live), live, rtol=0)
        joint = gradient_program(Generator(seed).program())
        live = frozenset((*SHAPES, *joint.results))
        found += len(marks(check(in_slabs(joint, live, 2), lambda p, live=live: shared(p, live), live, rtol=0)))
    assert found


COMPILED = {
    "with a row and a number for itself": "t: float64[8], s: float64[]",
    "the inner loop of steps": "t: float64[8]",
}


@pytest.mark.parametrize(("name", "local"), COMPILED.items(), ids=COMPILED)
def test_compiled_programs_with_an_integer_that_nothing_reads(name: str, local: str) -> None:
    """DaCe's functions have no parameter for it."""
    made = marked(program("rows", ARRAYS, SHARED[name][0], local=local, integers="m"))
    values = arguments(made)
    expected = run(made, values)
    given = [np.array(values[p]) for p in made.parameters]
    compile_program(made, cache=False).call(given, [4])
    for parameter, found in zip(made.parameters, given, strict=True):
        np.testing.assert_allclose(found, expected[parameter], rtol=1e-14)


def steps(crop, rate):  # type: ignore[no-untyped-def]
    for _ in range(20):
        crop = crop + 0.1 * rate * crop * (1.0 - crop)
    return np.sum(np.sqrt(crop))


def seasons(field, gain):  # type: ignore[no-untyped-def]
    for _ in range(31):
        field = field - 0.2 * gain * field * field
    return np.sum(field * field)


@pytest.mark.parametrize(("function", "shape"), [(steps, (150, 101)), (seasons, (90, 13, 40))])
def test_compiled_slabs_on_two_threads(function, shape, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Bits do not depend on the number of threads; each thread's arrays are counted."""
    values = np.random.default_rng(0).uniform(0.1, 0.9, (2, *shape))
    names = tuple(function.__code__.co_varnames[:2])
    found = {}
    for threads in (1, 2, 3):
        monkeypatch.setattr("daad.pipeline.threads", lambda threads=threads: threads)
        gradient = daad.grad(function, wrt=names)
        found[threads] = gradient(*values), gradient.memory.modelled, str(gradient.joint)
    for one, two, three in zip(*(found[n][0] for n in (1, 2, 3)), strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)
    held = [found[n][1] for n in (1, 2, 3)]
    assert 0 < held[1] - held[0] == pytest.approx(held[2] - held[1], abs=64)
    assert not re.search("in parallel", found[1][2]) and found[2][2].count("in parallel") == 1


def test_no_room_for_further_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daad.pipeline.threads", lambda: 1)
    values = tuple(np.full((2, 150, 100), 0.3))
    least = daad.plan(steps, values).nbytes
    monkeypatch.setattr("daad.pipeline.threads", lambda: 2)
    assert daad.plan(steps, values, memory_limit=f"{least}B").nbytes <= least < daad.plan(steps, values).nbytes
