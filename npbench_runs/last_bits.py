"""How far a gradient moves when the last bits of inputs and seed do: no program knows it better than that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npbench_runs.distance import distance
from npbench_runs.engines.engine import Change, Gradients

DRAWS = 12


def nudged(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each element as it is, or a machine epsilon of itself up or down."""
    steps = np.finfo(array.dtype).eps * rng.integers(-1, 2, array.shape)
    return array * (1 + steps).astype(array.dtype)


def movement(gradient: Callable[[Change], Gradients]) -> tuple[float, float]:
    """The largest change of an element, relative to the largest of its array: root of the mean square and maximum.

    `gradient` gives it for inputs and a seed that a function has changed. (In a program that is linear in its inputs
    only the seed shows what becomes of an error.)
    """
    rng = np.random.default_rng(0)
    first = tuple(np.array(g) for g in gradient(lambda array: array))
    found = [distance(first, gradient(lambda array: nudged(array, rng))) for _ in range(DRAWS)]
    return float(np.sqrt(np.mean(np.square(found)))), float(np.max(found))
