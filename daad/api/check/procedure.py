"""The check from end to end: differences first; kinks and faults are looked for only where these do not confirm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.api.call.device_calls import on_host
from daad.api.check.derivatives import Answered
from daad.api.check.examination import TOLERANCES, Examination, Trial, beside, examine
from daad.api.check.fault_localization import Fault, Stage
from daad.api.check.nearby_kinks import Kink, find_kinks
from daad.api.check.nonfinite import Origin, origin_in_adjoint, origin_in_program
from daad.api.check.observed_adjoint import reversal_of
from daad.api.check.plans import Tried, check_plans
from daad.api.check.reference_program import scene_of
from daad.api.check.report import CheckReport, Verdict
from daad.api.check.stages import Symptom, find_fault
from daad.api.check.verdict import Finding
from daad.api.gradient import Gradient
from daad.frontend.staging.draws import held

INTERPRETED = "Python does not run the program, or hides the output: differences are of the program as daad reads it."
OF_RANKS = "Values and derivatives are sums over all ranks, whose arguments move together."
NOT_FINITE = "The value is {}, so no differences can be taken."
UNSETTLED = "Differences with different steps do not agree: the program is too steep, too rough or jumps here."
BESIDE = "Next to the point, off the kinks, the gradient is right."


@dataclass
class _Diagnosis:
    """What is found out after the differences."""

    verdict: Verdict
    kinks: tuple[Kink, ...] = ()
    fault: Fault | None = None
    origin: Origin | None = None
    calls: int = 0
    remarks: list[str] = field(default_factory=list)


def check_gradient(
    gradient: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any], plans: str = "default"
) -> CheckReport:
    """Compares at the point `args`, which stay untouched; `gradient` returns value and gradients."""
    with held():
        return _checked(gradient, on_host(gradient._bound(tuple(args), kwargs)), plans)


def _checked(gradient: Gradient, bound: dict[str, Any], plans: str) -> CheckReport:
    examined = examine(gradient, bound)
    if plans == "all":
        gradient._refuse_ranks("All plans cannot be checked")
    tried = check_plans(gradient, bound, examined.answer, examined.trials) if plans == "all" else ()
    found = _diagnosed(gradient, examined)
    if found.verdict in (Verdict.RIGHT, Verdict.SUBGRADIENT):
        _diagnose_plans(examined, tried, found)
    return CheckReport(
        verdict=found.verdict,
        directions=tuple(t.direction for t in examined.trials),
        tolerance=examined.tolerance,
        value=examined.point.base,
        value_found=examined.answer.value,
        value_error=examined.value_error,
        calls=examined.point.calls + found.calls,
        no_complex_step=examined.no_complex_step,
        kinks=found.kinks,
        fault=found.fault,
        origin=found.origin,
        plans=tuple(one.check for one in tried),
        remarks=tuple(found.remarks),
    )


def _diagnosed(gradient: Gradient, examined: Examination) -> _Diagnosis:
    remarks = [INTERPRETED] if examined.point.scene is not None else []
    if gradient._communicates:
        return _of_ranks(examined, [*remarks, OF_RANKS])
    if not np.isfinite(examined.point.base):
        return _not_finite(gradient, examined, remarks)
    found = _Diagnosis(_verdict(examined), remarks=remarks)
    is_plain = found.verdict is Verdict.RIGHT and not any(t.direction.is_kinked for t in examined.trials)
    if not is_plain:
        found.kinks = find_kinks(scene_of(gradient, examined.bound), examined.trials[0].moves)
    if not examined.answer.is_finite:
        found.origin = origin_in_adjoint(reversal_of(scene_of(gradient, examined.bound)))
        found.verdict = Verdict.UNCONFIRMED if found.kinks else found.verdict
    elif _has_wrong_value(gradient, examined):
        _blame(gradient, examined, examined.trials[0], found)
    elif found.verdict in (Verdict.WRONG, Verdict.SUBGRADIENT):
        _explain(gradient, examined, found)
    elif found.verdict is Verdict.UNCONFIRMED:
        found.remarks.append(UNSETTLED)
    return found


def _of_ranks(examined: Examination, remarks: list[str]) -> _Diagnosis:
    """What differences say; to look closer, statements would have to be run alone."""
    if not np.isfinite(examined.point.base):
        return _Diagnosis(Verdict.UNCONFIRMED, remarks=[*remarks, NOT_FINITE.format(examined.point.base)])
    return _Diagnosis(_verdict(examined), remarks=remarks)


def _diagnose_plans(examined: Examination, tried: Sequence[Tried], found: _Diagnosis) -> None:
    """Blames the first plan whose gradient is wrong where the gradient that was asked for is right."""
    wrong = next((one for one in tried if not one.check.is_right), None)
    if wrong is None:
        return
    answer = Answered.at(wrong.gradient, examined.bound)
    worst = max(examined.trials, key=lambda trial: trial.judged(answer).error)
    _blame(wrong.gradient, examined, worst, found)


def _has_wrong_value(gradient: Gradient, examined: Examination) -> bool:
    if examined.value_error <= examined.tolerance:
        return False
    gap = abs(examined.answer.value - examined.point.base)
    return gap > scene_of(gradient, examined.bound).rounding() * examined.tolerance / TOLERANCES["float64"]


def _verdict(examined: Examination) -> Verdict:
    if examined.found(Finding.REFUTED):
        return Verdict.WRONG
    if examined.found(Finding.UNCLEAR):
        return Verdict.UNCONFIRMED
    return Verdict.SUBGRADIENT if examined.found(Finding.BETWEEN) else Verdict.RIGHT


def _not_finite(gradient: Gradient, examined: Examination, remarks: list[str]) -> _Diagnosis:
    """Where the value comes from; the gradient at such a point is neither right nor wrong."""
    origin = origin_in_program(scene_of(gradient, examined.bound))
    return _Diagnosis(Verdict.UNCONFIRMED, origin=origin, remarks=[*remarks, NOT_FINITE.format(examined.point.base)])


def _explain(gradient: Gradient, examined: Examination, found: _Diagnosis) -> None:
    """Judges next to the point if it is on kinks, where a wrong derivative may hide; blames a statement if wrong."""
    if found.kinks:
        examined = examine(gradient, beside(examined))
        found.calls = examined.point.calls
    refuted = examined.found(Finding.REFUTED)
    if refuted:
        _blame(gradient, examined, refuted[0], found)
    elif found.verdict is Verdict.WRONG:
        found.verdict = Verdict.UNCONFIRMED
        found.remarks.append(BESIDE)


def _blame(gradient: Gradient, examined: Examination, trial: Trial, found: _Diagnosis) -> None:
    """Looks for the stage at fault; what float32 cannot do better is not wrong."""
    found.fault = find_fault(
        Symptom(
            gradient=gradient,
            bound=examined.bound,
            direction=trial.moves,
            evidence=trial.evidence,
            value=examined.point.base,
            tolerance=examined.tolerance,
        )
    )
    found.verdict = Verdict.UNCONFIRMED if found.fault.stage is Stage.ROUNDING else Verdict.WRONG
