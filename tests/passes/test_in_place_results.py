"""A result holds a local array before it is written, with the same values at the end."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.memory.in_place_results import reuse_results
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.slabbed import in_slabs
from tests.seeds import a_quarter
from tests.texts import program

USED_AGAIN = {
    "one after the other": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        for i in 1 .. 8:  y[i] += t[i - 1]
        for i in 0 .. 8:  r[i] = y[i]
        """,
        """
        for i in 0 .. 8:  r[i] = x[i]
        for i in 1 .. 8:  y[i] += r[i - 1]
        for i in 0 .. 8:  r[i] = y[i]
        """,
    ),
    "in one statement": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        for i in 0 .. 8:
          y[i] += t[i]
          r[i] = t[i] * 2.0
        """,
        """
        for i in 0 .. 8:  r[i] = x[i]
        for i in 0 .. 8:
          y[i] += r[i]
          r[i] = r[i] * 2.0
        """,
    ),
    "part by part": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        loop n = 0 .. 3:
          for i in 2*n .. 2*n + 2:  y[i] += t[i]
          for i in 2*n .. 2*n + 2:  r[i] = 1.0
        for i in 6 .. 8:  y[i] += t[i]
        for i in 6 .. 8:  r[i] = 1.0
        """,
        """
        for i in 0 .. 8:  r[i] = x[i]
        loop n = 0 .. 3:
          for i in 2*n .. 2*n + 2:  y[i] += r[i]
          for i in 2*n .. 2*n + 2:  r[i] = 1.0
        for i in 6 .. 8:  y[i] += r[i]
        for i in 6 .. 8:  r[i] = 1.0
        """,
    ),
    "two of them": (
        """
        for i in 0 .. 8:  t[i] = x[i]
        for i in 0 .. 8:  u[i] = t[i] + 1.0
        for i in 0 .. 8:  r[i] = u[i] + 1.0
        """,
        """
        for i in 0 .. 8:  r[i] = x[i]
        for i in 0 .. 8:  r[i] = r[i] + 1.0
        for i in 0 .. 8:  r[i] = r[i] + 1.0
        """,
    ),
}
MAKE = "for i in 0 .. 8:  t[i] = x[i]\n"
KEPT = {
    "read later": MAKE + "for i in 0 .. 8:  r[i] = 1.0\nfor i in 0 .. 8:  y[i] = t[i]",
    "read later at a point": MAKE + "for i in 0 .. 8:\n  r[i] = 1.0\n  y[i] = t[i]",
    "read at another point": MAKE + "for i in 1 .. 8:  r[i] = t[i - 1]\nr[0] = 1.0",
    "read by a later iteration": MAKE + "loop n = 1 .. 8:\n  r[n] = t[n - 1] + y[0]\nr[0] = 1.0",
    "read by another part": MAKE + "loop n = 0 .. 4:\n  for i in 2*n .. 2*n + 2:  r[i] = t[-i + 7] + y[i]",
    "what one statement has": """
        loop n = 0 .. 2:
          for i in 0 .. 8:  t[i] = x[i] + n
          for i in 0 .. 8:  y[i] += t[-i + 7]
        for i in 0 .. 8:  r[i] = y[i]
        """,
    "of another shape": "for i in 0 .. 7:  v[i] = x[i]\nfor i in 0 .. 7:  r[i] = v[i]\nr[7] = v[0]",
}


def built(source: str) -> Program:
    local = "t: float64[8], u: float64[8], v: float64[7], r: float64[8]"
    return program("reuse", "x: float64[8], y: float64[8]", textwrap.dedent(source), local=local, results="r")


def used_again(p: Program) -> Program:
    return reuse_results(p, frozenset((*p.parameters, *p.results)))


@pytest.mark.parametrize(("source", "expected"), USED_AGAIN.values(), ids=USED_AGAIN)
def test_used_again(source: str, expected: str) -> None:
    changed = check(built(source), used_again, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_left_as_it_is(source: str) -> None:
    assert used_again(built(source)) == built(source)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(in_slabs(improve(joint, live), live, 2), lambda p: reuse_results(p, live), rtol=0)


@pytest.mark.parametrize("start", a_quarter(range(0, 30, 10)))
def test_random_adjoints_stay_the_same(start: int) -> None:
    for seed in range(start, start + 10):
        joint = gradient_program(Generator(seed).program())
        live = frozenset((*SHAPES, *joint.results))
        check(joint, lambda p, live=live: reuse_results(p, live), live, rtol=0)
