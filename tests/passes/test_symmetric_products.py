"""Products with a triangle and with its mirror image become one with a symmetric matrix, and mean the same."""

from __future__ import annotations

import random
import sys
import textwrap
from collections.abc import Callable

import numpy as np
import pytest

import daad
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.reductions.symmetric_products import multiply_symmetrically
from tests.passes.checking import arguments, check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "T: float64[8, 8], U: float64[8, 8], B: float64[8, 5], X: float64[8, 5], Y: float64[8, 5], a: float64[]"

ROWS = {
    "with a diagonal, columns before it": (
        """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * (B[j, k] * a[])
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k] * a[]
          for j in 0 .. i + 1:  T[i, j] = T[i, j] * 2.0
        """,
        """
        loop i = 0 .. 8:
          for j in 0 .. i + 1:  T_both[i, j] = T[i, j]
          for j in 0 .. i + 1:  T_both[j, i] = T[i, j]
          T_both[i, i] = T[i, i] + T[i, i]
          for j in 0 .. i + 1:  T[i, j] = T[i, j] * 2.0
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T_both[i, j] * B[i, k] * a
        """,
    ),
    "two products of one triangle": (
        """
        loop i = 7 .. -1 down:
          for k in 0 .. 5, j in i .. 8:
            X[j, k] += T[i, j] * B[i, k]
            Y[j, k] += T[i, j] * U[i, k]
          for l in 0 .. 5, m in i .. 8:  X[i, l] += T[i, m] * B[m, l]
          for k in 0 .. 5, j in i .. 8:  Y[i, k] += T[i, j] * U[j, k]
        """,
        """
        loop i = 7 .. -1 down:
          for j in i .. 8:  T_both[i, j] = T[i, j]
          for j in i .. 8:  T_both[j, i] = T[i, j]
          T_both[i, i] = T[i, i] + T[i, i]
        for i in 0 .. 8, k in 0 .. 5, j in 0 .. 8:  X[j, k] += T_both[i, j] * B[i, k]
        for i in 0 .. 8, k in 0 .. 5, j in 0 .. 8:  Y[j, k] += T_both[i, j] * U[i, k]
        """,
    ),
    "one row at a time, without a diagonal": (
        """
        loop i = 0 .. 7:
          for j in i + 1 .. 8:  row[j - i - 1] = T[i, j] + T[j, i]
          for k in 0 .. 5, j in 0 .. 7 - i:  X[i + j + 1, k] += row[j] * B[i, k]
          for k in 0 .. 5, j in 0 .. 7 - i:  X[i, k] += row[j] * B[i + j + 1, k]
        """,
        """
        for i in 0 .. 8:  row_both[i, i] = 0
        loop i = 0 .. 7:
          for j in i + 1 .. 8:  row[j - i - 1] = T[i, j] + T[j, i]
          for j in i .. 7:  row_both[i, j + 1] = row[j - i]
          for j in i .. 7:  row_both[j + 1, i] = row[j - i]
        B_infinite = 0
        for i in 0 .. 8, k in 0 .. 5:  B_infinite += 0:float64 if isfinite(B[i, k]) else 1.0
        if B_infinite == 0:
          for i in 0 .. 8, k in 0 .. 5, j in -1 .. 7:  X[j + 1, k] += row_both[i, j + 1] * B[i, k]
        else:
          for i in 0 .. 8, k in 0 .. 5, j in -1 .. 7:  """
        "X[j + 1, k] += row_both[i, j + 1] * B[i, k] if i != (j + 1) else 0",
    ),
    "whole matrices": (
        """
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += a[] * T[i, j] * B[i, k]
        for k in 0 .. 5:  Y[2, k] = T[2, k]
        for k in 0 .. 5, i in 0 .. 8, m in 0 .. 8:  X[m, k] += T[m, i] * B[i, k] * a[]
        """,
        """
        for i in 0 .. 8, j in 0 .. 8:  T_both[i, j] = T[i, j] + T[j, i]
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += a * T_both[i, j] * B[i, k]
        for k in 0 .. 5:  Y[2, k] = T[2, k]
        """,
    ),
    "the triangle changes between two pairs": (
        """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
          for j in 0 .. i + 1:  T[i, j] = T[i, j] * 2.0
          for j in 0 .. i + 1, k in 0 .. 5:  Y[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  Y[j, k] += T[i, j] * B[i, k]
        """,
        """
        loop i = 0 .. 8:
          for j in 0 .. i + 1:  T_both[i, j] = T[i, j]
          for j in 0 .. i + 1:  T_both[j, i] = T[i, j]
          T_both[i, i] = T[i, i] + T[i, i]
          for j in 0 .. i + 1:  T[i, j] = T[i, j] * 2.0
          for j in 0 .. i + 1:  T_both_1[i, j] = T[i, j]
          for j in 0 .. i + 1:  T_both_1[j, i] = T[i, j]
          T_both_1[i, i] = T[i, i] + T[i, i]
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T_both[i, j] * B[i, k]
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  Y[j, k] += T_both_1[i, j] * B[i, k]
        """,
    ),
}

