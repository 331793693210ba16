"""What the derivatives along one direction say about the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from daad.report.check.differences import Estimate, Sweep


class Finding(Enum):
    """CONFIRMED: as differences say; BETWEEN: on a kink, between the one-sided derivatives; UNCLEAR: differences do
    not settle; REFUTED: they settle elsewhere."""

    CONFIRMED = "confirmed"
    BETWEEN = "between"
    UNCLEAR = "unclear"
    REFUTED = "refuted"


@dataclass(frozen=True, kw_only=True)
class Direction:
    """Derivatives along one direction: `along` says which arguments move, by multiples of their size.

    `difference` and `uncertainty` come from central differences with `step`; `complex_step` is None where the program
    does not allow it; `left` and `right` are one-sided derivatives. `error` is the distance of `gradient` to the best
    of them, relative to the derivative's size; `rate` the order at which the Taylor remainder falls.
    """

    along: str
    difference: float
    uncertainty: float
    complex_step: float | None
    gradient: float
    error: float
    step: float
    rate: float | None
    left: float
    right: float
    is_kinked: bool
    finding: Finding


def judge(along: str, sweep: Sweep, exact: float | None, gradient: float, size: float, tolerance: float) -> Direction:
    """`size` is the sum of the absolute values of the terms that `gradient` is the sum of."""
    central, left, right = sweep.central, sweep.left, sweep.right
    best = central.value if exact is None else exact
    scale = max(abs(best), 1e-3 * size if np.isfinite(size) else 0.0, 1e-300)
    gap = abs(best - gradient)
    slack = tolerance * scale + 3 * central.error + 1e-12 * sweep.nearby
    is_kinked = _differ(left, right, tolerance, sweep.nearby)
    return Direction(
        along=along,
        difference=central.value,
        uncertainty=central.error,
        complex_step=exact,
        gradient=gradient,
        error=gap / scale if np.isfinite(gap) else float("inf"),
        step=central.step,
        rate=sweep.rate(gradient) if np.isfinite(gradient) else None,
        left=left.value,
        right=right.value,
        is_kinked=is_kinked,
        finding=_finding(gap, slack, central, gradient, sweep, tolerance, is_kinked),
    )


def _finding(
    gap: float, slack: float, central: Estimate, gradient: float, sweep: Sweep, tolerance: float, is_kinked: bool
) -> Finding:
    size = max(abs(central.value), 1e-3 * sweep.nearby)
    is_settled = central.error <= 10 * tolerance * size or size == 0.0
    if gap <= slack and is_settled:
        return Finding.CONFIRMED
    if is_kinked:
        low, high = sorted((sweep.left.value, sweep.right.value))
        return Finding.BETWEEN if low - slack <= gradient <= high + slack else Finding.REFUTED
    if gap <= slack or not np.isfinite(central.value):
        return Finding.UNCLEAR
    return Finding.REFUTED if is_settled or not gap <= 10 * central.error else Finding.UNCLEAR


def _differ(left: Estimate, right: Estimate, tolerance: float, nearby: float) -> bool:
    """Whether the one-sided derivatives are known, and are two."""
    gap, size = abs(left.value - right.value), max(abs(left.value), abs(right.value), 1e-3 * nearby)
    doubt = left.error + right.error
    return bool(gap > max(100 * tolerance * size, 5 * doubt) and doubt <= 0.1 * size)
