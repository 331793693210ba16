"""Costly values of a point that several sums take are computed once, into an array, and nothing else changes."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Op
from daad.ir.printer import body_text
from daad.ir.walk import nests, nodes
from daad.passes.reductions.gather_form import to_gather_form
from daad.passes.redundancy.common_subexpressions import eliminate_common_subexpressions
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.random_cases import random_cases
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "x: float64[9], y: float64[9], z: float64[9], m: float64[9, 9], k: int64[9], w: float64[]"

ROWS = {
    "neighbours": (
        """
        for i in 1 .. 8:
          x[i - 1] += exp(y[i])
          x[i] += -(2.0 * exp(y[i]))
          x[i + 1] += exp(y[i])
        """,
        """
        for i in 1 .. 8:  x_of[i - 1] = exp(y[i])
        for i in 1 .. 8:
          x[i - 1] += x_of[i - 1]
          x[i] += -(2.0 * x_of[i - 1])
          x[i + 1] += x_of[i - 1]
        """,
    ),
    "row and column": (
        """
        for i in 0 .. 9, j in 0 .. 9:
          x[i] += exp(m[i, j]) * y[j]
          z[j] += exp(m[i, j])
        """,
        """
        for i in 0 .. 9, j in 0 .. 9:  x_of[i, j] = exp(m[i, j])
        for i in 0 .. 9, j in 0 .. 9:
          x[i] += x_of[i, j] * y[j]
          z[j] += x_of[i, j]
        """,
    ),
    "a value within another": (
        """
        for i in 1 .. 8:
          x[i - 1] += log(exp(y[i]) + 1.0)
          x[i] += log(exp(y[i]) + 1.0)
          x[i + 1] += exp(y[i])
        """,
        """
        for i in 1 .. 8:
          x_of[i - 1] = log(exp(y[i]) + 1.0)
          x_of_1[i - 1] = exp(y[i])
        for i in 1 .. 8:
          x[i - 1] += x_of[i - 1]
          x[i] += x_of[i - 1]
          x[i + 1] += x_of_1[i - 1]
        """,
    ),
    "found together anyway": (
        """
        for i in 0 .. 9:
          x[i] += exp(y[i])
          z[i] += 2.0 * exp(y[i])
        """,
        None,
    ),
    "sums over the same": (
        """
        for i in 0 .. 9, j in 0 .. 9:
          x[i] += exp(m[i, j])
          z[i] += 2.0 * exp(m[i, j])
        """,
        None,
    ),
    "cheap": (
        """
        for i in 1 .. 8:
          x[i - 1] += 2.0 * y[i]
          x[i + 1] += 2.0 * y[i]
        """,
        None,
    ),
    "costly, but the same everywhere": (
        """
        for i in 1 .. 8:
          x[i - 1] += exp(w) * y[i] / log(w)
          x[i + 1] += exp(w) * y[i] / log(w)
        """,
        None,
    ),
    "read before it is overwritten": (
        """
        for i in 0 .. 8:
          x[i] += exp(y[i])
          x[i + 1] += exp(y[i])
          y[i] = 0
        """,
        """
        for i in 0 .. 8:  x_of[i] = exp(y[i])
        for i in 0 .. 8:
          x[i] += x_of[i]
          x[i + 1] += x_of[i]
          y[i] = 0
        """,
    ),
    "overwritten before it is read": (
        """
        for i in 0 .. 8:
          x[i] += exp(y[i])
          y[i] = 2.0 * y[i]
          x[i + 1] += exp(y[i])
        """,
        None,
    ),
    "read under a condition": (
        """
        for i in 0 .. 9:
          x[i] += exp(y[i + 1]) if i < 8 else 0
          w += exp(y[i + 1]) if i < 8 else 0
        """,
        """
        for i in 0 .. 9:  x_of[i] = exp(y[i + 1]) if i < 8 else 0
        for i in 0 .. 9:
          x[i] += x_of[i]
          w += x_of[i]
        """,
    ),
    "under different conditions": (
        """
        for i in 0 .. 9:
          x[i] += exp(y[i + 1]) if i < 8 else 0
          w += exp(y[i + 1]) if i < 7 else 0
        """,
        None,
    ),
    "bounds of an outer loop": (
        """
        loop t = 0 .. 5:
          for i in t .. t + 4:
            x[i] += exp(y[i])
            x[i + 1] += exp(y[i])
        """,
        """
        loop t = 0 .. 5:
          for i in t .. t + 4:  x_of[i - t] = exp(y[i])
          for i in t .. t + 4:
            x[i] += x_of[i - t]
            x[i + 1] += x_of[i - t]
        """,
    ),
    "as many points as an outer loop says": (
        """
        loop t = 0 .. 8:
          for i in 0 .. t:
            x[i] += exp(y[i])
            x[i + 1] += exp(y[i])
        """,
        None,
    ),
    "by index arrays": (
        """
        for i in 0 .. 9:
          x[k[i]] += exp(y[i])
          z[k[i]] += 2.0 * exp(y[i])
        """,
        None,
    ),
    "by index arrays, and each point": (
        """
        for i in 0 .. 9:
          x[k[i]] += exp(y[i])
          z[i] += 2.0 * exp(y[i])
        """,
        """
        for i in 0 .. 9:  x_of[i] = exp(y[i])
        for i in 0 .. 9:
          x[k[i]] += x_of[i]
          z[i] += 2.0 * x_of[i]
        """,
    ),
    "the same in each row": (
        "for i in 0 .. 9, j in 1 .. 9:  m[i, j] += x[i] * (y[j] / z[j - 1])",
        """
        for j in 1 .. 9:  m_of[j - 1] = y[j] / z[j - 1]
        for i in 0 .. 9, j in 1 .. 9:  m[i, j] += x[i] * m_of[j - 1]
        """,
    ),
    "a factor of a product": (
        "for i in 0 .. 9, j in 0 .. 9, l in 0 .. 9:  m[i, j] += x[i] * y[l] * (w / (z[l] * y[j]))",
        """
        for j in 0 .. 9, l in 0 .. 9:  m_of[j, l] = w / (z[l] * y[j])
        for i in 0 .. 9, j in 0 .. 9, l in 0 .. 9:  m[i, j] += x[i] * y[l] * m_of[j, l]
        """,
    ),
    "the same along a row": (
        "for i in 0 .. 9, j in 0 .. 9:  m[i, j] += y[j] * (x[i] / z[i])",
        None,
    ),
    "the same in each row, of what the rows write": (
        """
        for i in 0 .. 9, j in 0 .. 9:
          m[i, j] += x[i]
          z[j] += y[j] / (z[j] + x[j])
        """,
        None,
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_costly_values_get_an_array(source: str, expected: str | None) -> None:
    built = program("row", ARRAYS, source)
    text = body_text(check(built, eliminate_common_subexpressions).body)
    assert text == (body_text(built.body) if expected is None else textwrap.dedent(expected).strip("\n").rstrip())


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str, every_value: None) -> None:
    check(naive_joint(name), eliminate_common_subexpressions)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs_stay_the_same_and_valid(seed: int, every_value: None) -> None:
    for built, live in random_cases([seed]):
        changed = check(built, eliminate_common_subexpressions, live, rtol=1e-9)
        assert len(invalid_nests(changed)) <= len(invalid_nests(built))
        check(changed, to_gather_form, live, rtol=1e-9)


@pytest.fixture
def every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each value were costly enough."""
    module = sys.modules["daad.passes.redundancy.common_subexpressions"]
    monkeypatch.setattr(module, "LEAST_WORK", 1)
    monkeypatch.setattr(module, "LEAST_FAR", 1)


def edges(image: np.ndarray) -> np.floating:
    across, down = image[1:-1, 2:] - image[1:-1, :-2], image[2:, 1:-1] - image[:-2, 1:-1]
    return np.sum(np.cos(np.arctan2(down, across)) / (1.0 + np.exp(-np.hypot(across, down))))


def test_a_stencil_of_functions_takes_each_once_a_point() -> None:
    image = np.random.default_rng(0).random((12, 10))
    gradient = daad.grad(edges)
    assert daad.check(edges, (image,))
    gradient(image)
    sines = [n for nest in nests(gradient.joint.body) for a in nest.assigns for n in nodes(a.value) if _is_sine(n)]
    assert len(set(sines)) == 1


def _is_sine(node: object) -> bool:
    return isinstance(node, Op) and node.name == "sin"


def test_no_memory_is_taken_for_it_where_memory_is_limited() -> None:
    image = np.random.default_rng(0).random((60, 70))
    free = daad.plan(edges, (image,))
    limited = daad.plan(edges, (image,), memory_limit=free.nbytes - 1)
    made = [[name for name in plan.derivation.joint.arrays if "_of" in name] for plan in (free, limited)]
    assert made[0] and not made[1]
