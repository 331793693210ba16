"""Fused programs mean the same and keep no array that is read in one place only."""

from __future__ import annotations

import textwrap

import pytest

from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import prepare
from daad.passes.loops.vertical_fusion import fuse_vertically
from daad.passes.redundancy.dead_code import remove_dead
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, KERNELS, naive_joint
from tests.passes.temporaries import temporaries_program
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[20], y: float64[20], m: float64[20, 20], k: int64[20]"
LOCAL = "t: float64[20], r: float64[20], s: float64[], q: float64[], w: float64[20, 20]"

ROWS = {
    "one reader": (
        """
        for i in 0 .. 20:  t[i] = exp(x[i])
        for j in 1 .. 20:  y[j] = t[-j + 20] * 2.0
        """,
        "for j in 1 .. 20:  y[j] = exp(x[-j + 20]) * 2.0",
    ),
    "costly work is not done twice": (
        """
        for i in 0 .. 20:  t[i] = exp(x[i])
        for i in 1 .. 20:  y[i] = t[i] - t[i - 1]
        """,
        """
        for i in 0 .. 20:  t[i] = exp(x[i])
        for i in 1 .. 20:  y[i] = t[i] - t[i - 1]
        """,
    ),
    "cheap work may be": (
        """
        for i in 0 .. 20:  t[i] = x[i] + 1.0
        for i in 0 .. 20:  y[i] = t[i] * t[i]
        for i in 0 .. 20:  m[i, 0] = t[i]
        """,
        """
        for i in 0 .. 20:  y[i] = (x[i] + 1.0) * (x[i] + 1.0)
        for i in 0 .. 20:  m[i, 0] = x[i] + 1.0
        """,
    ),
    "several values into one reader": (
        """
        for i in 0 .. 20:  t[i] = exp(x[i])
        for i in 0 .. 20:  r[i] = sin(t[i])
        s = x[1] * 2.0
        for i in 0 .. 19:  y[i] = r[i + 1] * x[i]
        q = s * s
        y[19] = q + r[0]
        """,
        """
        for i in 0 .. 20:  r[i] = sin(exp(x[i]))
        for i in 0 .. 19:  y[i] = r[i + 1] * x[i]
        y[19] = x[1] * 2.0 * (x[1] * 2.0) + r[0]
        """,
    ),
    "read at a place that is computed, behind a condition that reads it, too": (
        """
        for i in 0 .. 20:  t[i] = x[i]
        if t[0] > 0.5:
          y[0] = t[k[0]]
        """,
        """
        for i in 0 .. 20:  t[i] = x[i]
        if t[0] > 0.5:
          y[0] = t[k[0]]
        """,
    ),
    "the source is overwritten": (
        """
        for i in 0 .. 20:  t[i] = x[i]
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  y[i] = t[i]
        """,
        """
        for i in 0 .. 20:  t[i] = x[i]
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  y[i] = t[i]
        """,
    ),
    "another part of the source is overwritten": (
        """
        for i in 0 .. 20:  t[i] = m[3, i]
        for i in 0 .. 20:  m[4, i] = 0
        for i in 0 .. 20:  y[i] = t[i]
        """,
        """
        for i in 0 .. 20:  m[4, i] = 0
        for i in 0 .. 20:  y[i] = m[3, i]
        """,
    ),
    "the right side is read before anything is written": (
        """
        for i in 1 .. 19:  t[i] = x[i - 1] + x[i + 1]
        for i in 1 .. 19:  x[i] = t[i]
        """,
        """
        for i in 1 .. 19:  t[i] = x[i - 1] + x[i + 1]
        for i in 1 .. 19:  x[i] = t[i]
        """,
    ),
    "the reader overwrites its own point only": (
        """
        for i in 1 .. 19:  t[i] = x[i] * 2.0
        for i in 1 .. 19:  x[i] += t[i]
        """,
        "for i in 1 .. 19:  x[i] += x[i] * 2.0",
    ),
    "read where it was not assigned": (
        """
        for i in 1 .. 19:  t[i] = x[i]
        for i in 1 .. 19:  y[i] = t[i] + t[i - 1]
        """,
        """
        for i in 1 .. 19:  t[i] = x[i]
        for i in 1 .. 19:  y[i] = t[i] + t[i - 1]
        """,
    ),
    "guarded where it was not assigned": (
        """
        for i in 1 .. 19:  t[i] = x[i]
        for i in 0 .. 20:  y[i] = t[i] if i >= 1 and i < 19 else 0
        """,
        "for i in 0 .. 20:  y[i] = x[i] if i >= 1 and i < 19 else 0",
    ),
    "work stays out of loops": (
        """
        s = x[0] * x[1]
        q = x[2]
        for i in 0 .. 20:  y[i] = s * y[i] + q
        """,
        """
        s = x[0] * x[1]
        for i in 0 .. 20:  y[i] = s * y[i] + x[2]
        """,
    ),
    "a sum into an element": (
        """
        loop i = 0 .. 20:
          s = 0
          for j in 0 .. i:  s += m[i, j] * m[j, i]
          m[i, i] = m[i, i] - s
        """,
        """
        loop i = 0 .. 20:
          for j in 0 .. i:  m[i, i] += -(m[i, j] * m[j, i])
        """,
    ),
    "a sum that reads the element": (
        """
        loop i = 0 .. 20:
          s = 0
          for j in 0 .. i + 1:  s += m[i, j] * m[j, i]
          m[i, i] = m[i, i] - s
        """,
        """
        loop i = 0 .. 20:
          s = 0
          for j in 0 .. i + 1:  s += m[i, j] * m[j, i]
          m[i, i] = m[i, i] - s
        """,
    ),
    "sums for each row": (
        """
        for i in 0 .. 20:  t[i] = 0
        for i in 0 .. 20, j in 0 .. 20:  t[j] += m[i, j] * x[i]
        for i in 0 .. 20:  y[-i + 19] = t[i]
        """,
        """
        for i in 0 .. 20:  y[-i + 19] = 0
        for i in 0 .. 20, i_1 in 0 .. 20:  y[-i + 19] += m[i_1, i] * x[i_1]
        """,
    ),
    "a chain": (
        """
        for i in 0 .. 20:  t[i] = x[i] * x[i]
        for i in 0 .. 20:  r[i] = t[i] + 1.0
        for i in 0 .. 20:  y[i] = sqrt(r[i])
        """,
        "for i in 0 .. 20:  y[i] = sqrt(x[i] * x[i] + 1.0)",
    ),
    "a condition": (
        """
        s = x[0] * 2.0
        if s > 1.0:
            y[0] = 1.0
        """,
        "if x[0] * 2.0 > 1.0:\n  y[0] = 1.0",
    ),
    "an index array": (
        """
        for i in 0 .. 20:  t[i] = x[i]
        for i in 0 .. 20:  y[i] = t[k[i]]
        """,
        """
        for i in 0 .. 20:  t[i] = x[i]
        for i in 0 .. 20:  y[i] = t[k[i]]
        """,
    ),
    "a value that is the same along an axis of a sum": (
        """
        for i in 0 .. 20, j in 0 .. 20:  w[i, j] = x[i] * y[i]
        for i in 0 .. 20, j in 0 .. 20, n in 0 .. 20:  m[i, j] += w[n, j] * x[i]
        """,
        "for i in 0 .. 20, j in 0 .. 20, n in 0 .. 20:  m[i, j] += x[n] * y[n] * x[i]",
    ),
    "not in a loop, whose iterations together may be a product of matrices": (
        """
        loop step = 0 .. 5:
          for i in 0 .. 20, j in 0 .. 20:  w[i, j] = x[i] * y[i]
          for i in 0 .. 20, j in 0 .. 20, n in 0 .. 20:  m[i, j] += w[n, j] * x[i]
        """,
        """
        loop step = 0 .. 5:
          for i in 0 .. 20, j in 0 .. 20:  w[i, j] = x[i] * y[i]
          for i in 0 .. 20, j in 0 .. 20, n in 0 .. 20:  m[i, j] += w[n, j] * x[i]
        """,
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_fused(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source, local=LOCAL)
    assert body_text(check(built, _fuse).body) == textwrap.dedent(expected).strip()


def _fuse(built: Program) -> Program:
    live = frozenset(built.parameters)
    return remove_dead(fuse_vertically(built, live), live)


@pytest.mark.parametrize("seed", a_quarter(range(150)))
def test_random_temporaries(seed: int) -> None:
    built = temporaries_program(seed)
    fused = check(built, _fuse, built.parameters, rtol=1e-9)
    if not invalid_nests(built):
        assert not invalid_nests(fused)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    check(joint, lambda p: fuse_vertically(p, frozenset(joint.results)))


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_meaning(name: str) -> None:
    primal = KERNELS[name][0]
    check(primal, lambda p: prepare(p, frozenset(p.parameters)), primal.parameters)
