"""Functions of Python's `math` on NumPy's arrays, for operations that NumPy has no function for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def on_arrays(function: Callable[[float], float]) -> Any:
    return np.vectorize(_as_in_c(function), otypes=[float])


def power(base: Any, exponent: Any) -> Any:
    """NumPy's; of whole numbers to negative powers some number, as in compiled code: a check tells of them."""
    whole = np.result_type(base, exponent).kind in "iu"
    return np.power(base, np.maximum(exponent, 0) if whole else exponent)


def _as_in_c(function: Callable[[float], float]) -> Callable[[float], float]:
    """Without Python's exceptions: C's functions are infinite beyond all numbers and at poles, but for those of the
    gamma function at negative integers, where it is NaN."""

    def call(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.inf if function is math.lgamma else math.copysign(math.inf, x)
        except ValueError:
            return math.inf if function is math.lgamma else math.copysign(math.inf, x) if x == 0 else math.nan

    return call
