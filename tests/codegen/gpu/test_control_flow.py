"""Loops and branches on a GPU whose bounds and conditions data give."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.interpreter import run
from tests.gpu.emulation.emulator import Emulated
from tests.texts import program

ARRAYS = "x: float64[50], n: int64[], m: int64[], at: int64[50]"
PROGRAMS = {
    "both bounds": "loop k = at[n] + at[n] .. at[m] + at[m]:\n  for i in 0 .. 50:  x[i] += k",
    "loops in each other": (
        "loop k = at[n] + at[n] .. at[m] + at[m]:\n"
        "  loop j = at[k] + at[k] .. k + at[m] * at[m]:\n"
        "    for i in 0 .. 50:  x[i] += k * j"
    ),
    "conditions in loops": (
        "loop k = at[n] .. at[m] + at[m]:\n"
        "  if at[k] * at[k] > 2 and at[k] < 6:\n"
        "    for i in 0 .. 50:  x[i] += k\n"
        "  else:\n"
        "    x[k] = 0"
    ),
    "backwards": "loop k = at[m] + at[m] .. at[n] - at[n] down:\n  for i in 0 .. 50:  x[i] += k * x[i]",
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_as_the_interpreter(source: str) -> None:
    built = program("control", ARRAYS, source)
    arrays = {"x": np.linspace(0.0, 1.0, 50), "n": np.array(1), "m": np.array(5), "at": np.arange(50) % 7}
    expected, outcome = run(built, arrays), Emulated.of(built).run(arrays)
    assert outcome.found == ""
    np.testing.assert_allclose(outcome.arrays["x"], expected["x"], rtol=1e-13)
