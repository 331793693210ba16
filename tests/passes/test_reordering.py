"""Sums down a column become updates along a row, and the other way round, and mean the same."""

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
from daad.passes.reductions.reordering import reorder_reductions
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import KERNELS, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "U: float64[8, 8], V: float64[8, 8], x: float64[8], y: float64[8]"

BETTER = {
    "a sum down a column": (
        """
        loop j = 0 .. 8:
          for p in 0 .. j:  x[j] += x[p] * U[p, j]
          x[j] = x[j] / U[j, j]
        """,
        """
        loop j = 0 .. 8:
          x[j] = x[j] / U[j, j]
          for p in j + 1 .. 8:  x[p] += x[j] * U[j, p]
        """,
    ),
    "updates with a column": (
        """
        loop j = 7 .. -1 down:
          x[j] = x[j] / U[j, j]
          for p in 0 .. j:  x[p] += x[j] * U[p, j]
        """,
        """
        loop j = 7 .. -1 down:
          for p in j + 1 .. 8:  x[j] += x[p] * U[j, p]
          x[j] = x[j] / U[j, j]
        """,
    ),
    "updates of a column": (
        """
        loop j = 7 .. -1 down:
          x[j] = x[j] / U[j, j]
          for p in 0 .. j:  V[p, j] += x[j] * y[p]
        """,
        """
        loop j = 7 .. -1 down:
          x[j] = x[j] / U[j, j]
          for p in j + 1 .. 8:  V[j, p] += x[p] * y[j]
        """,
    ),
    "one of two, with the diagonal": (
        """
        loop j = 0 .. 8:
          x[j] = x[j] * 0.5
          for p in j .. 8:
            V[p, j] += x[j] * y[p]
            V[j, p] += x[j] * U[j, p]
        """,
        """
        loop j = 0 .. 8:
          x[j] = x[j] * 0.5
          for p in j .. 8:  V[j, p] += x[j] * U[j, p]
          for p in 0 .. j + 1:  V[j, p] += x[p] * y[j]
        """,
    ),
    "within a loop": (
        """
        loop i = 1 .. 8:
          loop j = 0 .. i:
            for p in 0 .. j:  V[i, j] += -(V[i, p] * V[p, j])
            V[i, j] = V[i, j] / V[j, j]
        """,
        """
        loop i = 1 .. 8:
          loop j = 0 .. i:
            V[i, j] = V[i, j] / V[j, j]
            for p in j + 1 .. i:  V[i, p] += -(V[i, j] * V[j, p])
        """,
    ),
}

AS_THEY_ARE = {
    "along the rows already": """
        loop j = 0 .. 8:
          for p in 0 .. j:  x[j] += x[p] * U[j, p]
          x[j] = x[j] / U[j, j]
        """,
    "what is summed changes later": """
        loop j = 0 .. 8:
          for p in 0 .. j:  x[j] += y[p] * U[p, j]
          for p in 0 .. 8:  y[p] = y[p] * x[j]
        """,
    "the sum is read on the way": """
        loop j = 0 .. 8:
          for p in 0 .. j:  x[j] += y[p] * U[p, j]
          y[j] = x[7]
        """,
    "an index that counts no iteration": """
        loop j = 0 .. 4:
          for p in j + 1 .. 8:  V[p, j] += x[j] * y[p]
          x[j] = x[j + 1]
        """,
    "what changes in between": """
        loop j = 0 .. 8:
          for p in 0 .. 8:  V[p, j] += x[j] * y[p]
          x[j] = 0
        """,
}


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[reorder_reductions.__module__], "LEAST_POINTS", 0)


@pytest.mark.parametrize(("source", "expected"), BETTER.values(), ids=BETTER)
def test_turned(source: str, expected: str) -> None:
    built = program("turned", ARRAYS, source)
    changed = check(built, reorder_reductions)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)
    assert reorder_reductions(changed) == changed


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_left_as_it_is(source: str) -> None:
    built = program("kept", ARRAYS, source)
    assert reorder_reductions(built) == built


