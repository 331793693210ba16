"""Products of matrices that are only summed are not made; others stay."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes.reductions.reassociation import reassociate
from daad.passes.reductions.reduction_simplification import simplify_reductions
from tests.passes.checking import check
from tests.texts import program

ARRAYS = "a: float64[30, 40], b: float64[40, 50], x: float64[30], y: float64[50], m: float64[30, 50], s: float64[]"
LOCAL = "p: float64[30, 50]"
MADE = """
for i in 0 .. 30, j in 0 .. 50:  p[i, j] = 0
for i in 0 .. 30, j in 0 .. 50, k in 0 .. 40:  p[i, j] += a[i, k] * b[k, j]
"""
KEPT = """
for i in 0 .. 30, j in 0 .. 50:  p[i, j] = 0
for i in 0 .. 30, j in 0 .. 50, k in 0 .. 40:  p[i, j] += a[i, k] * b[k, j]
"""

ROWS = {
    "sums over rows": (
        "for i in 0 .. 30, j in 0 .. 50:  y[j] += p[i, j]",
        "for i in 0 .. 30, j in 0 .. 50, k in 0 .. 40:  y[j] += a[i, k] * b[k, j]",
    ),
    "two that read it, with the names of the product": (
        """
        for k in 0 .. 30, j in 0 .. 50:  y[j] += 2.0 * p[k, j] * x[k]
        for j in 0 .. 30, i in 0 .. 50:  s += p[j, i]
        """,
        """
        for k in 0 .. 30, j in 0 .. 50, k_1 in 0 .. 40:  y[j] += 2.0 * x[k] * (a[k, k_1] * b[k_1, j])
        for j in 0 .. 30, i in 0 .. 50, k in 0 .. 40:  s += a[j, k] * b[k, i]
        """,
    ),
    "elements of it are wanted": (
        "for i in 0 .. 30, j in 0 .. 50:  m[i, j] += p[i, j]",
        None,
    ),
    "one that reads it wants elements": (
        """
        for i in 0 .. 30, j in 0 .. 50:  y[j] += p[i, j]
        for i in 0 .. 30, j in 0 .. 50:  m[i, j] = p[i, j]
        """,
        None,
    ),
    "a sum of something else": (
        "for i in 0 .. 30, j in 0 .. 50:  y[j] += sin(p[i, j])",
        None,
    ),
    "squares": (
        "for i in 0 .. 30, j in 0 .. 50:  y[j] += p[i, j] * p[i, j]",
        None,
    ),
    "the largest": (
        "for i in 0 .. 30, j in 0 .. 50:  y[j] max= p[i, j]",
        None,
    ),
    "a factor changes before": (
        """
        for i in 0 .. 30:  a[i, 0] = x[i]
        for i in 0 .. 30, j in 0 .. 50:  y[j] += p[i, j]
        """,
        None,
    ),
    "in a later loop": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 30, j in 0 .. 50:  y[j] += p[i, j]
        """,
        None,
    ),
}


def compared(source: str) -> Program:
    built = program("row", ARRAYS, MADE + textwrap.dedent(source), local=LOCAL)
    return check(built, lambda p: reassociate(p, frozenset()))


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_associate(source: str, expected: str | None) -> None:
    text = body_text(compared(source).body)
    if expected is None:
        assert text.startswith(KEPT.strip())
    else:
        assert text == textwrap.dedent(expected).strip()


def test_what_is_joined_becomes_two_sums() -> None:
    built = simplify_reductions(compared(ROWS["sums over rows"][0]))
    assert body_text(built.body).splitlines() == [
        "for k in 0 .. 40:  y_sum[k] = 0",
        "for i in 0 .. 30, k in 0 .. 40:  y_sum[k] += a[i, k]",
        "for j in 0 .. 50, k in 0 .. 40:  y[j] += b[k, j] * y_sum[k]",
    ]


def test_an_array_that_is_seen_is_made() -> None:
    built = program("row", f"{ARRAYS}, {LOCAL}", MADE + textwrap.dedent(ROWS["sums over rows"][0]))
    assert reassociate(built, frozenset()) is built


def chain(first, second, third):  # type: ignore[no-untyped-def]
    return np.sum(first @ second @ third)


def scaled(weight, outer, middle, inner):  # type: ignore[no-untyped-def]
    return np.mean(weight * (outer @ middle @ inner) - 3.0)


PRODUCTS = {"a sum": (chain, ((60, 70), (70, 80), (80, 90))), "a mean": (scaled, ((), (90, 60), (60, 50), (50, 70)))}


@pytest.mark.parametrize(("function", "shapes"), PRODUCTS.values(), ids=PRODUCTS)
def test_sums_of_products_have_gradients_without_products(function, shapes) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    arguments = [rng.random(shape) for shape in shapes]
    gradient = daad.grad(function, wrt=tuple(function.__code__.co_varnames[-3:]))
    nests = gradient._planned(*arguments).derivation.joint.body
    assert all(len(nest.domain) <= 2 for nest in nests)
    a, b, c = arguments[-3:]
    ones = np.full((a.shape[0], c.shape[1]), 1.0 if function is chain else arguments[0] / (a.shape[0] * c.shape[1]))
    expected = (ones @ (b @ c).T, a.T @ ones @ c.T, (a @ b).T @ ones)
    for found, wanted in zip(gradient(*arguments), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
