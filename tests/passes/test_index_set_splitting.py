"""A peeled nest has an interior without guards and means the same."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.nodes import Nest, Op, Program
from daad.ir.printer import body_text
from daad.ir.walk import children, nests
from daad.passes import improve
from daad.passes.loops.index_set_splitting import split_index_sets
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "two sides": (
        "for i in 0 .. 20:  x[i] = (y[i] if i >= 2 else 0) + (y[i] if i < 19 else 0)",
        """
        for i in 0 .. 2:  x[i] = y[i]
        for i in 2 .. 19:  x[i] = 2.0 * y[i]
        x[19] = y[19]
        """,
    ),
    "one plane of three": (
        "for i in 0 .. 5, j in 0 .. 20:  m[i, j] = (y[j] if j == 7 else x[j]) if i < 4 else 0",
        """
        for i in 0 .. 4, j in 0 .. 7:  m[i, j] = x[j]
        for i in 0 .. 4:  m[i, 7] = y[7]
        for i in 0 .. 4, j in 8 .. 20:  m[i, j] = x[j]
        for j in 0 .. 20:  m[4, j] = 0
        """,
    ),
    "bounds of a loop": (
        """
        loop t = 2 .. 9:
          for i in 0 .. t + 3:  x[i] = (y[i] if i >= t else 0) + (0 if i < 2 else y[i])
        """,
        """
        loop t = 2 .. 9:
          for i in 0 .. 2:  x[i] = 0
          for i in 2 .. t:  x[i] = y[i]
          for i in t .. t + 3:  x[i] = 2.0 * y[i]
        """,
    ),
    "a cut that may lie outside": (
        """
        loop t = 0 .. 9:
          for i in 1 .. t:  x[i] = y[i] if i >= 2 else 0
        """,
        """
        loop t = 0 .. 9:
          for i in 1 .. t:  x[i] = y[i] if i >= 2 else 0
        """,
    ),
    "a diagonal": (
        "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i] if i >= j else 0",
        "for i in 0 .. 20, j in 0 .. 20:  m[i, j] = x[i] if i >= j else 0",
    ),
    "a face, and rows next to it": (
        """
        for i in 0 .. 20, j in 0 .. 20:
          m[i, j] = (0 if i >= 1 and j >= 1 else m[i, j]) + 0.5 * (x[i] if i >= 1 and j >= 2 else 0) \
              + 0.5 * (y[j] if i >= 2 and j >= 1 else 0) + (z[j] if i < 19 and j >= 1 else 0)
        """,
        """
        for j in 1 .. 20:  m[0, j] += z[j]
        for i in 1 .. 20:  m[i, 1] = 0.5 * (y[1] if i >= 2 else 0) + (z[1] if i < 19 else 0)
        for j in 2 .. 20:  m[1, j] = 0.5 * x[1] + z[j]
        for i in 2 .. 19, j in 2 .. 20:  m[i, j] = 0.5 * x[i] + 0.5 * y[j] + z[j]
        for j in 2 .. 20:  m[19, j] = 0.5 * x[19] + 0.5 * y[j]
        """,
    ),
    "an update under conditions": (
        "for i in 0 .. 20, j in 0 .. 20:  m[i, j] += (-2.0) * (y[j] if i >= 3 and j < 9 and j >= 1 else 0)",
        "for i in 3 .. 20, j in 1 .. 9:  m[i, j] += (-2.0) * y[j]",
    ),
    "a sum under conditions": (
        "for i in 0 .. 20, j in 0 .. 20:  x[0] += (m[i, j] if j < 19 else 0) if i >= 3 else 0",
        "for i in 3 .. 20, j in 0 .. 19:  x[0] += m[i, j]",
    ),
    "too few points": (
        "for i in 0 .. 4:  x[i] = y[i] if i >= 1 else 0",
        "for i in 0 .. 4:  x[i] = y[i] if i >= 1 else 0",
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_peeled(source: str, expected: str) -> None:
    built = program("row", "x: float64[20], y: float64[20], z: float64[20], m: float64[20, 20]", source)
    assert body_text(check(built, split_index_sets, rtol=0).body) == textwrap.dedent(expected).strip()


def _is_guarded(nest: Nest) -> bool:
    pending = [a.value for a in nest.assigns]
    while pending:
        node = pending.pop()
        if isinstance(node, Op) and node.name == "where":
            return True
        pending += [c for c in children(node) if hasattr(c, "dtype")]
    return False


def _volume(nest: Nest) -> int:
    points = 1
    for r in nest.domain:
        points *= (r.stop - r.start).const
    return points


@pytest.mark.parametrize("name", ["jacobi_1d", "jacobi_2d", "heat_3d", "seidel_2d", "fdtd_2d", "burgers"])
def test_hot_code_has_no_guards(name: str) -> None:
    peeled = split_index_sets(_improved(name))
    volumes = [(_volume(n), _is_guarded(n)) for n in nests(peeled.body)]

    assert not any(guarded for v, guarded in volumes if v == max(v for v, _ in volumes))


def _improved(name: str) -> Program:
    joint = naive_joint(name)
    return improve(joint, frozenset(joint.results))


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    check(_improved(name), split_index_sets, rtol=0)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, split_index_sets, built.arrays)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_adjoints_stay_the_same(seed: int) -> None:
    joint = gradient_program(Generator(seed).program())
    live = frozenset((*SHAPES, *joint.results))
    check(joint, lambda p: split_index_sets(improve(p, live)), live, rtol=1e-9)
