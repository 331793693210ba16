"""Directional derivatives at a point: by differences, by the complex step, and by the gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.gradient import Gradient
from daad.report.check.answer import Answered
from daad.report.check.complex_step import complex_step
from daad.report.check.differences import Sweep, sweep
from daad.report.check.point import PATIENCE, Direction, Point, moved
from daad.report.check.verdict import Direction as Judged
from daad.report.check.verdict import Finding, judge

JOINT = 2
"""Random directions in all arguments at once; one more in each argument, if there are several, and not too many."""
MOST_ALONE = 6
CALLS_EACH = 7
TOLERANCES = {"float64": 1e-6, "float32": 1e-3}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One direction that was tried, with all that is known of it without the gradient, and what follows for it."""

    along: str
    moves: Direction
    sweep: Sweep
    exact: float | None
    direction: Judged

    def judged(self, answer: Answered, tolerance: float) -> Judged:
        """Another gradient along the same direction."""
        return judge(self.along, self.sweep, self.exact, *answer.along(self.moves), tolerance)


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
        samples = [abs(v) for t in self.trials for pair in t.sweep.samples.values() for v in pair]
        size = max((v for v in (*samples, abs(self.point.base), self.answer.size) if np.isfinite(v)), default=0.0)
        if np.array_equal(self.answer.value, self.point.base, equal_nan=True):
            return 0.0
        return abs(self.answer.value - self.point.base) / size if size else float("inf")


def examine(gradient: Gradient, bound: Mapping[str, Any], answer: Answered | None = None) -> Examination:
    """Calls the gradient (or takes its `answer`) and tries all directions."""
    answer = answer or Answered.at(gradient, bound)
    tolerance = max((TOLERANCES.get(str(g.dtype), 1e-3) for g in answer.gradients.values()), default=1e-6)
    point = Point(gradient, dict(bound))
    trials: list[Trial] = []
    reason: str | None = None
    for along, moves in _directions(point) if np.isfinite(point.base) else ():
        found = sweep(point, moves, tolerance)
        exact = complex_step(point, moves, found.central, found.nearby) if reason is None else reason
        reason = exact if isinstance(exact, str) else reason
        trials.append(_trial(along, moves, found, exact, answer, tolerance))
    if reason is not None:
        trials = [_trial(t.along, t.moves, t.sweep, None, answer, tolerance) for t in trials]
    return Examination(
        bound=bound,
        answer=answer,
        point=point,
        tolerance=tolerance,
        trials=tuple(trials),
        no_complex_step=reason,
    )


def _trial(
    along: str, moves: Direction, found: Sweep, exact: float | str | None, answer: Answered, tolerance: float
) -> Trial:
    known = exact if isinstance(exact, float) else None
    judged = judge(along, found, known, *answer.along(moves), tolerance)
    return Trial(along=along, moves=moves, sweep=found, exact=known, direction=judged)


def _directions(point: Point) -> Iterator[tuple[str, Direction]]:
    """Random directions of the size of the arguments; a single one where the program takes long."""
    rng = np.random.default_rng(20)
    leaves = point.leaves
    names = list(leaves)
    together = names[0] if len(names) == 1 else "all"
    count = 1 if point.seconds * CALLS_EACH > PATIENCE else JOINT + (len(names) == 1)
    point.announce(CALLS_EACH * (count + (len(names) if 1 < len(names) <= MOST_ALONE and count > 1 else 0)))
    for _ in range(count):
        yield together, {n: _random(rng, v) for n, v in leaves.items()}
    if 1 < len(names) <= MOST_ALONE and count > 1:
        for name in names:
            yield name, {name: _random(rng, leaves[name])}


def _random(rng: np.random.Generator, value: Any) -> np.ndarray:
    """A direction of the size of the value; what is not finite counts as 0."""
    known = np.nan_to_num(np.asarray(value, np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    size = float(np.sqrt(np.mean(np.square(known)))) if known.size else 1.0
    return rng.standard_normal(known.shape) * (size or 1.0)


def beside(examined: Examination) -> Mapping[str, Any]:
    """The arguments a small random step away, off every kink."""
    return moved(examined.bound, examined.trials[0].moves, 1e-3)
