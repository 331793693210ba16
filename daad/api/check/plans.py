"""Which plans a check tries, and what their gradients are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.check.derivatives import Answered
from daad.api.check.examination import Trial
from daad.api.check.report import PlanCheck
from daad.api.gradient import Gradient
from daad.errors import BadArgument
from daad.messages.progress import counted
from daad.messages.sizes import readable

PLANS = ("default", "all")
POINTS = 5
"""Of the curve of memory against time."""


@dataclass(frozen=True)
class Tried:
    """A plan's gradient and what became of it."""

    gradient: Gradient
    check: PlanCheck


def require_known_plans(plans: str) -> None:
    """`plans` is 'default' or 'all'."""
    if plans not in PLANS:
        raise BadArgument(f"The option 'plans' is {plans!r}.", hint="Use 'default' or 'all'.")


def other_plans(gradient: Gradient, bound: Mapping[str, Any]) -> dict[str, Any]:
    """The plans that a check tries beside the one that was asked for: the extremes, and those for less memory."""
    extremes = {plan: plan for plan in ("auto", "store", "recompute") if plan != gradient._asked.request.plan}
    curve = gradient._plan_for(bound).pareto(POINTS)[1:]
    return {**extremes, **{f"{readable(point.nbytes)}: {point.what}": point.hints for point in curve}}


def check_plans(
    gradient: Gradient, bound: Mapping[str, Any], first: Answered, trials: Sequence[Trial]
) -> tuple[Tried, ...]:
    """The gradient as it was asked for, then every other plan's, along the directions of `trials`."""
    tried = [Tried(gradient, _checked(str(gradient._asked.request.plan), first, first, trials))]
    others = other_plans(gradient, bound)
    for number, (name, plan) in enumerate(others.items(), 1):
        counted("plan", number, len(others))
        other = gradient._with(plan=plan, memory_limit=None)
        tried.append(Tried(other, _checked(name, Answered.at(other, bound), first, trials)))
    return tuple(tried)


def _checked(plan: str, answer: Answered, first: Answered, trials: Sequence[Trial]) -> PlanCheck:
    judged = [trial.judged(answer) for trial in trials]
    return PlanCheck(
        plan=plan,
        error=max(d.error for d in judged),
        distance=max((_distance(g, first.gradients[n]) for n, g in answer.gradients.items()), default=0.0),
        is_right=all(d.finding is trial.direction.finding for d, trial in zip(judged, trials, strict=True)),
    )


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    wide = np.asarray(a, np.float64), np.asarray(b, np.float64)
    size = float(np.max(np.abs(wide[1]), initial=0.0))
    gap = float(np.max(np.abs(wide[0] - wide[1]), initial=0.0))
    return gap / size if size else gap
