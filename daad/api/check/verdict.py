"""What the derivatives along one direction say about the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from daad.api.check.finite_differences import Sweep

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
    """What is known of a direction without the gradient; `exact` is the complex step's derivative, if there is one.

    The gradient may be off by `tolerance`, relative to the derivative, and by `rounding`.
    """

    along: str
    sweep: Sweep
    exact: float | None
    tolerance: float
    rounding: float

    def judge(self, gradient: float, size: float) -> Direction:
        """`size` is the sum of the absolute values of the terms that `gradient` is the sum of."""
        finding = self._finding(gradient, self._error(gradient, size, with_doubt=True))
        error = self._error(gradient, size, with_doubt=finding is Finding.CONFIRMED)
        return Direction(
            along=self.along,
            difference=self.sweep.central.value,
            uncertainty=self.sweep.central.error,
            complex_step=self.exact,
            gradient=gradient,
            error=error if np.isfinite(error) else float("inf"),
            step=self.sweep.central.step,
            rate=self.sweep.rate(gradient) if np.isfinite(gradient) else None,
            left=self.sweep.left.value,
            right=self.sweep.right.value,
            is_kinked=self._is_kinked,
            finding=finding,
        )

    def _error(self, gradient: float, size: float, with_doubt: bool) -> float:
        """The distance to the complex step's derivative or to that of settled differences, the smaller one, relative
        to the derivative; with doubt, differences are allowed what they cannot resolve."""
        central = self.sweep.central
        least = max(1e-3 * size if np.isfinite(size) else 0.0, 1e-300)
        rounding = self.rounding / self.tolerance
        found = [] if self.exact is None else [abs(self.exact - gradient) / max(abs(self.exact), least, rounding)]
        if not found or self._is_settled:
            doubt = (3 * central.error + 1e-12 * self.sweep.nearby) / self.tolerance if with_doubt else 0.0
            found.append(abs(central.value - gradient) / (max(abs(central.value), least, rounding) + doubt))
        return min(found)

    def _finding(self, gradient: float, error: float) -> Finding:
        central = self.sweep.central
        if error <= self.tolerance and (self._is_settled or self.exact is not None):
            return Finding.CONFIRMED
        if self._is_kinked:
            low, high = sorted((self.sweep.left.value, self.sweep.right.value))
            slack = self.tolerance * max(abs(low), abs(high)) + self.sweep.left.error + self.sweep.right.error
            return Finding.BETWEEN if low - slack <= gradient <= high + slack else Finding.REFUTED
        if error <= self.tolerance or not np.isfinite(central.value):
            return Finding.UNCLEAR
        gap = abs(central.value - gradient)
        is_known = central.error <= min(0.1 * gap, 0.1 * abs(central.value)) or not np.isfinite(gap)
        return Finding.REFUTED if is_known or self._is_settled else Finding.UNCLEAR

    @property
    def _is_settled(self) -> bool:
        """Whether the differences tell the derivative well enough, or as well as rounding lets them."""
        central = self.sweep.central
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
