"""Small plain NumPy programs that daad must differentiate: one module per topic, one row per program."""

from __future__ import annotations

from . import (
    binary,
    branches,
    constructors,
    dtypes,
    inplace,
    linear,
    loops,
    outputs,
    python,
    reductions,
    scalars,
    shapes,
    slices,
    unary,
)
from .case import Case

TOPICS = (unary, binary, scalars, slices, inplace, constructors, reductions, linear, shapes, loops, branches, python)
TOPICS += (dtypes, outputs)
ALL: tuple[Case, ...] = tuple(case for topic in TOPICS for case in topic.CASES)

__all__ = ["ALL", "TOPICS", "Case"]
