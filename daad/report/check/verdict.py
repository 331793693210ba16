"""What the derivatives along one direction say about the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from daad.report.check.differences import Estimate, Sweep

ROUNDING = 1000
"""Multiples of the rounding of single values that are put down to the rounding of a whole program."""


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


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What is known of a direction without the gradient; `exact` is the complex step's derivative, if there is one."""

    along: str
    sweep: Sweep
    exact: float | None
    tolerance: float

    def judge(self, gradient: float, size: float) -> Direction:
        """`size` is the sum of the absolute values of the terms that `gradient` is the sum of."""
        central = self.sweep.central
        best = central.value if self.exact is None else self.exact
        scale = max(abs(best), 1e-3 * size if np.isfinite(size) else 0.0, 1e-300)
        gap = abs(best - gradient)
        return Direction(
            along=self.along,
            difference=central.value,
            uncertainty=central.error,
            complex_step=self.exact,
            gradient=gradient,
            error=gap / scale if np.isfinite(gap) else float("inf"),
            step=central.step,
            rate=self.sweep.rate(gradient) if np.isfinite(gradient) else None,
            left=self.sweep.left.value,
            right=self.sweep.right.value,
            is_kinked=self._is_kinked,
            finding=self._finding(gradient, gap, scale),
        )

    def _finding(self, gradient: float, gap: float, scale: float) -> Finding:
        central = self.sweep.central
        if self.exact is not None and gap <= self.tolerance * scale:
            return Finding.CONFIRMED
        slack = self.tolerance * scale + 3 * central.error + 1e-12 * self.sweep.nearby
        if gap <= slack and self._is_settled(central):
            return Finding.CONFIRMED
        if self._is_kinked:
            low, high = sorted((self.sweep.left.value, self.sweep.right.value))
            return Finding.BETWEEN if low - slack <= gradient <= high + slack else Finding.REFUTED
        if gap <= slack or not np.isfinite(central.value):
            return Finding.UNCLEAR
        is_known = central.error <= min(0.1 * gap, 0.1 * abs(central.value)) or not np.isfinite(gap)
        return Finding.REFUTED if is_known or self._is_settled(central) else Finding.UNCLEAR

    def _is_settled(self, central: Estimate) -> bool:
        """Whether the differences tell the derivative well enough, or as well as rounding lets them."""
        if not np.isfinite(central.value):
            return False
        size = max(abs(central.value), 1e-3 * self.sweep.nearby)
        return central.error <= max(10 * self.tolerance * size, ROUNDING * self.sweep.rounding(central.step))

    @property
    def _is_kinked(self) -> bool:
        """Whether the one-sided derivatives are known, and are two."""
        left, right = self.sweep.left, self.sweep.right
        gap, doubt = abs(left.value - right.value), left.error + right.error
        size = max(abs(left.value), abs(right.value), 1e-3 * self.sweep.nearby)
        return bool(gap > max(100 * self.tolerance * size, 5 * doubt) and doubt <= 0.1 * size)
