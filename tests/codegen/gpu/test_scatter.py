"""Updates of places that data give: by who owns the place, in the order of the points."""

from __future__ import annotations

import numpy as np
import pytest

from daad.codegen.gpu import kernel_code, step_sizes
from daad.ir.interpreter import run
from tests.gpu.emulation.emulator import Emulated, Order
from tests.texts import program

ARRAYS = "x: float64[50], y: float64[90], A: float64[90, 7], B: float64[50, 7], at: int64[90], s: float32[50]"
SCATTERED = {
    "a sum": "for i in 0 .. 90:  x[at[i]] += y[i]",
    "a maximum": "for i in 0 .. 90:  x[at[i]] max= y[i]",
    "another type": "for i in 0 .. 90:  s[at[i]] += y[i]",
    "rows": "for i in 0 .. 90, j in 0 .. 7:  B[at[i], j] += A[i, j] * y[i]",
    "sums": "for i in 0 .. 90, j in 0 .. 7:  x[at[i]] += A[i, j]",
    "indices of indices": "for i in 0 .. 49:  x[at[at[i] + 1]] += y[i] * exp(y[i + 1])",
    "within a loop": "loop t = 0 .. 3:\n  for i in t .. 90:  x[at[i]] += y[i]\n  for i in 0 .. 50:  y[i] = x[i]",
    "as a branch says": "for i in 0 .. 90:  x[at[i]] += (y[i] if y[i] > 1 else A[at[i], 3])",
}


@pytest.mark.parametrize("blocks", ["one block", "a grid"])
@pytest.mark.parametrize("source", SCATTERED.values(), ids=SCATTERED)
def test_scattered(source: str, blocks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_sizes, "SMALL", 10**9 if blocks == "one block" else 0)
    monkeypatch.setattr(kernel_code, "THREADS", dict.fromkeys(kernel_code.THREADS, 64))
    built, random = program("scatter", ARRAYS, source), np.random.default_rng(0)
    arrays = {n: random.uniform(0.5, 1.5, a.shape).astype(a.dtype) for n, a in built.arrays.items()}
    arrays["at"] = random.integers(0, 50, 90)
    emulated, expected = Emulated.of(built), run(built, arrays)
    outcomes = [emulated.run(arrays, Order(seed)) for seed in (1, 2)]
    for name in emulated.source.arguments:
        first, second = (outcome.arrays[name] for outcome in outcomes)
        assert first.tobytes() == second.tobytes()
        np.testing.assert_allclose(first, expected[name], rtol=1e-5 if name == "s" else 1e-13)
    assert [outcome.found for outcome in outcomes] == ["", ""]


def test_sums_are_in_the_order_of_the_points() -> None:
    """As NumPy's `add.at` has them, bit for bit."""
    built, random = program("scatter", ARRAYS, SCATTERED["a sum"]), np.random.default_rng(1)
    arrays = {n: random.normal(size=a.shape).astype(a.dtype) for n, a in built.arrays.items()}
    arrays["at"] = random.integers(0, 4, 90)
    expected = arrays["x"].copy()
    np.add.at(expected, arrays["at"], arrays["y"])
    assert Emulated.of(built).run(arrays).arrays["x"].tobytes() == expected.tobytes()


def test_an_index_outside_of_its_axis_is_told() -> None:
    built = program("scatter", ARRAYS, SCATTERED["a sum"])
    arrays = {n: np.ones(a.shape, a.dtype) for n, a in built.arrays.items()}
    arrays["at"] = np.where(np.arange(90) == 17, 50, 3)
    assert Emulated.of(built).run(arrays).outside[:3] == (1, 50, 50)
