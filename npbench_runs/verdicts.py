"""Which of several gradients of one kernel are right: by differences of the program, else by agreement of engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from npbench_runs.differences import JOINT, Direction, Estimate, Primal, TooSlow, directions, estimate, inner
from npbench_runs.distance import array_distance, distance
from npbench_runs.engines.engine import Gradients
from npbench_runs.results import Status

TRUSTED = "jax"
# Derivatives along a direction that are smaller than this part of the largest one are compared with that part.
FLOOR = 1e-4
DEVIATIONS = 2
MOVES = f"that of {TRUSTED} moves by {{:.1e}} itself when the last bits of inputs and seed do"
VANISHING = "all derivatives are zero, which checks little"
DIFFERENCES, COMPILED = "differences", "compiled differences"
NOTHING = "nothing to check against: differences are inconclusive and no other engine agrees"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """RIGHT, WRONG, or FAILED where nothing could be said; `error` is relative to what `against` names.

    `apart` is how far elements are from those of another gradient, where that is why it is not called right.
    """

    status: Status
    error: float | None = None
    against: str = ""
    reason: str = ""
    apart: float | None = None

    def excused(self, movement: float) -> Verdict:
        """Right after all, where elements are apart by no more than last bits of inputs and seed move them.

        `movement` is the root of the mean square; what is within twice as much may be rounding.
        """
        if self.apart is None or self.apart > DEVIATIONS * movement:
            return self
        return replace(self, status=Status.RIGHT, reason=f"{self.reason}; {MOVES.format(movement)}", apart=None)

    @property
    def by_differences(self) -> bool:
        """Whether differences decided."""
        return self.against == DIFFERENCES

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status.value}

    @staticmethod
    def of_json(content: Mapping[str, Any]) -> Verdict:
        return Verdict(**{**content, "status": Status(content["status"])})


@dataclass(frozen=True, kw_only=True)
class Slopes:
    """Derivatives along directions, those that differences can tell; a gradient is measured by all of them."""

    found: tuple[tuple[Direction, Estimate], ...]
    floor: float
    rtol: float

    def verdict(self, gradients: Gradients) -> Verdict:
        """Right when the gradient has each derivative, up to `rtol` and what the differences cannot resolve."""
        errors, excess = [0.0], 0.0
        for direction, slope in self.found:
            scale = max(abs(slope.value), self.floor) or 1.0
            errors.append(abs(inner(gradients, direction) - slope.value) / scale)
            excess = max(excess, errors[-1] - slope.error / scale) if np.isfinite(errors[-1]) else float("inf")
        status = Status.RIGHT if excess <= self.rtol else Status.WRONG
        reason = f"the derivative along a direction is off by {max(errors):.1e}"
        if status is Status.RIGHT:
            reason = "" if self.floor else VANISHING
        return Verdict(status=status, error=max(errors), against=DIFFERENCES, reason=reason)


def verdicts(primal: Primal | None, gradients: Mapping[str, Gradients], rtol: float) -> dict[str, Verdict]:
    """One for each gradient, by the engine's name; without a primal, engines are only compared with each other."""
    slopes = None if primal is None else slopes_of(primal, rtol)
    if primal is None or slopes is None:
        return {name: by_agreement(name, gradients, rtol) for name in gradients}
    judged = {name: malformed(primal, found) or slopes.verdict(found) for name, found in gradients.items()}
    if TRUSTED not in judged or judged[TRUSTED].status is not Status.RIGHT:
        return judged
    for name in [n for n, v in judged.items() if v.status is Status.RIGHT and n != TRUSTED]:
        if judged[TRUSTED].status is Status.RIGHT:
            judged.update(reconciled(primal, name, gradients, judged, rtol))
    return judged


