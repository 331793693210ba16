"""Functions that came after NumPy 2.0; under a release without one, a function that no program has stands for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _or_none(name: str) -> Callable[..., Any]:
    """NumPy's function of that name."""

    def absent(*_args: Any, **_options: Any) -> Any:
        raise AttributeError(f"module 'numpy' has no attribute '{name}'")

    found: Callable[..., Any] = getattr(np, name, absent)
    return found


unstack, cumulative_sum, cumulative_prod = map(_or_none, ("unstack", "cumulative_sum", "cumulative_prod"))
matvec, vecmat = map(_or_none, ("matvec", "vecmat"))
