"""Which nests are products for BLAS, and which are not."""

from __future__ import annotations

from typing import Any

import pytest

from daad.analysis.context import Scope
from daad.codegen.schedule.contractions import Kind, find_contraction
from daad.ir.nodes import Nest
from tests.codegen.text import program

ARRAYS = (
    "A: float64[20, 30]; B: float64[30, 40]; C: float64[20, 40]; T: float64[40, 30]; x: float64[30]; y: float64[20]; "
    "s: float64[]; F: float32[20, 30]; V: float64[2, 10, 30]; W: float64[2, 10, 40]; a: float64[]; "
    "z: float64[60]; P: float64[5, 20, 30]; Q: float64[5, 30, 40]; R: float64[5, 20, 40]"
)
IJK = "i=(0, 20), j=(0, 40), k=(0, 30)"
HALF = "b=(0, 2), i=(0, 10), j=(0, 40), k=(0, 30)"
ROWS: dict[str, tuple[str, str, Kind | None, Any]] = {
    "gemm": (IJK, "C[i, j] += A[i, k] * B[k, j]", Kind.GEMM, 20 * 30 * 40),
    "gemm with a transposed factor": (IJK, "C[i, j] += A[i, k] * T[j, k]", Kind.GEMM, 20 * 30 * 40),
    "gemm with scalars": (IJK, "C[i, j] += -(a * A[i, k]) * B[k, j] / a", Kind.GEMM, 20 * 30 * 40),
    "gemm within a matrix": ("i=(3, 9), j=(5, 11), k=(2, 30)", "C[i, j] += A[i, k] * B[k, j]", Kind.GEMM, 6 * 6 * 28),
    "leading axes joined": (HALF, "W[b, i, j] += V[b, i, k] * B[k, j]", Kind.GEMM, 24000),
    "batch": ("b=(0, 5), " + IJK, "R[b, i, j] += P[b, i, k] * Q[b, k, j]", Kind.GEMM, 20 * 30 * 40),
    "gemv": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, k] * x[k]", Kind.GEMV, 600),
    "gemv, transposed": ("i=(0, 20), k=(0, 30)", "x[k] += A[i, k] * y[i]", Kind.GEMV, 600),
    "ger": ("i=(0, 20), k=(0, 30)", "A[i, k] += y[i] * x[k]", None, None),
    "dot": ("k=(0, 30)", "s += x[k] * x[k]", None, None),
    "column times column": ("k=(0, 30)", "s += B[k, 3] * B[k, 4]", None, None),
    "a vector as a matrix": ("i=(0, 20), j=(0, 40), k=(0, 30)", "C[i, j] += z[i + k] * B[k, j]", None, None),
    "assignment": ("i=(0, 20), k=(0, 30)", "A[i, k] = y[i] * x[k]", None, None),
    "maximum": ("i=(0, 20), k=(0, 30)", "y[i] |= A[i, k] * x[k]", None, None),
    "three factors": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, k] * x[k] * x[k]", None, None),
    "sum": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, k] + x[k]", None, None),
    "elementwise": ("i=(0, 20), k=(0, 30)", "A[i, k] += A[i, k] * x[k]", None, None),
    "gather": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, int64(x[k])] * x[k]", None, None),
    "backwards": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, 29 - k] * x[k]", None, None),
    "mixed types": ("i=(0, 20), k=(0, 30)", "y[i] += F[i, k] * x[k]", None, None),
    "function of a factor": ("i=(0, 20), k=(0, 30)", "y[i] += A[i, k] * exp(x[k])", None, None),
    "every second": (IJK.replace("(0, 40)", "(0, 20)"), "C[i, 2 * j] += A[i, k] * B[k, j]", None, None),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_contraction(row: tuple[str, str, Kind | None, Any]) -> None:
    domain, statement, kind, work = row
    made = program("p", ARRAYS, f"with nest({domain}):\n    {statement}")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    found = find_contraction(nest, made.arrays, Scope())
    assert (found and found.kind, found and found.work) == (kind, work)


def test_two_statements_are_no_product() -> None:
    made = program("p", ARRAYS, "with nest(k=(0, 30)):\n    s += x[k] * x[k]\n    a += x[k] * x[k]")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    assert find_contraction(nest, made.arrays, Scope()) is None
