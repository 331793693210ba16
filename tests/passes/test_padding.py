"""Rows with zeros around them are read without conditions, with the same results."""

from __future__ import annotations

import sys
import textwrap
from unittest import mock

import numpy as np
import pytest

import daad
from daad.ir.nodes import Op, Program
from daad.ir.printer import body_text
from daad.ir.walk import nests, nodes
from daad.passes import improve
from daad.passes.loops.index_set_splitting import split_index_sets
from daad.passes.loops.padding import pad_rows
from tests.codegen.generate import random_program
from tests.codegen.running import assert_agrees
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

PEEL = sys.modules[split_index_sets.__module__]

ARRAYS = "A: float64[6, 20], x: float64[20]"
LOCAL = "r: float64[20], s: float64[18], m: int64[20], T: float64[6, 20]"

PADDED = {
    "both neighbours": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += (r[j - 1] if j >= 1 else 0) - 2.0 * r[j] + (r[j + 1] if j < 19 else 0)
        """,
        """
        loop i = 0 .. 6:
          for i_1 in 7 .. 8:  r[i_1] = 0
          for i_1 in 28 .. 29:  r[i_1] = 0
          for j in 0 .. 20:  r[j + 8] = A[i, j]
          for j in 0 .. 20:  x[j] += r[j + 7] - 2.0 * r[j + 8] + r[j + 9]
        """,
    ),
    "a shorter row, multiples, one side": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 18:  s[j] = A[i, j]
          for k in 0 .. 20:  x[k] = -(3.0 * s[k] if k < 18 else 0)
        """,
        """
        loop i = 0 .. 6:
          for i_1 in 18 .. 20:  s[i_1] = 0
          for j in 0 .. 18:  s[j] = A[i, j]
          for k in 0 .. 20:  x[k] = -(3.0 * s[k])
        """,
    ),
    "against the order, in two loops": (
        """
        loop i = 0 .. 6:
          loop k = 0 .. 3:
            for j in 0 .. 20:  r[j] = x[j]
            for j in 0 .. 20:  A[i, j] += r[-j + 20] if j >= 1 else 0
        """,
        """
        loop i = 0 .. 6:
          loop k = 0 .. 3:
            for i_1 in 20 .. 21:  r[i_1] = 0
            for j in 0 .. 20:  r[j] = x[j]
            for j in 0 .. 20:  A[i, j] += r[-j + 20]
        """,
    ),
    "where nothing is wanted": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += r[j - 1] if j >= 2 and j < 19 else 0
        """,
        None,
    ),
    "something else beyond the end": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += r[j - 1] if j >= 1 else 1.0
        """,
        None,
    ),
    "not a multiple": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += (exp(r[j - 1]) if j >= 1 else 0) + (r[j + 1] * A[i, j] if j < 19 else 0)
        """,
        None,
    ),
    "other conditions": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += (r[j - 1] if j >= 1 else 0) + (A[i, j] if j < 7 else 0)
        """,
        None,
    ),
    "a condition on values": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += r[j - 1] if j >= 1 and A[i, j] > 1.0 else 0
        """,
        None,
    ),
    "far beyond the end": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += r[j - 7] if j >= 7 else 0
        """,
        None,
    ),
    "also by an index": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  m[j] = 1
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 20:  x[j] += (r[j - 1] if j >= 1 else 0) + r[m[j]]
        """,
        None,
    ),
    "kept from one iteration to others": (
        """
        for j in 0 .. 20:  r[j] = x[j]
        loop i = 0 .. 6:
          for j in 0 .. 20:  A[i, j] += r[j - 1] if j >= 1 else 0
        """,
        None,
    ),
    "a plane": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  T[i, j] = A[i, j]
          for j in 0 .. 20:  x[j] += T[i, j - 1] if j >= 1 else 0
        """,
        None,
    ),
    "seen from outside": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  x[j] = A[i, j]
          for j in 0 .. 20:  A[i, j] += x[j - 1] if j >= 1 else 0
        """,
        None,
    ),
    "once": (
        """
        for j in 0 .. 20:  r[j] = A[0, j]
        for j in 0 .. 20:  x[j] += r[j - 1] if j >= 1 else 0
        """,
        None,
    ),
    "few points": (
        """
        loop i = 0 .. 6:
          for j in 0 .. 20:  r[j] = A[i, j]
          for j in 0 .. 9:  x[j] += r[j - 1] if j >= 1 else 0
        """,
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), PADDED.values(), ids=PADDED)
def test_padded(source: str, expected: str | None) -> None:
    built = program("rows", ARRAYS, source, local=LOCAL)
    changed = check(built, lambda p: pad_rows(p, frozenset()), rtol=0)
    assert body_text(changed.body) == (
        textwrap.dedent(expected).strip() if expected is not None else body_text(built.body)
    )


def rows(program: Program, live: frozenset[str]) -> Program:
    """However short they are."""
    with mock.patch.object(PEEL, "FEW_POINTS", 1):
        return pad_rows(program, live)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: rows(p, live), rtol=0)


@pytest.mark.parametrize("seed", a_quarter(range(40)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, lambda p: rows(p, frozenset(built.arrays)), built.arrays)
    joint = gradient_program(Generator(seed).program())
    live = frozenset((*SHAPES, *joint.results))
    check(joint, lambda p: rows(improve(p, live), live), live, rtol=1e-9)


def swept(u):  # type: ignore[no-untyped-def]
    for _ in range(3):
        for i in range(1, u.shape[0] - 1):
            u[i, 1:-1] += 0.2 * (u[i - 1, :-2] + u[i - 1, 2:] + u[i + 1, 1:-1])
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.5 * (u[i, j] + u[i, j - 1])


@pytest.mark.parametrize("columns", [26, 29])
def test_gradients_of_sweeps(columns: int) -> None:
    """Recurrences in blocks that take in rows next to them, and rows with zeros around them."""
    u = np.random.default_rng(0).random((7, columns))
    gradient = daad.grad(swept, wrt="u", of="u", seed=np.cos(u), on_inputs="keep")
    joint = gradient._planned(u).derivation.joint
    assert not any(isinstance(node, Op) and node.name == "where" for nest in nests(joint.body) for a in nest.assigns
                   for node in nodes(a.value))  # fmt: skip
    assert max(r.width.const for nest in nests(joint.body) for r in nest.domain) == columns
    assert_agrees(joint)
