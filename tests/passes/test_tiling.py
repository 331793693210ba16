"""Loops over rows become loops over tiles with products of matrices, and mean the same."""

from __future__ import annotations

import random
import sys
import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.loops.tiling import tile_products
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[8, 6], B: float64[8, 8], C: float64[8, 8], x: float64[8]"

ROWS = {
    "a triangle": (
        """
        loop i = 0 .. 8:
          for k in 0 .. 6, j in 0 .. i + 1:  C[i, j] += A[i, k] * A[j, k]
        """,
        """
        loop i_tile = 0 .. 2:
          for i in 4*i_tile .. 4*i_tile + 4, k in 0 .. 6, j in 0 .. 4*i_tile + 1:  C[i, j] += A[i, k] * A[j, k]
          loop i = 4*i_tile .. 4*i_tile + 4:
            for k in 0 .. 6, j in 4*i_tile + 1 .. i + 1:  C[i, j] += A[i, k] * A[j, k]
        """,
    ),
    "backwards, columns counted from the diagonal": (
        """
        loop i = 7 .. -1 down:
          for k in 0 .. 6, j in 0 .. -i + 8:  C[i, i + j] += A[i, k] * A[i + j, k]
        """,
        """
        loop i_tile = 0 .. 2:
          for i in -4*i_tile + 4 .. -4*i_tile + 8, k in 0 .. 6, j in -4*i_tile + 7 .. 8:  C[i, j] += A[i, k] * A[j, k]
          loop i = -4*i_tile + 7 .. -4*i_tile + 3 down:
            for k in 0 .. 6, j in i .. -4*i_tile + 7:  C[i, j] += A[i, k] * A[j, k]
        """,
    ),
    "a scratch row": (
        """
        loop i = 0 .. 8:
          for j in 0 .. 8:  row[j] = 0
          for j in 0 .. 8, k in 0 .. 6:  row[j] += A[i, k] * A[j, k]
          for j in 0 .. 8:  C[j, i] = row[j] * x[i]
        """,
        """
        loop i_tile = 0 .. 2:
          loop i = 4*i_tile .. 4*i_tile + 4:
            for j in 0 .. 8:  row_rows[i - 4*i_tile, j] = 0
          for i in 4*i_tile .. 4*i_tile + 4, j in 0 .. 8, k in 0 .. 6:  row_rows[i - 4*i_tile, j] += A[i, k] * A[j, k]
          loop i = 4*i_tile .. 4*i_tile + 4:
            for j in 0 .. 8:  C[j, i] = row_rows[i - 4*i_tile, j] * x[i]
        """,
    ),
    "rows that later ones read": (
        """
        loop i = 0 .. 8:
          for j in 0 .. 8, k in i + 1 .. 8:  C[i, j] += B[k, i] * C[k, j]
        """,
        """
        loop i_tile = 0 .. 2:
          loop i = 4*i_tile .. 4*i_tile + 4:
            for j in 0 .. 8, k in i + 1 .. 4*i_tile + 4:  C[i, j] += B[k, i] * C[k, j]
          for i in 4*i_tile .. 4*i_tile + 4, j in 0 .. 8, k in 4*i_tile + 4 .. 8:  C[i, j] += B[k, i] * C[k, j]
        """,
    ),
    "two terms": (
        """
        loop i = 0 .. 8:
          for k in 0 .. 6, j in 0 .. 8:  C[i, j] += A[i, k] * A[j, k] - x[0] * B[i, k] * B[k, j]
        """,
        """
        loop i_tile = 0 .. 2:
          for i in 4*i_tile .. 4*i_tile + 4, k in 0 .. 6, j in 0 .. 8:  C[i, j] += A[i, k] * A[j, k]
          for i in 4*i_tile .. 4*i_tile + 4, k in 0 .. 6, j in 0 .. 8:  C[i, j] += -(x[0] * B[i, k] * B[k, j])
        """,
    ),
}

AS_THEY_ARE = {
    "each row reads the one before": """
        loop i = 1 .. 8:
          for k in 0 .. 6, j in 0 .. 8:  C[i, j] += C[i - 1, k] * B[k, j]
        """,
    "a product of vectors": """
        loop i = 0 .. 8:
          for j in 0 .. i:  x[j] += A[j, 2] * B[i, j]
        """,
    "a scratch row that the next row reads": """
        loop i = 0 .. 8:
          for j in 0 .. 8, k in 0 .. 6:  row[j] += A[i, k] * A[j, k]
          for j in 0 .. 8:  C[j, i] = row[j] * x[i]
        """,
    "a scratch row that is not written wholly": """
        loop i = 0 .. 8:
          for j in 0 .. 7:  row[j] = 0
          for j in 0 .. 8, k in 0 .. 6:  row[j] += A[i, k] * A[j, k]
          for j in 0 .. 8:  C[j, i] = row[j] * x[i]
        """,
}


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[tile_products.__module__]
    monkeypatch.setattr(module, "ROWS", 4)
    monkeypatch.setattr(module, "FEW_ROWS", 4)
    monkeypatch.setattr(module, "LEAST_ROWS", 5)
    monkeypatch.setattr(module, "LEAST_WORK", 0)


