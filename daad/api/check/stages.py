"""The stage that made a gradient wrong: reading, one statement's adjoint, an optimisation, the compiled code."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daad.api.call.specialization import Memory
from daad.api.check.derivatives import Answered
from daad.api.check.directions import Direction
from daad.api.check.fault_localization import Fault, Stage, wrong_statement
from daad.api.check.observed_adjoint import STENCIL, reversal_of
from daad.api.check.point import PATIENCE
from daad.api.check.reference_program import Scene, TooLong, scene_of, widened
from daad.api.check.verdict import Evidence
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.codegen.interpreted import Interpreted
from daad.errors import level_of_the_user
from daad.ilp.joint import join
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.walk import is_single

RUNS = 50
"""Of the interpreter, primal and adjoint, to find a statement; roughly."""


@dataclass(frozen=True, kw_only=True)
class Symptom:
    """What is wrong at a point: along `direction` the derivative is as `evidence` says, the value `value`, and
    `gradient` says otherwise by more than `tolerance`."""

    gradient: Gradient
    bound: Mapping[str, Any]
    direction: Direction
    evidence: Evidence
    value: float
    tolerance: float

    @property
    def step(self) -> float:
        return self.evidence.sweep.central.step

    @property
    def derivative(self) -> float:
        return self.evidence.sweep.central.value


def find_fault(symptom: Symptom) -> Fault:
    """The first stage whose result is wrong. Runs the program in the interpreter, which takes its time."""
    scene = scene_of(symptom.gradient, symptom.bound)
    started = time.perf_counter()
    if not _is_read_rightly(scene, symptom):
        return Fault(stage=Stage.READING)
    _announce((time.perf_counter() - started) / (len(STENCIL) + 1))
    primal = replace(scene, program=widened(symptom.gradient._current.derivation.primal))
    try:
        for one in (scene, primal):
            fault = wrong_statement(reversal_of(one), symptom.direction, symptom.step, symptom.tolerance)
            if fault is not None:
                return fault
    except TooLong:
        return Fault(stage=Stage.UNKNOWN)
    return Fault(stage=_late_stage(scene, symptom))


def _late_stage(scene: Scene, symptom: Symptom) -> Stage:
    """Where the adjoint of every statement is right."""
    joint = symptom.gradient._current.derivation.joint
    if _distance(_unoptimised(scene, symptom), symptom) > 10 * symptom.tolerance:
        return Stage.PLAN
    if _distance(_interpreted(widened(joint), symptom), symptom) > 10 * symptom.tolerance:
        return Stage.OPTIMISATION
    own = _distance(Answered.at(symptom.gradient, symptom.bound), symptom)
    is_rounded = is_single(joint) and _distance(_interpreted(joint, symptom), symptom) > 0.1 * own
    return Stage.ROUNDING if is_rounded else Stage.COMPILED


def _announce(seconds: float) -> None:
    if seconds * RUNS > PATIENCE:
        warnings.warn(
            "The gradient is wrong. Looking for the statement at fault runs the program in an interpreter, which may "
            f"take {seconds * RUNS / 60:.0f} minutes.",
            stacklevel=level_of_the_user(),
        )


def _is_read_rightly(scene: Scene, symptom: Symptom) -> bool:
    """Whether the Program has the value and the derivative of the user's function."""
    values = {k: scene.moved(symptom.direction, k * symptom.step).end_value() for k in STENCIL}
    derivative = sum(weight * values[k] for k, weight in STENCIL.items()) / (12 * symptom.step)
    size = max(abs(symptom.derivative), max(map(abs, values.values())))
    return bool(
        abs(scene.end_value() - symptom.value) <= symptom.tolerance * size
        and abs(derivative - symptom.derivative) <= 10 * symptom.tolerance * size
    )


def _unoptimised(scene: Scene, symptom: Symptom) -> Answered:
    """What the joint program returns as it is put together, with all that the plan keeps and runs again."""
    made = symptom.gradient._current.derivation
    end = run(widened(join(made.adjoint, made.plan, made.seeds)), scene.arguments)
    outputs = [end[s.output] for s in made.seeds]
    bars = made.adjoint.bars
    gradients = {n: end[bars[a].name] if a in bars else np.zeros(()) for n, a in scene.inputs.items()}
    return Answered(scene.value(end), float(sum(np.sum(np.abs(o)) for o in outputs)), gradients)


def _interpreted(joint: Program, symptom: Symptom) -> Answered:
    """What a joint program, run by the interpreter in place of compiled code, returns."""
    made = symptom.gradient._current
    made = replace(made, compiled=Interpreted(joint), memory=Memory(modelled=0))  # type: ignore[arg-type]
    leaves = [value for _, value in calls.leaves(copy.deepcopy(dict(symptom.bound)))]
    return Answered.of(symptom.gradient, made.call(leaves), symptom.bound)


def _distance(answer: Answered, symptom: Symptom) -> float:
    """Of value or derivative, whatever is further off, relative to the size of each."""
    by_derivative = symptom.evidence.judge(*answer.along(symptom.direction)).error
    by_value = abs(answer.value - symptom.value) / max(abs(symptom.value), answer.size, 1e-300)
    return max(by_derivative, by_value)
