"""Rows that statements go through together, in chunks that threads share."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import daad
from daad.codegen.compilation import compile_program
from daad.ir.interpreter import run
from daad.ir.nodes import Loop, Program, Sharing
from daad.ir.printer import body_text
from daad.ir.walk import walk
from daad.passes import improve
from daad.passes.loops.shifted_fusion import fuse_shifted
from daad.passes.memory.in_place_results import reuse_results
from daad.passes.parallel.doall import mark_doall
from tests.passes.checking import arguments, check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.random_cases import random_cases
from tests.passes.slabbed import in_chunks
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[13, 8], B: float64[13, 8], C: float64[13, 8], x: float64[13]"
LOCAL = "T: float64[13, 8], U: float64[13, 8]"

CHUNKED = {
    "rows at both ends are made again": (
        """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * A[i, j]
        for i in 1 .. 12, j in 0 .. 8:  B[i, j] = T[i - 1, j] + T[i + 1, j]
        """,
        """
        loop chunk = 0 .. 4 in parallel 1 on 2 threads, each its own T:
          loop row = 3*chunk .. 3*chunk + 5:
            if row < 13:
              for j in 0 .. 8:  T[2, j] = A[row, j] * A[row, j]
            if row >= (3*chunk + 2) and row < 13:
              for j in 0 .. 8:  B[row - 1, j] = T[0, j] + T[2, j]
            for i_1 in 0 .. 8:  T[0, i_1] = T[1, i_1]
            for i_2 in 0 .. 8:  T[1, i_2] = T[2, i_2]
        """,
        ("T",),
    ),
    "through several statements": (
        """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * A[i, j]
        for i in 1 .. 13, j in 0 .. 8:  U[i, j] = T[i, j] - T[i - 1, j]
        for i in 1 .. 12, j in 0 .. 8:  B[i, j] = U[i + 1, j] * U[i, j]
        """,
        """
        loop chunk = 0 .. 4 in parallel 1 on 2 threads, each its own T, U:
          loop row = 3*chunk .. 3*chunk + 5:
            if row < 13:
              for j in 0 .. 8:  T[1, j] = A[row, j] * A[row, j]
            if row >= (3*chunk + 1) and row < 13:
              for j in 0 .. 8:  U[1, j] = T[1, j] - T[0, j]
            if row >= (3*chunk + 2) and row < 13:
              for j in 0 .. 8:  B[row - 1, j] = U[1, j] * U[0, j]
            for i_1 in 0 .. 8:  T[0, i_1] = T[1, i_1]
            for i_2 in 0 .. 8:  U[0, i_2] = U[1, i_2]
        """,
        ("T", "U"),
    ),
    "sums of the chunk's own rows, each in its order": (
        """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * A[i, j]
        for i in 0 .. 13, j in 0 .. 8:  B[i, j] = 0
        for i in 0 .. 12, j in 0 .. 8:  B[i + 1, j] += T[i, j]
        for i in 1 .. 13, j in 0 .. 8:  B[i - 1, j] += T[i, j]
        """,
        """
        loop chunk = 0 .. 4 in parallel 1 on 2 threads, each its own T:
          loop row = 4*chunk - 1 .. 4*chunk + 5:
            if row >= 0 and row < 13:
              for j in 0 .. 8:  T[1, j] = A[row, j] * A[row, j]
            if row >= 4*chunk and row < 13 and row < (4*chunk + 4):
              for j in 0 .. 8:  B[row, j] = 0
            if row >= 1 and row >= 4*chunk and row < 13 and row < (4*chunk + 4):
              for j in 0 .. 8:  B[row, j] += T[0, j]
            if row >= (4*chunk + 1) and row < 13:
              for j in 0 .. 8:  B[row - 1, j] += T[1, j]
            for i_1 in 0 .. 8:  T[0, i_1] = T[1, i_1]
        """,
        ("T",),
    ),
    "single rows in the chunk that has them": (
        """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * A[i, j]
        for i in 1 .. 13, j in 0 .. 8:  B[i, j] = T[i - 1, j]
        for j in 0 .. 8:  B[0, j] = T[0, j]
        for j in 0 .. 8:  B[12, j] += T[12, j]
        """,
        """
        loop chunk = 0 .. 4 in parallel 1 on 2 threads, each its own T:
          loop row = 4*chunk - 1 .. 4*chunk + 4:
            if row >= 0 and row < 13:
              for j in 0 .. 8:  T[j] = A[row, j] * A[row, j]
            if row >= 0 and row < 12 and row < (4*chunk + 3):
              for j in 0 .. 8:  B[row + 1, j] = T[j]
            if row >= 4*chunk and row < 1:
              for j in 0 .. 8:  B[row, j] = T[j]
            if row >= 12 and row >= 4*chunk and row < 13:
              for j in 0 .. 8:  B[row, j] += T[j]
        """,
        ("T",),
    ),
    "nothing is made again": (
        """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * B[i, j]
        for i in 0 .. 13, j in 0 .. 8:  A[i, j] = T[i, -j + 7]
        """,
        """
        loop chunk = 0 .. 4 in parallel 1 on 2 threads, each its own T:
          loop row = 4*chunk .. 4*chunk + 4:
            if row < 13:
              for j in 0 .. 8:  T[j] = A[row, j] * B[row, j]
              for j in 0 .. 8:  A[row, j] = T[-j + 7]
        """,
        ("T",),
    ),
}

IN_ORDER = {
    "what is overwritten another chunk would need": """
        for i in 1 .. 12, j in 0 .. 8:  T[i, j] = A[i - 1, j] + A[i + 1, j]
        for i in 1 .. 12, j in 0 .. 8:  A[i, j] = T[i, j]
        """,
    "a statement that adds to rows of two chunks": """
        for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * A[i, j]
        for i in 0 .. 12, j in 0 .. 8:
          B[i, j] += T[i, j]
          B[i + 1, j] += T[i, j] * (-1.0)
        """,
    "what is made with results, and would be made again": """
        for i in 0 .. 13, j in 0 .. 8:
          T[i, j] = A[i, j] * A[i, j]
          B[i, j] += A[i, j]
        for i in 1 .. 13, j in 0 .. 8:  C[i, j] = T[i - 1, j] + T[i, j]
        """,
    "what others look at, in other rows": """
        for i in 0 .. 13, j in 0 .. 8:  B[i, j] = A[i, j] * A[i, j]
        for i in 1 .. 13, j in 0 .. 8:  C[i, j] = B[i - 1, j] + B[i, j]
        """,
}


def built(source: str) -> Program:
    made = program("rows", ARRAYS, source, local=LOCAL)
    touched = frozenset[str]().union(*(node.touched for node in made.body))
    arrays = {name: array for name, array in made.arrays.items() if name in {*touched, *made.parameters}}
    return replace(made, arrays=arrays)


def cut(p: Program) -> Program:
    return in_chunks(p, frozenset(p.parameters))


def loops(p: Program) -> list[Loop]:
    """Those over chunks."""
    return [node for node in walk(p.body) if isinstance(node, Loop) and node.var.startswith("chunk")]


def own(loop: Loop) -> tuple[str, ...] | None:
    return loop.sharing.own if loop.sharing else None


@pytest.mark.parametrize(("source", "text", "names"), CHUNKED.values(), ids=CHUNKED)
def test_chunked(source: str, text: str, names: tuple[str, ...]) -> None:
    """The interpreter takes the last chunk first, each with nothing in its own arrays."""
    changed = check(built(source), cut, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(text).strip()
    assert [own(loop) for loop in loops(changed)] == [names]


@pytest.mark.parametrize("source", IN_ORDER.values(), ids=IN_ORDER)
def test_one_row_after_the_other(source: str) -> None:
    changed = check(built(source), cut)
    assert any(isinstance(node, Loop) for node in changed.body)
    assert not loops(changed)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    changed = check(improve(joint, live), lambda p: in_chunks(p, live), live, rtol=0)
    assert all(loop.sharing for loop in loops(changed))


@pytest.mark.parametrize("start", a_quarter(range(0, 60, 20)))
def test_random_programs_stay_the_same(start: int) -> None:
    """The pass that shares loops finds on its own that chunks do not meet."""
    found: list[Loop] = []
    for made, live in random_cases(range(start, start + 20)):
        found += loops(check(made, lambda p, live=live: in_chunks(p, live), live, rtol=0))
    assert found
    assert all(loop.sharing for loop in found)


def large(side: int, source: str) -> Program:
    shape = f"float64[{side}, {side}]"
    return program("large", f"A: {shape}, B: {shape}", source, local=f"T: {shape}")


def stencils(side: int, result: str) -> Program:
    text = f"""
    for i in 1 .. {side - 1}, j in 0 .. {side}:  T[i, j] = A[i - 1, j] + A[i + 1, j]
    for i in 2 .. {side - 2}, j in 0 .. {side}:  {result}[i, j] = T[i - 1, j] + T[i + 1, j]
    """
    return large(side, text)


@pytest.mark.parametrize("threads", [2, 4, 8])
def test_chunks_for_large_work_on_several_threads(threads: int) -> None:
    live = frozenset({"B"})
    [loop] = loops(fuse_shifted(stencils(1000, "B"), live, threads))
    assert loop.sharing == Sharing(1, threads, ("T",))
    assert threads <= int(str(loop.stop)) <= 4 * threads
    assert not loops(fuse_shifted(stencils(200, "B"), live, threads))
    assert not loops(fuse_shifted(stencils(1000, "B"), live, 1))


def test_large_nests_that_cannot_be_cut_are_shared_one_by_one() -> None:
    made = stencils(1000, "A")
    assert fuse_shifted(made, frozenset({"A"}), 2) == made


def test_few_rows_are_not_made_again_too_often() -> None:
    """With 64 threads a chunk would have one row of its own and make two again."""
    assert not loops(fuse_shifted(stencils(128, "B"), frozenset({"B"}), 64))


def marked(source: str, local: str, own: tuple[str, ...] | None) -> Program:
    """The last loop with a mark, unless `own` is None."""
    made = program("marked", "x: float64[9], y: float64[9], r: float64[9]", source, local=local)
    loop = made.body[-1]
    assert isinstance(loop, Loop)
    sharing = None if own is None else Sharing(1, 2, own)
    return replace(made, body=(*made.body[:-1], replace(loop, sharing=sharing)))


def test_a_mark_that_is_no_longer_true_is_taken_away() -> None:
    kept = """
    loop i = 0 .. 8:
      s = x[i]
      y[i] = s
    """
    lost = kept.replace("y[i] = s", "y[i] = s + y[i + 1]")
    for source, is_kept in ((kept, True), (lost, False)):
        [loop] = mark_doall(marked(source, "s: float64[]", ("s",)), frozenset({"y"}), 2).body
        assert isinstance(loop, Loop)
        assert (loop.sharing is not None) == is_kept


def test_results_hold_nothing_that_other_iterations_read_or_threads_own() -> None:
    source = """
    for i in 0 .. 9:  t[i] = x[i] * 2.0
    loop i = 0 .. 8:
      s = t[i + 1]
      r[i] = s + t[i]
    """
    one_has_all = source.replace("t[i + 1]", "2.0").replace("+ t[i]", "* t[i]")
    for text, own, is_kept in ((source, ("s",), True), (one_has_all, ("s",), False), (one_has_all, ("s", "t"), True)):
        one, several = (marked(text, "t: float64[9], s: float64[]", names) for names in (None, own))
        for made, kept in ((one, False), (several, is_kept)):
            made = replace(made, parameters=("x", "y"), results=("r",))
            assert ("t" in reuse_results(made, frozenset({"r"})).arrays) == kept


def test_numbers_of_shared_loops() -> None:
    """Chunks come first; a loop with chunks inside is not shared itself."""
    source = """
    loop n = 0 .. 8:
      for i in 0 .. 13, j in 0 .. 8:  T[i, j] = A[i, j] * x[n]
      for i in 1 .. 13, j in 0 .. 8:  D[n, i, j] = T[i - 1, j] + T[i, j]
    loop n = 0 .. 8:
      for j in 0 .. 8:  D[n, 0, j] = D[n, 1, j] * x[n]
    """
    made = program("numbers", f"{ARRAYS}, D: float64[8, 13, 8]", source, local=LOCAL)
    changed = check(made, cut, rtol=0)
    shared = [node for node in walk(changed.body) if isinstance(node, Loop) and node.sharing]
    assert sorted((node.var, node.sharing.number) for node in shared if node.sharing) == [("chunk", 1), ("n", 2)]


@pytest.mark.parametrize("source", [source for source, _, _ in CHUNKED.values()], ids=CHUNKED)
def test_compiled(source: str) -> None:
    changed = cut(built(source))
    values = arguments(changed)
    expected = run(changed, values)
    given = [np.array(values[p]) for p in changed.parameters]
    compile_program(changed, cache=False).call(given, [])
    for parameter, found in zip(changed.parameters, given, strict=True):
        np.testing.assert_allclose(found, expected[parameter], rtol=1e-14, err_msg=parameter)


def limited_fluxes(level, permeability, out):  # type: ignore[no-untyped-def]
    curved = level[2:, 1:-1] + level[:-2, 1:-1] + level[1:-1, 2:] + level[1:-1, :-2] - 4.0 * level[1:-1, 1:-1]
    down, steep = curved[1:, 1:-1] - curved[:-1, 1:-1], level[2:-1, 2:-2] - level[1:-2, 2:-2]
    down = np.where(down * steep > 0.0, 0.0, down)
    across, steep = curved[1:-1, 1:] - curved[1:-1, :-1], level[2:-2, 2:-1] - level[2:-2, 1:-2]
    across = np.where(across * steep > 0.0, 0.0, across)
    out[:] = level[2:-2, 2:-2] - permeability * (down[1:] - down[:-1] + across[:, 1:] - across[:, :-1])


def sharpened(picture, strength, result):  # type: ignore[no-untyped-def]
    edges = 0.25 * (picture[2:, 1:-1] + picture[:-2, 1:-1] + picture[1:-1, 2:] + picture[1:-1, :-2])
    edges = edges - picture[1:-1, 1:-1]
    below, grey = edges[1:, 1:-1] - edges[:-1, 1:-1], picture[2:-1, 2:-2] - picture[1:-2, 2:-2]
    below = np.where(below * grey > 0.0, 0.0, below)
    right, grey = edges[1:-1, 1:] - edges[1:-1, :-1], picture[2:-2, 2:-1] - picture[2:-2, 1:-2]
    right = np.where(right * grey > 0.0, 0.0, right)
    result[:] = picture[2:-2, 2:-2] - strength * (right[:, 1:] - right[:, :-1] + below[1:] - below[:-1])


def given(rows: int, columns: int, levels: int) -> list[np.ndarray]:
    shapes = (rows + 4, columns + 4, levels), (rows, columns, levels), (rows, columns, levels)
    return [np.random.default_rng(n).random(shape) for n, shape in enumerate(shapes)]


def gradient(function: Callable[..., object], **options: object) -> daad.Gradient:
    names = function.__code__.co_varnames
    return daad.grad(function, wrt=names[:2], of=names[2], seed=1.0, on_inputs="keep", **options)


def test_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, sizes and constants play no part: the whole gradient is one loop over chunks with few rows each."""
    monkeypatch.setattr("daad.pipeline.threads", lambda: 2)
    for function, shape in ((limited_fluxes, (70, 60, 48)), (sharpened, (81, 50, 56))):
        joint = gradient(function)._planned(*given(*shape)).derivation.joint
        [loop] = joint.body
        assert isinstance(loop, Loop)
        assert loop.sharing is not None
        assert len(loop.sharing.own) == 6
        assert all(joint.arrays[name].shape[0] <= 4 for name in loop.sharing.own)


def test_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each thread has for itself is counted, and there is less of it than of whole arrays."""
    values, found, held = given(70, 60, 48), [], []
    for threads in (1, 2, 4):
        monkeypatch.setattr("daad.pipeline.threads", lambda threads=threads: threads)
        made = gradient(limited_fluxes)
        found.append(made(*values))
        held.append(made.memory.modelled)
        assert ("in parallel" in str(made.joint)) == (threads > 1)
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(one, other)
    assert 0 < held[1] - held[0] < 70 * 60 * 48 * 8
    assert held[2] - held[1] == pytest.approx(2 * (held[1] - held[0]), abs=1024)


def test_no_room_for_further_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    values = given(70, 60, 48)
    monkeypatch.setattr("daad.pipeline.threads", lambda: 1)
    least = gradient(limited_fluxes)._planned(*values).nbytes
    monkeypatch.setattr("daad.pipeline.threads", lambda: 2)
    limited = gradient(limited_fluxes, memory_limit=f"{least}B")._planned(*values)
    assert limited.nbytes <= least < gradient(limited_fluxes)._planned(*values).nbytes
