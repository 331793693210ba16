"""Directional derivatives of a NumPy program by central differences, extrapolated over a sweep of steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npbench_runs.kernel import Kernel

FIRST_STEP = 4e-3
STEP_RATIO = 4.0
STEPS = 9
SETTLED = 1e-9
JOINT = 2

Direction = tuple[np.ndarray, ...]


class TooSlow(Exception):
    """The program takes so long that differences of it would take more than the time that is left."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A derivative, and how far its best two extrapolations are apart."""

    value: float
    error: float


@dataclass(kw_only=True)
class Primal:
    """The program in float64 at a point, and the seeded difference of its output between two points beside it."""

    kernel: Kernel
    arguments: tuple[Any, ...]
    wrt: tuple[str, ...]
    seed: float | np.ndarray
    until: float = float("inf")
    slowest: float = field(default=0.0)

    def output_at_the_point(self) -> np.ndarray:
        """The output where the gradient is asked for."""
        return self.output(tuple(np.zeros(1) for _ in self.wrt), 0.0)

    def output(self, direction: Direction, step: float) -> np.ndarray:
        """The output after a step."""
        along = dict(zip(self.wrt, direction, strict=True))
        moved = tuple(
            widened(value) + step * along[name] if name in along else widened(value)
            for name, value in zip(self.kernel.parameters, self.arguments, strict=True)
        )
        start = time.monotonic()
        if start + self.slowest > self.until:
            raise TooSlow
        with np.errstate(all="ignore"):
            result = self.kernel.function(*moved)
        self.slowest = max(self.slowest, time.monotonic() - start)
        return np.array(self.kernel.select(result, moved), dtype=np.float64)

    def slope(self, direction: Direction, step: float) -> float:
        """The central difference; outputs are subtracted before they are summed, which loses no digits."""
        apart = self.output(direction, step) - self.output(direction, -step)
        return float(np.sum(self.seed * apart)) / (2 * step)


def widened(value: Any) -> Any:
    """A copy, with float32 as float64."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if value.dtype == np.float32 else value.copy()
    return float(value) if isinstance(value, np.float32) else value


def estimate(slope: Callable[[float], float]) -> Estimate:
    """Ridders' method: the table of extrapolations from falling steps; its most settled entry wins."""
    best, above = Estimate(value=float("nan"), error=float("inf")), []
    for level in range(STEPS):
        row = [slope(FIRST_STEP / STEP_RATIO**level)]
        for order, previous in enumerate(above, start=1):
            gain = STEP_RATIO ** (2 * order)
            row.append((gain * row[-1] - previous) / (gain - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - previous))
            if error < best.error:
                best = Estimate(value=row[-1], error=error)
        above = row
        if level > 1 and best.error <= SETTLED * abs(best.value):
            break
    return best


def directions(arguments: Sequence[np.ndarray]) -> list[Direction]:
    """Random signs and sizes, relative to each element: `JOINT` in all arrays at once, then one in each array alone."""
    rng = np.random.default_rng(11)
    dense = [tuple(rng.uniform(-1, 1, a.shape) * scales(a) for a in arguments) for _ in range(JOINT)]
    if len(arguments) < 2:
        return dense
    alone = [tuple(d * (k == place) for k, d in enumerate(dense[0])) for place in range(len(arguments))]
    return dense + alone


def scales(array: np.ndarray) -> np.ndarray:
    """The size of each element; where one is zero or tiny, a part of the largest."""
    size = np.abs(array.astype(np.float64))
    largest = float(size.max(initial=0.0))
    return np.maximum(size, 0.1 * largest) if largest else np.ones_like(size)


def inner(gradients: Sequence[np.ndarray], direction: Direction) -> float:
    """A gradient's derivative along a direction."""
    return sum(float(np.sum(g.astype(np.float64) * d)) for g, d in zip(gradients, direction, strict=True))