AS_THEY_ARE = {
    "other factors": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k] * a[]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
    "other operands": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * Y[i, k]
        """,
    "a whole matrix changes between the two": """
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        for k in 0 .. 5:  T[2, k] = 0
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
        """,
    "sums that are read between two products of whole matrices": """
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        for k in 0 .. 5:  Y[2, k] = X[2, k]
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
        """,
    "the product of a whole matrix twice": """
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        for i in 0 .. 8, j in 0 .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
    "other triangles": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[j, i] * B[i, k]
        """,
    "the same product twice": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
        """,
    "rows without the last": """
        loop i = 0 .. 7:
          for j in i .. 8, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in i .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
    "a band is left out": """
        loop i = 0 .. 6:
          for j in i + 2 .. 8, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in i + 2 .. 8, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
    "the loop reads the sums": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
          for k in 0 .. 5:  Y[i, k] = X[i, k]
        """,
    "the loop sets the sums": """
        loop i = 0 .. 8:
          for k in 0 .. 5:  X[i, k] = 0
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
    "the loop changes the operand": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
          for k in 0 .. 5:  B[i, k] = B[i, k] * 0.5
        """,
    "the triangle changes between the two": """
        loop i = 0 .. 8:
          for j in 0 .. i + 1, k in 0 .. 5:  X[i, k] += T[i, j] * B[j, k]
          for j in 0 .. i + 1:  T[i, j] = T[i, j] * 2.0
          for j in 0 .. i + 1, k in 0 .. 5:  X[j, k] += T[i, j] * B[i, k]
        """,
}


@pytest.fixture(autouse=True)
def small_products(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[multiply_symmetrically.__module__]
    monkeypatch.setattr(module, "LEAST_WORK", 0)
    monkeypatch.setattr(module, "LEAST_SHARE", 1)


def symmetric(built: Program) -> Program:
    return multiply_symmetrically(built, frozenset(built.parameters))


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_pairs(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source, local="row: float64[8]")
    assert body_text(check(built, symmetric).body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(symmetric(built))


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_left_as_it_is(source: str) -> None:
    built = program("row", ARRAYS, source, local="row: float64[8]")
    assert symmetric(built) == built


@pytest.mark.parametrize("source", [source for source, _ in ROWS.values()], ids=ROWS)
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_goes_where_it_went(source: str, number: float) -> None:
    built = program("row", ARRAYS, source, local="row: float64[8]")
    values = arguments(built)
    values["B"][3, 2] = number  # type: ignore[index]
    before, after = run(built, values), run(symmetric(built), values)
    assert np.isfinite(before["X"]).any()
    np.testing.assert_allclose(after["X"], before["X"], rtol=1e-12)


def random_pair(rng: random.Random) -> str:
    """Two updates by a triangle, often each other's mirror image, and something between or behind them."""
    low, high = rng.choice((("0", "i"), ("0", "i + 1"), ("i", "8"), ("i + 1", "8"), ("i", "7")))
    triangle = rng.choice(("T[i, j]", "T[j, i]", "row[j]"))
    there, here = rng.choice((("j", "i"), ("i", "j")))
    loop = f"  for j in {low} .. {high}, k in 0 .. 5:  "
    scale = rng.choice(("", " * a[]", " / a[]"))
    again = rng.choice((scale, scale, ""))
    updates = [
        f"{loop}X[{there}, k] += {triangle} * B[{here}, k]{scale}\n",
        f"{loop}X[{here}, k] += B[{there}, k] * {triangle}{again}\n",
    ]
    rng.shuffle(updates)
    others = (
        "  for j in 0 .. 8:  row[j] = T[j, i] * a[]\n",
        "  for j in 0 .. 8:  T[i, j] = T[i, j] * 0.5\n",
        "  for k in 0 .. 5:  Y[i, k] = B[i, k] + row[3]\n",
        "  for k in 0 .. 5:  B[i, k] += Y[i, k]\n",
    )
    chosen = [*updates, *rng.sample(others, rng.randint(0, 2))]
    places = sorted(range(len(chosen)), key=lambda n: (n > 1 and rng.random() < 0.7) * 1 + rng.random())
    return f"loop i = {rng.choice(('0 .. 8', '0 .. 7', '1 .. 8', '7 .. -1 down'))}:\n" + "".join(
        chosen[place] for place in places
    )


@pytest.mark.parametrize("start", a_quarter(range(0, 400, 20)))
def test_random_pairs_stay_the_same(start: int) -> None:
    sources = [random_pair(random.Random(seed)) for seed in range(start, start + 20)]
    known = [program("row", ARRAYS, source, local="row: float64[8]") for source in sources]
    known = [built for built in known if not invalid_nests(built)]
    changed = [check(built, symmetric) for built in known]
    assert sum(new != old for new, old in zip(changed, known, strict=True)) > 2
    assert not any(map(invalid_nests, changed))


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    check(improve(joint, frozenset(joint.results)), symmetric)


def gram(A, W):  # type: ignore[no-untyped-def]
    C = np.zeros(W.shape)
    for i in range(A.shape[0]):
        C[i:, i] = C[i, i:] = A[i] @ A[i:].T
    return np.sum(W * C)


def gram_of_others(A, W):  # type: ignore[no-untyped-def]
    C = np.zeros(W.shape)
    for i in range(A.shape[0] - 1):
        C[i + 1 :, i] = C[i, i + 1 :] = A[i] @ A[i + 1 :].T
    return np.sum(W * C)


@pytest.mark.parametrize("function", [gram, gram_of_others])
def test_compiled_gradient(monkeypatch: pytest.MonkeyPatch, function: Callable[..., float]) -> None:
    monkeypatch.undo()
    A, W = (np.random.default_rng(seed).random((70, size)) for seed, size in ((0, 250), (1, 70)))
    gradient = daad.grad(function, wrt="A")
    found, again = gradient(A, W), gradient(A, W)
    both = W + W.T if function is gram else W + W.T - 2 * np.diag(np.diag(W))
    np.testing.assert_allclose(found, both @ A, rtol=1e-12)
    np.testing.assert_array_equal(found, again)
    assert "_both" in str(gradient.joint)
    limited = daad.grad(function, wrt="A", memory_limit=gradient.plan.nbytes)
    np.testing.assert_allclose(limited(A, W), found, rtol=1e-12)
    assert "_both" not in str(limited.joint)
