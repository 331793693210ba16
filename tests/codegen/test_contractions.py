"""Which nests are products for BLAS, and which are not."""

from __future__ import annotations

from typing import Any

import pytest

from daad.analysis.context import Scope
from daad.codegen.schedule.contractions import Kind, find_contraction
from daad.ir.nodes import Nest
from tests.texts import program

ARRAYS = (
    "A: float64[20, 30], B: float64[30, 40], C: float64[20, 40], T: float64[40, 30], x: float64[30], y: float64[20], "
    "s: float64[], F: float32[20, 30], V: float64[2, 10, 30], W: float64[2, 10, 40], a: float64[], "
    "z: float64[60], P: float64[5, 20, 30], Q: float64[5, 30, 40], R: float64[5, 20, 40]"
)
IJK = "i in 0 .. 20, j in 0 .. 40, k in 0 .. 30"
WITHIN = "i in 3 .. 9, j in 5 .. 11, k in 2 .. 30"
HALF = "b in 0 .. 2, i in 0 .. 10, j in 0 .. 40, k in 0 .. 30"
ROWS: dict[str, tuple[str, str, Kind | None, Any]] = {
    "gemm": (IJK, "C[i, j] += A[i, k] * B[k, j]", Kind.GEMM, 20 * 30 * 40),
    "gemm with a transposed factor": (IJK, "C[i, j] += A[i, k] * T[j, k]", Kind.GEMM, 20 * 30 * 40),
    "gemm with scalars": (IJK, "C[i, j] += -(a * A[i, k]) * B[k, j] / a", Kind.GEMM, 20 * 30 * 40),
    "gemm within a matrix": (WITHIN, "C[i, j] += A[i, k] * B[k, j]", Kind.GEMM, 6 * 6 * 28),
    "leading axes joined": (HALF, "W[b, i, j] += V[b, i, k] * B[k, j]", Kind.GEMM, 24000),
    "batch": ("b in 0 .. 5, " + IJK, "R[b, i, j] += P[b, i, k] * Q[b, k, j]", Kind.GEMM, 20 * 30 * 40),
    "gemv": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, k] * x[k]", Kind.GEMV, 600),
    "gemv, transposed": ("i in 0 .. 20, k in 0 .. 30", "x[k] += A[i, k] * y[i]", Kind.GEMV, 600),
    "ger": ("i in 0 .. 20, k in 0 .. 30", "A[i, k] += y[i] * x[k]", None, None),
    "dot": ("k in 0 .. 30", "s += x[k] * x[k]", None, None),
    "column times column": ("k in 0 .. 30", "s += B[k, 3] * B[k, 4]", None, None),
    "a vector as a matrix": ("i in 0 .. 20, j in 0 .. 40, k in 0 .. 30", "C[i, j] += z[i + k] * B[k, j]", None, None),
    "assignment": ("i in 0 .. 20, k in 0 .. 30", "A[i, k] = y[i] * x[k]", None, None),
    "maximum": ("i in 0 .. 20, k in 0 .. 30", "y[i] max= A[i, k] * x[k]", None, None),
    "three factors": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, k] * x[k] * x[k]", None, None),
    "sum": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, k] + x[k]", None, None),
    "elementwise": ("i in 0 .. 20, k in 0 .. 30", "A[i, k] += A[i, k] * x[k]", None, None),
    "gather": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, int64(x[k])] * x[k]", None, None),
    "backwards": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, 29 - k] * x[k]", None, None),
    "mixed types": ("i in 0 .. 20, k in 0 .. 30", "y[i] += F[i, k] * x[k]", None, None),
    "function of a factor": ("i in 0 .. 20, k in 0 .. 30", "y[i] += A[i, k] * exp(x[k])", None, None),
    "every second": (IJK.replace("0 .. 40", "0 .. 20"), "C[i, 2*j] += A[i, k] * B[k, j]", None, None),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_contraction(row: tuple[str, str, Kind | None, Any]) -> None:
    domain, statement, kind, work = row
    made = program("p", ARRAYS, f"for {domain}:\n  {statement}")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    found = find_contraction(nest, made.arrays, Scope())
    assert (found and found.kind, found and found.work) == (kind, work)


def test_two_statements_are_no_product() -> None:
    made = program("p", ARRAYS, "for k in 0 .. 30:\n  s += x[k] * x[k]\n  a += x[k] * x[k]")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    assert find_contraction(nest, made.arrays, Scope()) is None