@pytest.mark.parametrize(("size", "is_turned"), [(50, False), (150, True)])
def test_short_runs_stay(size: int, is_turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    source = f"""
    loop i = 0 .. {size}:
      loop j = 0 .. i:
        for p in 0 .. j:  V[i, j] += V[i, p] * U[p, j]
        V[i, j] = V[i, j] / U[j, j]
    """
    built = program("solve", f"U: float64[{size}, {size}], V: float64[{size}, {size}]", source)
    assert (reorder_reductions(built) != built) == is_turned
    assert reorder_reductions(reorder_reductions(built)) == reorder_reductions(built)


@pytest.mark.parametrize("name", sorted(KERNELS.keys() - {"sweep", "seidel_2d"}))  # slow, and nothing to turn
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    check(improve(joint, frozenset(joint.results)), reorder_reductions)


BOUNDS = ("0 .. j", "0 .. j + 1", "j .. 7", "j + 1 .. 7", "0 .. 7", "0 .. 7 - j", "1 .. j", "j .. 6", "j - 1 .. j + 2",
          "7 - j .. 7")  # fmt: skip


def random_update(rng: random.Random) -> str:
    """An update at two places of a triangle, by one factor or two."""
    places = [f"{rng.choice('UV')}[{', '.join(rng.sample('pj', 2))}]" for _ in range(2)]
    places += [f"{rng.choice('xy')}[{rng.choice('pj')}]", f"x[{rng.choice(('j', 'p', '3'))}]"]
    target, *factors = rng.sample(places, rng.randint(2, 3))
    lines = [f"    {target} += {' * '.join(factors)} * 0.1\n"]
    if rng.random() < 0.3:
        lines.append(f"    V[p, j] += {places[-1]} * 0.5\n")
    return f"  for p in {rng.choice(BOUNDS)}:\n{''.join(lines)}"


def random_triangle(seed: int) -> Program | None:
    """A loop of updates and other statements, None if some nest would not be one or leaves the arrays."""
    rng = random.Random(seed)
    others = ("x[j] = x[j] * y[j]", "V[j, j] = x[j]", "y[j] += U[j, 3]", "x[3] += V[j, 2]", "U[j, 2] = y[j]")
    steps = [random_update(rng) for _ in range(rng.randint(1, 2))]
    steps += [f"  {other}\n" for other in rng.sample(others, rng.randint(0, 2))]
    rng.shuffle(steps)
    source = f"loop j = {rng.choice(('0 .. 7', '6 .. -1 down', '1 .. 7', '5 .. 0 down'))}:\n{''.join(steps)}"
    built = program("triangle", "U: float64[8, 8], V: float64[8, 8], x: float64[8], y: float64[8]", source)
    return None if invalid_nests(built) or "j - 1" in source else built


@pytest.mark.parametrize("start", a_quarter(range(0, 400, 40)))
def test_random_triangles_stay_the_same(start: int) -> None:
    known = [built for seed in range(start, start + 40) if (built := random_triangle(seed))]
    changed = [check(built, reorder_reductions) for built in known]
    assert sum(new != old for new, old in zip(changed, known, strict=True)) > 2
    assert not any(map(invalid_nests, changed))


@pytest.mark.parametrize("seed", a_quarter(range(20)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, reorder_reductions, built.arrays)


@pytest.mark.parametrize("seed", a_quarter(range(20)))
def test_random_adjoints_stay_the_same(seed: int) -> None:
    joint = gradient_program(Generator(seed).program())
    live = frozenset((*SHAPES, *joint.results))
    check(joint, lambda p: reorder_reductions(improve(p, live)), live, rtol=1e-9)


def test_gradient_of_a_triangular_solve() -> None:
    def solve(U, b):  # type: ignore[no-untyped-def]
        for row in range(len(b)):
            for k in range(row):
                b[row] -= U[k, row] * b[k]
            b[row] = b[row] / U[row, row]

    rng = np.random.default_rng(0)
    U, b = np.triu(rng.random((9, 9))) + 3.0 * np.eye(9), rng.random(9)
    gradient = daad.grad(solve, wrt="b", of="b", seed=1.0)
    np.testing.assert_allclose(gradient(U, b.copy()), np.linalg.solve(U, np.ones(9)), rtol=1e-12)