def slopes_of(primal: Primal, rtol: float) -> Slopes | None:
    """Differences along all directions for which there is time; None if those in all arrays at once say nothing."""
    active = [a for n, a in zip(primal.kernel.parameters, primal.arguments, strict=True) if n in primal.wrt]
    found = []
    for direction in directions(active):
        try:
            found.append((direction, estimate(lambda step, d=direction: primal.slope(d, step))))
        except TooSlow:
            break
    largest = max((abs(slope.value) for _, slope in found if np.isfinite(slope.value)), default=0.0)
    floor = FLOOR * largest
    clear = [slope.error <= rtol * max(abs(slope.value), floor) for _, slope in found]
    if len(found) < JOINT or not all(clear[:JOINT]):
        return None
    return Slopes(found=tuple(pair for pair, ok in zip(found, clear, strict=True) if ok), floor=floor, rtol=rtol)


def malformed(primal: Primal, gradients: Gradients) -> Verdict | None:
    """Wrong by its form already."""
    for name, found in zip(primal.wrt, gradients, strict=True):
        wanted = primal.arguments[primal.kernel.parameters.index(name)]
        if found.shape != wanted.shape:
            return Verdict(status=Status.WRONG, reason=f"'{name}' has shape {wanted.shape}, its gradient {found.shape}")
        if not np.all(np.isfinite(found)):
            return Verdict(status=Status.WRONG, reason=f"the gradient of '{name}' is not finite")
    return None


def reconciled(
    primal: Primal, name: str, gradients: Mapping[str, Gradients], judged: Mapping[str, Verdict], rtol: float
) -> Iterator[tuple[str, Verdict]]:
    """Of two gradients that pass but differ in an element, the derivative along their difference tells which is wrong.

    Where differences cannot tell, the program is too badly conditioned for either to be called wrong.
    """
    mine, trusted = gradients[name], gradients[TRUSTED]
    apart = distance(trusted, mine)
    if apart <= rtol:
        return
    array = primal.wrt[int(np.argmax([array_distance(a, b) for a, b in zip(trusted, mine, strict=True)]))]
    words = f"an element of the gradient of '{array}' differs from {{}} by {apart:.1e} of the largest"
    loser = further(primal, mine, trusted)
    if loser is None:
        yield name, replace(judged[name], reason=words.format(TRUSTED) + "; differences cannot tell which is right")
        return
    wrong, other = (name, TRUSTED) if loser == 0 else (TRUSTED, name)
    yield wrong, replace(judged[wrong], status=Status.WRONG, error=apart, reason=words.format(other), apart=apart)


def further(primal: Primal, one: Gradients, other: Gradients) -> int | None:
    """Which of two gradients, 0 or 1, is further from the derivative along their difference; None if it is unclear."""
    along = tuple(a.astype(np.float64) - b for a, b in zip(one, other, strict=True))
    longest = max(float(np.max(np.abs(d), initial=0.0)) for d in along)
    direction = tuple(d / longest for d in along)
    try:
        slope = estimate(lambda step: primal.slope(direction, step))
    except TooSlow:
        return None
    off = [abs(inner(g, direction) - slope.value) for g in (one, other)]
    gap = abs(inner(one, direction) - inner(other, direction))
    if not slope.error < gap / 4 or min(off) > gap / 4:
        return None
    return int(np.argmax(off))


def by_agreement(name: str, gradients: Mapping[str, Gradients], rtol: float) -> Verdict:
    """Against JAX where it has the gradient; JAX itself, and all without JAX, against any other engine that agrees."""
    if name != TRUSTED and TRUSTED in gradients:
        error = distance(gradients[TRUSTED], gradients[name])
        if error <= rtol:
            return Verdict(status=Status.RIGHT, error=error, against=TRUSTED)
        reason = f"differs from {TRUSTED} by {error:.1e} of the largest element"
        return Verdict(status=Status.WRONG, error=error, against=TRUSTED, reason=reason, apart=error)
    others = [other for other in gradients if other.split()[0] != name.split()[0]]
    if not others:
        return Verdict(status=Status.FAILED, reason=NOTHING)
    error, nearest = min((distance(gradients[other], gradients[name]), other) for other in others)
    if error <= rtol:
        return Verdict(status=Status.RIGHT, error=error, against=nearest)
    reason = f"{NOTHING}; {nearest} differs by {error:.1e} of the largest element"
    return Verdict(status=Status.FAILED, error=error, against=nearest, reason=reason, apart=error)
