"""Whatever threads may share, they share: the same bits at each call, and what one thread computes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import daad
from tests import programs
from tests.corpus.case import Case
from tests.corpus.selection import one_in

CALLS = 10
LEAST = {
    "daad.codegen.schedule.nest_schedule": {"WORTH_THREADS": 1},
    "daad.passes.parallel.doall": {"WORTH_THREADS_SECONDS": 0.0},
    "daad.passes.loops.shifted_fusion": {"WORTH_THREADS": 1},
}
"""From which work on threads are worth it."""


@pytest.fixture(autouse=True)
def three_threads_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("DAAD_CACHE", "off")
    for module, values in LEAST.items():
        for name, value in values.items():
            monkeypatch.setattr(import_module(module), name, value)


def arrays(found: Any) -> Iterator[np.ndarray]:
    if isinstance(found, dict):
        found = tuple(found.values())
    if isinstance(found, tuple | list):
        for part in found:
            yield from arrays(part)
    else:
        yield np.asarray(found)


def convolved(x, w):
    """Windows overlap, and channels are joined with the columns of a window."""
    out = np.zeros((x.shape[0], x.shape[1] - 4, x.shape[2] - 4, w.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.sum(x[:, i : i + 5, j : j + 5, :, None] * w[None], axis=(1, 2, 3))
    return out


def test_overlapping_windows_lose_nothing() -> None:
    rng = np.random.default_rng(3)
    x, w = rng.random((3, 64, 64, 3)), rng.random((5, 5, 3, 8))
    gradient = daad.grad(convolved, wrt=("x", "w"), seed=1.0)
    first = gradient(x, w)
    expected = np.zeros_like(x)
    for i in range(60):
        for j in range(60):
            expected[:, i : i + 5, j : j + 5, :] += np.sum(w, axis=3)
    np.testing.assert_allclose(first[0], expected, rtol=1e-12)
    for _ in range(100):
        for one, other in zip(gradient(x, w), first, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("case", one_in(100, "threads"))
def test_bits_stay_the_same(case: Case) -> None:
    gradient = programs.compiled(case)
    first = [*arrays(gradient(*case.arguments()))]
    for one, other in zip(first, arrays(programs.interpreted(case)(*case.arguments())), strict=True):
        rtol = 1e-9 if other.dtype == np.float64 else 1e-4
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.max(np.abs(other), initial=0.0))
    for _ in range(CALLS):
        for one, other in zip(arrays(gradient(*case.arguments())), first, strict=True):
            np.testing.assert_array_equal(one, other)
