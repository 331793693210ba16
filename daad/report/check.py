"""Is the gradient right at this point? Central differences of the user's own function along random directions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad import arguments as calls
from daad.errors import BadArgument
from daad.gradient import Gradient

STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
DIRECTIONS = 2
TOLERANCES = {"float64": 1e-6, "float32": 1e-3}


@dataclass(frozen=True, kw_only=True)
class Direction:
    """One directional derivative: by differences with the best step, by the gradient, and the Taylor rate.

    `rate` is the order at which the first-order Taylor remainder falls with the step; 2 for a right gradient,
    None where the remainder drowns in rounding.
    """

    difference: float
    gradient: float
    step: float
    error: float
    rate: float | None


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """Truthy if every direction agrees to `tolerance`, relative to the size of the derivative's terms."""

    directions: tuple[Direction, ...]
    tolerance: float

    def __bool__(self) -> bool:
        return all(d.error <= self.tolerance for d in self.directions)

    @property
    def error(self) -> float:
        """The largest relative error."""
        return max(d.error for d in self.directions)

    def __str__(self) -> str:
        verdict = "right" if self else "WRONG"
        lines = [f"The gradient is {verdict}: relative error {self.error:.1e}, tolerance {self.tolerance:.0e}."]
        lines += [f"{'differences':>16} {'gradient':>16} {'error':>9} {'step':>7} {'Taylor rate':>11}"]
        for d in self.directions:
            rate = "-" if d.rate is None else f"{d.rate:.2f}"
            lines.append(f"{d.difference:16.8g} {d.gradient:16.8g} {d.error:9.1e} {d.step:7.0e} {rate:>11}")
        return "\n".join(lines)


def check_gradient(gradient: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any]) -> CheckReport:
    """Compares at the point `args`, which stay untouched; `gradient` returns value and gradients."""
    bound = gradient.bound(tuple(args), kwargs)
    _, found = gradient(*copy.deepcopy(tuple(args)), **copy.deepcopy(dict(kwargs)))
    chosen = gradient.chosen(bound)
    grads = [np.asarray(g) for _, g in calls.leaves({"": found})]
    names = [name for name, _ in calls.leaves(chosen)]
    wide = {n: _widened(v) for n, v in bound.items()}
    loss = _loss(gradient, wide)
    rng = np.random.default_rng(20)
    dtypes = {str(g.dtype) for g in grads}
    tolerance = max(TOLERANCES.get(d, 1e-3) for d in dtypes)
    directions = []
    for _ in range(DIRECTIONS):
        direction = {n: _scaled(rng, value) for n, value in calls.leaves(wide) if n in names}
        terms = [np.sum(g * direction[n], dtype=np.float64) for n, g in zip(names, grads, strict=True)]
        size = sum(float(np.sum(np.abs(g * direction[n]))) for n, g in zip(names, grads, strict=True))
        directions.append(_compare(loss, wide, direction, float(sum(terms)), size))
    return CheckReport(directions=tuple(directions), tolerance=tolerance)


def _widened(value: Any) -> Any:
    """float32 arrays as float64, so that differences are not lost in rounding."""

    def wide(leaf: Any) -> Any:
        array = np.asarray(leaf)
        return leaf if array.dtype != np.float32 else array.astype(np.float64)[()]

    return calls.unflatten(value, iter([wide(leaf) for _, leaf in calls.flatten("", value)]))


def _scaled(rng: np.random.Generator, value: Any) -> np.ndarray:
    """A random direction of the size of the value."""
    size = float(np.sqrt(np.mean(np.square(value)))) if np.size(value) else 1.0
    return rng.standard_normal(np.shape(value)) * (size or 1.0)


def _loss(gradient: Gradient, bound: Mapping[str, Any]) -> Callable[[Mapping[str, np.ndarray], float], float]:
    """The seeded outputs as a function of a step along a direction, by the user's own function."""

    def at(direction: Mapping[str, np.ndarray], step: float) -> float:
        moved = {n: _moved(n, copy.deepcopy(v), direction, step) for n, v in bound.items()}
        return gradient.evaluate(moved)

    return at


def _moved(name: str, value: Any, direction: Mapping[str, np.ndarray], step: float) -> Any:
    parts = [v + step * direction[n] if n in direction else v for n, v in calls.flatten(name, value)]
    return calls.unflatten(value, iter(parts))


def _compare(
    loss: Callable[[Mapping[str, np.ndarray], float], float],
    bound: Mapping[str, Any],
    direction: Mapping[str, np.ndarray],
    derivative: float,
    size: float,
) -> Direction:
    scale = max(abs(derivative), 1e-3 * size, 1e-300)
    found = [_central(loss, direction, h) for h in STEPS]
    errors = [abs(f - derivative) / scale for f in found]
    best = int(np.nanargmin(errors)) if not np.all(np.isnan(errors)) else 0
    return Direction(
        difference=found[best],
        gradient=derivative,
        step=STEPS[best],
        error=errors[best] if np.isfinite(errors[best]) else float("inf"),
        rate=_taylor_rate(loss, direction, derivative),
    )


def _central(loss: Callable[[Mapping[str, np.ndarray], float], float], direction: Any, h: float) -> float:
    """Fourth order: exact for cubic functions up to rounding."""
    near = (loss(direction, h) - loss(direction, -h)) / (2 * h)
    far = (loss(direction, 2 * h) - loss(direction, -2 * h)) / (4 * h)
    return (4 * near - far) / 3


def _taylor_rate(
    loss: Callable[[Mapping[str, np.ndarray], float], float], direction: Any, derivative: float
) -> float | None:
    base = loss(direction, 0.0)
    remainders = [abs(loss(direction, h) - base - h * derivative) for h in (4e-3, 2e-3)]
    noise = 1e-13 * (abs(base) + abs(derivative))
    if min(remainders) < 100 * noise or not np.all(np.isfinite(remainders)):
        return None
    return float(np.log2(remainders[0] / remainders[1]))


def require_known_plan(plans: str) -> None:
    """`plans` is 'default' or 'all'."""
    if plans not in ("default", "all"):
        raise BadArgument(f"The option 'plans' is '{plans}'.", hint="Use 'default' or 'all'.")
