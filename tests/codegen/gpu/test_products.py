"""Large products of matrices: scaled by a number in memory, and left to cuBLAS."""

from __future__ import annotations

import re
import textwrap

import numpy as np
import pytest

from daad.codegen.gpu import scaled_products, step_sizes
from daad.codegen.gpu.device_source import generate
from daad.codegen.gpu.scaled_products import scaled
from daad.ir.interpreter import run
from daad.ir.printer import body_text
from tests.gpu.emulation.emulator import Emulated
from tests.passes.checking import check
from tests.texts import program

ARRAYS = "A: float64[6, 7], B: float64[7, 8], C: float64[6, 8], D: float64[3, 6, 7], E: float64[3, 6, 8]"
ARRAYS += ", a: float64[], b: float64[]"
PRODUCT = "for i in 0 .. 6, j in 0 .. 8, k in 0 .. 7:  "


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaled_products, "LEAST", 1)
    monkeypatch.setattr(step_sizes, "SMALL", 10)


SCALED = {
    "plain": (f"{PRODUCT}C[i, j] += A[i, k] * B[k, j]", f"one = 1.0\n{PRODUCT}C[i, j] += A[i, k] * B[k, j]"),
    "negative": (
        f"{PRODUCT}C[i, j] += -(A[i, k] * B[k, j])",
        f"one = 1.0\nminus_one = (-1.0)\n{PRODUCT}C[i, j] += minus_one * (A[i, k] * B[k, j])",
    ),
    "by numbers of the program": (
        f"{PRODUCT}C[i, j] += a * A[i, k] * B[k, j] / b",
        f"""
        one = 1.0
        C_scale = 1.0 * a / b
        {PRODUCT}C[i, j] += C_scale * (A[i, k] * B[k, j])
        """,
    ),
    "a vector": (
        "for i in 0 .. 6, k in 0 .. 7:  C[i, 0] += A[i, k] * B[k, 0]",
        "for i in 0 .. 6, k in 0 .. 7:  C[i, 0] += A[i, k] * B[k, 0]",
    ),
}


@pytest.mark.parametrize(("source", "expected"), SCALED.values(), ids=SCALED)
def test_scaled(source: str, expected: str) -> None:
    built = program("products", ARRAYS, source)
    changed = check(built, lambda made: scaled(made).program, rtol=1e-14)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()


CALLED = {
    "plain": (f"{PRODUCT}C[i, j] += A[i, k] * B[k, j]", ["D"]),
    "scaled": (f"{PRODUCT}C[i, j] += -a * A[i, k] * B[k, j]", ["D"]),
    "transposed on the left": ("for i in 0 .. 7, j in 0 .. 8, k in 0 .. 6:  B[i, j] += A[k, i] * C[k, j]", ["D"]),
    "transposed on the right": ("for i in 0 .. 6, j in 0 .. 7, k in 0 .. 8:  A[i, j] += C[i, k] * B[j, k]", ["D"]),
    "parts": ("for i in 1 .. 4, j in 2 .. 7, k in 3 .. 6:  C[i, j] += A[i + 1, k] * B[k, j]", ["D"]),
    "a stack": (
        "for s in 0 .. 3, i in 1 .. 5, j in 0 .. 8, k in 0 .. 7:  E[s, i, j] += D[s, i, k] * B[k, j]",
        ["DBatched"],
    ),
    "sums over a stack": (
        "for s in 0 .. 3, i in 0 .. 7, j in 0 .. 8, k in 1 .. 5:  B[i, j] += D[s, k, i] * E[s, k, j]",
        ["D"],
    ),
    "in a loop of the host": (
        "loop s = 0 .. 3:\n  for i in s .. 6, j in 0 .. 8, k in 0 .. 7:  E[s, i, j] += D[s, i, k] * B[k, j]",
        ["D"],
    ),
    "in a loop of the GPU": (
        f"loop s = 0 .. 3:\n  if a > 0:\n    {PRODUCT}E[s, i, j] += D[s, i, k] * B[k, j]",
        [],
    ),
}  # fmt: skip


def test_without_cublas_products_are_sums_like_others() -> None:
    built = program("products", ARRAYS, CALLED["scaled"][0])
    made = generate(built, has_cublas=False)
    assert made.uses == frozenset()
    assert "cublas" not in made.text


@pytest.mark.parametrize(("source", "calls"), CALLED.values(), ids=CALLED)
def test_called(source: str, calls: list[str]) -> None:
    built = program("products", ARRAYS, source)
    made = generate(built)
    found = re.findall(r"cublas([DS])gemm(?:Strided)?(Batched)?\(state", made.text)
    assert ["".join(call) for call in found] == calls
    assert made.uses == ({"cublas"} if calls else set())
    random = np.random.default_rng(0)
    arrays = {name: random.uniform(0.5, 1.5, array.shape) for name, array in built.arrays.items()}
    expected, outcome = run(built, arrays), Emulated(made).run(arrays)
    assert outcome.found == ""
    for name in made.arguments:
        assert np.allclose(outcome.arrays[name], expected[name], rtol=1e-13)
