"""How far a gradient moves when the last bits of the inputs do: no program knows it better than that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npbench_runs.distance import distance
from npbench_runs.engines.engine import Gradients
from npbench_runs.kernel import is_float_array

DRAWS = 12


def moved(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The arguments, each element of each float array as it is, or a machine epsilon of itself up or down."""
    rng = np.random.default_rng(0)
    for _ in range(DRAWS):
        yield tuple(nudged(value, rng) if is_float_array(value) else value for value in arguments)


def nudged(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    steps = np.finfo(array.dtype).eps * rng.integers(-1, 2, array.shape)
    return array * (1 + steps).astype(array.dtype)


def movement(gradient: Callable[[tuple[Any, ...]], Gradients], arguments: tuple[Any, ...]) -> tuple[float, float]:
    """The largest change of an element, relative to the largest of its array: root of the mean square and maximum."""
    first = tuple(np.array(g) for g in gradient(arguments))
    found = [distance(first, gradient(other)) for other in moved(arguments)]
    return float(np.sqrt(np.mean(np.square(found)))), float(np.max(found))
