"""Directional derivatives at a point: by differences, by the complex step, and by the gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daad.api.check.complex_step import complex_step
from daad.api.check.derivatives import Answered
from daad.api.check.directions import Direction, random_direction
from daad.api.check.finite_differences import settled_despite_noise, sweep
from daad.api.check.point import PATIENCE, Point, moved
from daad.api.check.verdict import Direction as Judged
from daad.api.check.verdict import Evidence, Finding
from daad.api.gradient import Gradient
from daad.ir.walk import is_single
from daad.messages.progress import counted

JOINT = 2
"""Random directions in all arguments at once; one more in each argument, if there are several, and not too many."""
MOST_ALONE = 6
CALLS_EACH = 7
TOLERANCES = {"float64": 1e-6, "float32": 1e-3}
"""Relative; float32 where anything is computed in that."""
ROUNDING = 10
"""Roundings of the value that a derivative along a direction of the arguments' size may be off by."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One direction that was tried, with what is known of it without the gradient, and what that says about it."""

    moves: Direction
    evidence: Evidence
    direction: Judged

    def judged(self, answer: Answered) -> Judged:
        """Another gradient along the same direction."""
        return self.evidence.judge(*answer.along(self.moves))


@dataclass(frozen=True, kw_only=True)
class Examination:
    """What was tried at one point; `bound` are the arguments as they were given."""

    bound: Mapping[str, Any]
    answer: Answered
    point: Point
    tolerance: float
    trials: tuple[Trial, ...]
    no_complex_step: str | None

    def found(self, finding: Finding) -> list[Trial]:
        return [t for t in self.trials if t.direction.finding is finding]

    @property
    def value_error(self) -> float:
        """The distance of the two values, relative to the largest value seen around the point."""
        samples = [abs(v) for t in self.trials for pair in t.evidence.sweep.samples.values() for v in pair]
        size = max((v for v in (*samples, abs(self.point.base), self.answer.size) if np.isfinite(v)), default=0.0)
        if np.array_equal(self.answer.value, self.point.base, equal_nan=True):
            return 0.0
        return abs(self.answer.value - self.point.base) / size if size else float("inf")


def examine(gradient: Gradient, bound: Mapping[str, Any], answer: Answered | None = None) -> Examination:
    """Calls the gradient (or takes its `answer`) and tries all directions."""
    answer = answer or Answered.at(gradient, bound)
    dtype = "float32" if is_single(gradient._current.derivation.primal) else "float64"
    tolerance = TOLERANCES[dtype]
    point = Point(gradient, dict(bound))
    rounding = ROUNDING * float(np.finfo(dtype).eps) * abs(point.base)
    trials: list[Trial] = []
    reason: str | None = None
    directions = [*_directions(point)] if np.isfinite(point.base) else []
    for number, (along, moves) in enumerate(directions, 1):
        counted("direction", number, len(directions))
        found = sweep(point, moves, tolerance)
        exact = complex_step(point, moves, found.central, found.nearby) if reason is None else reason
        reason = exact if isinstance(exact, str) else reason
        known = exact if isinstance(exact, float) else None
        evidence = Evidence(along=along, sweep=found, exact=known, tolerance=tolerance, rounding=rounding)
        trials.append(_tried(point, moves, evidence, answer))
    if reason is not None:
        trials = [_tried(point, t.moves, replace(t.evidence, exact=None), answer) for t in trials]
    return Examination(
        bound=bound, answer=answer, point=point, tolerance=tolerance, trials=tuple(trials), no_complex_step=reason
    )


def _tried(point: Point, moves: Direction, evidence: Evidence, answer: Answered) -> Trial:
    """Measures the noise of the program before it believes that the gradient is not as differences say."""
    direction = evidence.judge(*answer.along(moves))
    if direction.finding in (Finding.REFUTED, Finding.UNCLEAR) and evidence.sweep.noise == 0.0:
        better = settled_despite_noise(point, moves, evidence.tolerance, evidence.sweep)
        evidence = replace(evidence, sweep=better)
        direction = evidence.judge(*answer.along(moves))
    return Trial(moves=moves, evidence=evidence, direction=direction)


def _directions(point: Point) -> Iterator[tuple[str, Direction]]:
    """Random directions of the size of the arguments; a single one where the program takes long."""
    rng = np.random.default_rng(20)
    leaves = point.leaves
    names = list(leaves)
    together = names[0] if len(names) == 1 else "all"
    count = 1 if point.seconds * CALLS_EACH > PATIENCE else JOINT + (len(names) == 1)
    point.announce(CALLS_EACH * (count + (len(names) if 1 < len(names) <= MOST_ALONE and count > 1 else 0)))
    for _ in range(count):
        yield together, {n: random_direction(rng, v) for n, v in leaves.items()}
    if 1 < len(names) <= MOST_ALONE and count > 1:
        for name in names:
            yield name, {name: random_direction(rng, leaves[name])}


def beside(examined: Examination) -> Mapping[str, Any]:
    """The arguments a small random step away, off every kink."""
    return moved(examined.bound, examined.trials[0].moves, 1e-3)
