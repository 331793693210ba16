"""What kind of numbers a dtype is of, by its name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


@lru_cache(maxsize=64)
def kind_of(dtype: str) -> str:
    """NumPy's letter: f for floating point, i and u for integers, b for truth values."""
    return np.dtype(dtype).kind


@lru_cache(maxsize=64)
def name_of(dtype: np.dtype[Any]) -> str:
    """Its name, which NumPy puts together whenever it is asked."""
    return dtype.name


def is_float(dtype: str) -> bool:
    return kind_of(dtype) == "f"


def is_integer(dtype: str) -> bool:
    """Whether it is of integers, with a sign or without."""
    return kind_of(dtype) in "iu"