def tiled(built: Program) -> Program:
    return tile_products(built, frozenset(built.parameters))


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_tiled(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source, local="row: float64[8]")
    assert body_text(check(built, tiled).body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(tiled(built))


def test_what_is_left_of_a_tile_in_smaller_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[tile_products.__module__], "LEAST_ROWS", 4)
    built = program("row", ARRAYS, ROWS["a triangle"][0])
    expected = """
        loop i_tile = 0 .. 2:
          for i in 4*i_tile .. 4*i_tile + 4, k in 0 .. 6, j in 0 .. 4*i_tile + 1:  C[i, j] += A[i, k] * A[j, k]
          loop i_tile_1 = 0 .. 2:
        """
    text = body_text(check(built, tiled).body)
    assert text.startswith(textwrap.dedent(expected).strip())
    assert text.count("for i in") == 2
    assert not invalid_nests(tiled(built))


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_left_as_it_is(source: str) -> None:
    built = program("row", ARRAYS, source, local="row: float64[8]")
    assert tiled(built) == built


@pytest.mark.parametrize("rows", [9, 10, 11, 13])
@pytest.mark.parametrize("step", [1, -1])
def test_rows_that_fill_no_tile(rows: int, step: int) -> None:
    bounds = f"0 .. {rows}" if step > 0 else f"{rows - 1} .. -1 down"
    source = f"""
    loop i = {bounds}:
      for j in 0 .. i + 1, k in 0 .. 3:  C[i, j] += A[i, k] * A[j, k]
      for j in 0 .. i:  C[j, i] = C[i, j] * 0.5
    """
    built = program("row", f"A: float64[{rows}, 3], C: float64[{rows}, {rows}]", source)
    changed = check(built, tiled)
    assert changed != built
    assert not invalid_nests(changed)


def random_product(rng: random.Random) -> str:
    """A nest that updates an array by a product over j and k, over columns that may move with the row i."""
    a, b, c = rng.sample("ijk", 3)
    places = [f"{rng.choice('PQRS')}[{', '.join(rng.sample(pair, 2))}]" for pair in (a + b, b + c, a + c)]
    moving = rng.choice(("0 .. 7", "0 .. i", "0 .. i + 1", "i .. 7", "i + 1 .. 7", "0 .. 7 - i"))
    bounds = rng.sample((moving, "0 .. 7"), 2)
    return f"  for j in {bounds[0]}, k in {bounds[1]}:  {places[0]} += {places[1]} * {places[2]}\n"


def random_rows(seed: int) -> Program | None:
    """A loop of products and other statements on a few arrays, None if some nest would not be one."""
    rng = random.Random(seed)
    steps = [random_product(rng) for _ in range(rng.randint(1, 2))]
    others = ("row[j] = P[i, j] * 0.5", "Q[j, i] = row[j]", "R[i, j] = R[i, j] * x[j]", "row[j] += Q[i, j]")
    steps += [f"  for j in 0 .. 7:  {other}\n" for other in rng.sample(others, rng.randint(0, 2))]
    rng.shuffle(steps)
    source = f"loop i = {rng.choice(('0 .. 7', '6 .. -1 down'))}:\n{''.join(steps)}"
    arrays = ", ".join(f"{name}: float64[7, 7]" for name in "PQRS")
    built = program("rows", f"{arrays}, x: float64[7]", source, local="row: float64[7]")
    return None if invalid_nests(built) else built


@pytest.mark.parametrize("start", a_quarter(range(0, 400, 20)))
def test_random_rows_stay_the_same(start: int) -> None:
    known = [built for seed in range(start, start + 20) if (built := random_rows(seed))]
    changed = [check(built, tiled) for built in known]
    assert sum(new != old for new, old in zip(changed, known, strict=True)) > 2
    assert not any(map(invalid_nests, changed))


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    check(improve(joint, frozenset(joint.results)), tiled)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, lambda p: tile_products(p, frozenset(p.arrays)), built.arrays)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_adjoints_stay_the_same(seed: int) -> None:
    joint = gradient_program(Generator(seed).program())
    live = frozenset((*SHAPES, *joint.results))
    check(joint, lambda p: tile_products(improve(p, live), live), live, rtol=1e-9)


def test_compiled_gradient_of_tiled_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    def triangle(A, B, W):  # type: ignore[no-untyped-def]
        loss = 0.0
        for i in range(A.shape[0]):
            loss += W[i, : i + 1] @ (B[: i + 1] @ A[i])
        return loss

    A, B, W = (np.random.default_rng(seed).random((70, size)) for seed, size in ((0, 250), (1, 250), (2, 70)))
    gradient = daad.grad(triangle, wrt="A")
    found, again = gradient(A, B, W), gradient(A, B, W)
    np.testing.assert_allclose(found, np.tril(W) @ B, rtol=1e-12)
    np.testing.assert_array_equal(found, again)
    assert "i_tile" in str(gradient.joint)
