"""Many divisions by one value are multiplications by its reciprocal, with the results of divisions."""

from __future__ import annotations

import numpy as np
import pytest

from daad.codegen.compilation import compile_program
from tests.codegen.running import assert_agrees, call
from tests.codegen.test_vector_lanes import code
from tests.texts import program

ARRAYS = "A: float64[80, 90], C: float64[80, 90], F: float32[80, 90], f: float32[80], s: float64[], x: float64[80]"
# name: (domain, statement, whether reciprocals are used)
ROWS = {
    "by one value": ("i in 0 .. 80, j in 0 .. 90", "C[i, j] = A[i, j] / s", True),
    "by an expression": ("i in 0 .. 80, j in 0 .. 90", "C[i, j] = A[i, j] / (2.0 * s * s)", True),
    "by one for each row": ("i in 0 .. 80, j in 0 .. 90", "C[i, j] = A[i, j] / x[i]", True),
    "by one for each column": ("i in 0 .. 80, j in 0 .. 90", "C[i, j] = A[i, j] / A[3, j]", False),
    "in a sum": ("i in 0 .. 80, j in 0 .. 90", "x[i] += A[i, j] / s", True),
    "by its own": ("j in 0 .. 90", "C[0, j] = s / A[1, j]", False),
    "few": ("j in 0 .. 20", "C[0, j] = A[0, j] / s", False),
    "one": ("j in 0 .. 90", "C[0, j] = A[0, j] * (x[0] / s)", False),
    "by a constant": ("j in 0 .. 90", "C[0, j] = A[0, j] / 3.0", False),
    "by a power of the value": ("j in 0 .. 90", "C[0, j] = A[0, j] / s ** 2.0", True),
    "in single precision": ("j in 0 .. 90", "F[0, j] = F[1, j] / f[0]", False),
    "on one side only": ("j in 0 .. 90", "C[0, j] = A[0, j] / s if A[0, j] > 0 else 0", True),
    "by what the point has written": ("j in 0 .. 90", "x[3] = 2.0\n  C[0, j] = A[0, j] / x[3]", False),
}

EXTREMES = [0.0, 1.0, 1.5, 5e-324, 1e-310, 2.3e-308, 3e-200, 1e-150, 3e150, 1e200, 1.7e308, np.inf, np.nan]
VALUES = np.array([sign * value for value in EXTREMES for sign in (1, -1)])


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_reciprocals(row: tuple[str, str, bool]) -> None:
    domain, statement, expected = row
    text = code(program("p", ARRAYS, f"for {domain}:\n  {statement}"))
    assert ("Reciprocal" in text) == expected


def test_sums_of_quotients() -> None:
    source = """
for i in 0 .. 80, j in 0 .. 90:  x[i] += A[i, j] / s
for i in 0 .. 80, j in 0 .. 90:  C[i, j] = A[i, j] / x[i] if A[i, j] > 0 else A[i, j] / (s + 2.0) / x[i]
"""
    assert_agrees(program("sums", ARRAYS, source))


@pytest.fixture(scope="module")
def quotients() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dividends in rows, a divisor for each of them, and what comes out."""
    rng = np.random.default_rng(0)
    divisors = np.concatenate([VALUES, rng.normal(size=200), 10.0 ** rng.uniform(-300, 300, 200)])
    scales = 10.0 ** rng.uniform(-300, 300, (len(divisors), 400))
    dividends = np.concatenate([np.tile(VALUES, (len(divisors), 1)), scales * rng.normal(size=scales.shape)], axis=1)
    dividends[:, 100:200] = rng.normal(size=(len(divisors), 100))
    rows, columns = dividends.shape
    made = program(
        "rows",
        f"D: float64[{rows}, {columns}], d: float64[{rows}], Q: float64[{rows}, {columns}]",
        f"for i in 0 .. {rows}, j in 0 .. {columns}:  Q[i, j] = D[i, j] / d[i]",
    )
    assert "Reciprocal" in code(made)
    found = call(compile_program(made), made, {"D": dividends, "d": divisors, "Q": np.zeros_like(dividends)})
    return dividends, divisors[:, None], found["Q"]


def test_they_are_those_of_divisions(quotients: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    dividends, divisors, found = quotients
    with np.errstate(all="ignore"):
        expected = dividends / divisors
    ordinary = ~(np.abs(expected) < 1e-290)
    np.testing.assert_array_equal(found[ordinary], expected[ordinary])
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(expected)])


def test_the_smallest_are_right_but_for_the_last_bit(quotients: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    dividends, divisors, found = quotients
    with np.errstate(all="ignore"):
        expected = dividends / divisors
    small = np.abs(expected) < 1e-290
    assert small.sum() > 1000
    np.testing.assert_allclose(found[small], expected[small], rtol=3e-16, atol=5e-324)
