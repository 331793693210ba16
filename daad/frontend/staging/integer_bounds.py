"""What is known about the values of integer expressions."""

from __future__ import annotations

from math import inf, isnan

import numpy as np

from daad.frontend.staging.builder import Stage
from daad.ir.affine import Affine
from daad.ir.intervals import bounds_of
from daad.ir.nodes import Expr, IndexValue, Load
from daad.ir.operations.interval_arithmetic import ANY, Interval

LIMIT = 2**63
"""From here on 64 bits do not hold a whole number."""


def is_not_negative(stage: Stage, expr: Expr) -> bool:
    """Whether the value is at least 0 for sure."""
    if isinstance(expr, IndexValue):
        return stage.provable(expr.form)
    return interval_of(stage, expr)[0] >= 0


def is_below(stage: Stage, form: Affine, other: Affine) -> bool:
    """Whether `form < other` for sure."""
    return stage.provable(other - form - 1)


def interval_of(stage: Stage, expr: Expr) -> Interval:
    """Bounds of an integer expression."""

    def leaf(node: Expr) -> Interval:
        if isinstance(node, IndexValue):
            low, high = stage.range_of(node.form)
            return -inf if low is None else low, inf if high is None else high
        if isinstance(node, Load) and node.array in stage.constants and stage.constants[node.array].size:
            values = stage.constants[node.array]
            stage.ranges[id(values)] = values
            return _ends(values)
        return ANY

    return bounds_of(expr, leaf)


def _ends(values: np.ndarray) -> Interval:
    low, high = values.min().item(), values.max().item()
    return ANY if isnan(low) or isnan(high) else (low, high)
