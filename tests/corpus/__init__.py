"""Small plain NumPy programs that daad must differentiate: one module per topic, one row per program."""

from __future__ import annotations

from . import binary, constructors, inplace, linear, reductions, scalars, shapes, slices, unary
from .case import Case

TOPICS = (unary, binary, scalars, slices, inplace, constructors, reductions, linear, shapes)
ALL: tuple[Case, ...] = tuple(case for topic in TOPICS for case in topic.CASES)

__all__ = ["ALL", "TOPICS", "Case"]
