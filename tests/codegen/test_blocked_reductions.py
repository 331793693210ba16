"""Large sums in blocks that threads share: of neighbours, few blocks with long rows."""

from __future__ import annotations

import textwrap

import pytest

from daad.codegen.sdfg import blocked_reductions
from daad.codegen.sdfg.blocked_reductions import split_for_threads
from daad.ir.printer import body_text
from tests.passes.checking import check
from tests.texts import program

ARRAYS = "A: float64[300, 1101], B: float64[300, 1101], x: float64[300], y: float64[1101], z: float64[1101]"

SPLIT = {
    "sums of columns": (
        "for j in 0 .. 1101, i in 0 .. 300:  y[j] += A[i, j] * x[i]",
        """
        for j_block in 0 .. 2, j in 0 .. 550, i in 0 .. 300:  y[j + 550*j_block] += A[i, j + 550*j_block] * x[i]
        for j in 1100 .. 1101, i in 0 .. 300:  y[j] += A[i, j] * x[i]
        """,
    ),
    "and a copy beside": (
        "for j in 0 .. 1101, i in 0 .. 300:\n  y[j] += exp(A[i, j])\n  B[i, j] = A[i, j]",
        """
        for j_block in 0 .. 2, j in 0 .. 550, i in 0 .. 300:
          y[j + 550*j_block] += exp(A[i, j + 550*j_block])
          B[i, j + 550*j_block] = A[i, j + 550*j_block]
        for j in 1100 .. 1101, i in 0 .. 300:
          y[j] += exp(A[i, j])
          B[i, j] = A[i, j]
        """,
    ),
    "sums of columns and of rows": (
        "for j in 0 .. 1101, i in 0 .. 300:\n  y[j] += exp(A[i, j])\n  x[i] += A[i, j]",
        None,
    ),
}


@pytest.mark.parametrize(("source", "expected"), SPLIT.values(), ids=SPLIT)
def test_split(source: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocked_reductions, "is_left_to_blas", lambda nest, context: False)
    monkeypatch.setattr(blocked_reductions, "is_large", lambda nest, context: True)
    built = program("sums", ARRAYS, source)
    changed = check(built, split_for_threads, rtol=0)
    assert body_text(changed.body) == (
        textwrap.dedent(expected).strip() if expected is not None else body_text(built.body)
    )
