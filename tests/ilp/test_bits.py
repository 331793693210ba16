"""A value that is computed again has the bits that it had."""

from __future__ import annotations

import numpy as np
import pytest

import daad


def polynomials(x, w):  # type: ignore[no-untyped-def]
    """What is stored in one plan is part of a sum in another, where a compiler might not round it."""
    for _ in [None] * 24:
        x = x * w + 0.3 * x * x - 0.1 * w
    return np.sum(x * x)


def test_no_limit_changes_a_bit() -> None:
    dice = np.random.default_rng(0)
    x, w = dice.uniform(0.1, 0.9, 5000), dice.uniform(0.1, 0.9, 5000)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        daad.plan(polynomials, (x, w), wrt="w", memory_limit=1e-6)
    smallest = daad.grad(polynomials, wrt="w", memory_limit=refusal.value.minimum / 2**20)
    np.testing.assert_array_equal(smallest(x, w), daad.grad(polynomials, wrt="w")(x, w))
