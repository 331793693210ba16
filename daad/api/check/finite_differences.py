"""Derivatives along a direction by differences of the program, at the step where neighbouring steps agree best.

The gradient under test has no part in the choice of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from daad.api.check.directions import Direction

RATIO = 4.0
STEPS = tuple(RATIO**-k for k in range(2, 14))
FIRST = 2
ENOUGH = 3
SETTLED = 0.01
TINY = 1e-10
"""Far above the spacing of doubles, and far below what curvature shows."""
EPSILON = float(np.finfo(np.float64).eps)


class Sampled(Protocol):
    """A function of a step along a direction, with its value at the point."""

    base: float

    @property
    def is_exhausted(self) -> bool:
        """Whether it has been called often enough."""
        ...

    def along(self, direction: Direction, step: float) -> float:
        """After a step."""
        ...


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A derivative and how far it may be off: the larger of the distance to its neighbours' and of rounding."""

    value: float
    error: float
    step: float


NOTHING = Estimate(value=float("nan"), error=float("inf"), step=float("nan"))


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Values of the program along a direction, by step, ahead and behind, and the derivatives that they give.

    `nearby` is the largest slope between the point and a value: what size derivatives have around here. `noise` is the
    standard deviation of values that ought to be smooth, where it has been measured.
    """

    base: float
    samples: Mapping[float, tuple[float, float]]
    noise: float = 0.0

    @property
    def nearby(self) -> float:
        slopes = [abs(v - self.base) / h for h, pair in self.samples.items() for v in pair]
        return max((s for s in slopes if np.isfinite(s)), default=0.0)

    @property
    def central(self) -> Estimate:
        """Of fourth order: exact for cubic functions up to rounding."""
        return self._estimate(lambda h: (self.samples[h][0] - self.samples[h][1]) / (2 * h), order=2)

    @property
    def right(self) -> Estimate:
        """The one-sided derivative ahead."""
        return self._estimate(lambda h: (self.samples[h][0] - self.base) / h, order=1)

    @property
    def left(self) -> Estimate:
        """The one-sided derivative from behind."""
        return self._estimate(lambda h: (self.base - self.samples[h][1]) / h, order=1)

    def _estimate(self, slope: Callable[[float], float], order: int) -> Estimate:
        gain = RATIO**order
        slopes = {h: s for h in sorted(self.samples, reverse=True) if np.isfinite(s := slope(h))}
        refined = {h: (gain * s - slopes[h * RATIO]) / (gain - 1) for h, s in slopes.items() if h * RATIO in slopes}
        found = [Estimate(value=v, error=self._error(h, refined, slopes), step=h) for h, v in refined.items()]
        return min(found, key=lambda e: e.error, default=NOTHING)

    def _error(self, step: float, refined: Mapping[float, float], slopes: Mapping[float, float]) -> float:
        beside = [refined[h] for h in (step * RATIO, step / RATIO) if h in refined] or [slopes[step]]
        return max(self.rounding(step), 4 * self.noise / step, *(abs(refined[step] - b) for b in beside))

    def rounding(self, step: float) -> float:
        """What rounding the values to doubles does to a slope."""
        size = max(abs(v) for v in (self.base, *self.samples[step]) if np.isfinite(v))
        return EPSILON * size / step

    def rate(self, derivative: float) -> float | None:
        """The order at which the first-order Taylor remainder falls, at the smallest steps that rounding spares.

        2 for the right derivative, 1 for a wrong one; None where the remainder is rounding alone.
        """
        found = None
        for h in sorted(self.samples, reverse=True):
            if h / RATIO not in self.samples:
                continue
            far, near = self._remainder(h, derivative), self._remainder(h / RATIO, derivative)
            noise = 1000 * EPSILON * (abs(self.base) + h * abs(derivative)) + 10 * self.noise
            if not min(far, near) > noise:
                break
            found = float(np.log(far / near) / np.log(RATIO))
        return found

    def _remainder(self, step: float, derivative: float) -> float:
        """Of both sides together, so that first and second order cannot cancel."""
        ahead, behind = self.samples[step]
        return float(np.hypot(ahead - self.base - step * derivative, behind - self.base + step * derivative))


def sweep(point: Sampled, direction: Direction, tolerance: float) -> Sweep:
    """Steps until neighbours agree far better than `tolerance`: smaller and smaller ones, then the largest."""
    return _swept(point, direction, tolerance, Sweep(base=point.base, samples={}), STEPS[FIRST:])


def settled_despite_noise(point: Sampled, direction: Direction, tolerance: float, found: Sweep) -> Sweep:
    """The same with the noise of the values measured: neighbours may agree by chance, and larger steps be better."""
    noise = noise_along(point, direction)
    return _swept(point, direction, tolerance, replace(found, noise=noise), ())


def _swept(point: Sampled, direction: Direction, tolerance: float, found: Sweep, first: Sequence[float]) -> Sweep:
    for step in (*first, *reversed(STEPS[:FIRST])):
        if len(found.samples) >= ENOUGH and (point.is_exhausted or _is_settled(found, tolerance)):
            break
        ends = (point.along(direction, step), point.along(direction, -step))
        found = replace(found, samples={**found.samples, step: ends})
    return found


def _is_settled(found: Sweep, tolerance: float) -> bool:
    central = found.central
    return found.nearby == 0.0 or central.error <= SETTLED * tolerance * max(abs(central.value), 1e-3 * found.nearby)


def noise_along(point: Sampled, direction: Direction) -> float:
    """By fourth differences at tiny steps, to which a smooth function contributes nothing (Moré & Wild, 2011)."""
    values = [point.along(direction, k * TINY) for k in range(-3, 4)]
    fourth = np.diff(values, 4)
    return float(np.sqrt(np.mean(np.square(fourth)) / 70.0)) if np.all(np.isfinite(fourth)) else 0.0
