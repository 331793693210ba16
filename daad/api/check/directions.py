"""Random directions in the arguments under test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Direction = Mapping[str, np.ndarray]
"""The leaves that move, each by a multiple of its array."""


def random_direction(rng: np.random.Generator, value: Any) -> np.ndarray:
    """Of the size of the value; zero where that is not finite, such as where nothing has been written yet."""
    if np.iscomplexobj(value):
        return np.asarray(random_direction(rng, np.real(value)) + 1j * random_direction(rng, np.imag(value)))
    array = np.asarray(value, np.float64)
    known = np.isfinite(array)
    size = float(np.sqrt(np.mean(np.square(array[known])))) if known.any() else 0.0
    return np.where(known, rng.standard_normal(array.shape) * (size or 1.0), 0.0)
