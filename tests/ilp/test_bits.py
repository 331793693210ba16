"""A value that is computed again has the bits that it had."""

from __future__ import annotations

import numpy as np
import pytest

import daad


def sums_of_products(x, w):  # type: ignore[no-untyped-def]
    """What is stored in one plan is part of a sum in another, where a compiler might not round it."""
    for _ in [None] * 30:
        x = np.sqrt(x * w + 0.5) * x - 0.2 * x * x * w
    return np.sum(x * x)


def test_no_limit_changes_a_bit() -> None:
    dice = np.random.default_rng(0)
    x, w = dice.uniform(0.1, 0.9, 5003), dice.uniform(0.5, 0.9, 5003)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        daad.plan(sums_of_products, (x, w), wrt="w", memory_limit=1e-6)
    smallest = daad.grad(sums_of_products, wrt="w", memory_limit=refusal.value.minimum / 2**20)
    np.testing.assert_array_equal(smallest(x, w), daad.grad(sums_of_products, wrt="w")(x, w))
