"""Batches of random programs: examined, counted, and shrunk where an answer is wrong."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from .examine import Outcome, Verdict, examine
from .features import features
from .programs import RandomProgram, programs

SIZE = 10
"""Programs of a batch. Beyond ten hypothesis begins to try variants of programs it has seen; more batches see more."""


@dataclass(frozen=True)
class Failure:
    """A program with a wrong answer, as small as it was made, and the batch that found it."""

    program: RandomProgram
    verdict: Verdict
    batch: int


@dataclass
class Totals:
    """What is counted over all programs; `seconds` of processor time, `refused` an example of each cause."""

    outcomes: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    compiled: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    refused: dict[str, Failure] = field(default_factory=dict)

    @property
    def programs(self) -> int:
        return sum(self.outcomes.values())

    def add(self, other: Totals) -> None:
        self.outcomes += other.outcomes
        self.causes += other.causes
        self.features += other.features
        self.compiled += other.compiled
        self.seconds += other.seconds
        self.failures += other.failures
        for cause, example in other.refused.items():
            self.keep(cause, example)

    def keep(self, cause: str, example: Failure) -> None:
        """The shortest program that is refused for a cause is its example."""
        known = self.refused.get(cause)
        if known is None or len(example.program.source) < len(known.program.source):
            self.refused[cause] = example

    def count(self, program: RandomProgram, verdict: Verdict, compiled: bool) -> None:
        self.outcomes[verdict.outcome.value] += 1
        self.compiled += compiled and verdict.outcome is not Outcome.REFUSED
        self.features.update(features(program))
        if verdict.cause:
            self.causes[f"{verdict.outcome.value}: {verdict.cause}"] += 1

    def share(self, outcome: Outcome) -> float:
        return self.outcomes[outcome.value] / max(1, self.programs)

    def as_json(self) -> Mapping[str, Any]:
        return {
            "programs": self.programs,
            "compiled": self.compiled,
            "outcomes": {o.value: self.outcomes[o.value] for o in Outcome},
            "causes": dict(self.causes.most_common()),
            "features": dict(self.features.most_common()),
            "seconds": round(self.seconds, 1),
        }


class Defect(Exception):
    """Tells hypothesis that a program is worth shrinking."""


BAD = (Outcome.WRONG, Outcome.INVALID)


def run_batch(number: int, compiled_every: int = 0, shrink: bool = True, plans_every: int = 1) -> Totals:
    """The programs of one batch; every `compiled_every`-th of them all is compiled too (0: none), and every
    `plans_every`-th is asked for with other plans."""
    totals, started = Totals(), time.process_time()
    found: list[Failure] = []
    trivial: list[RandomProgram] = []

    def ask(program: RandomProgram) -> None:
        if not trivial:  # what hypothesis tries first in every batch is the simplest program of all
            trivial.append(program)
            return
        place = number * SIZE + totals.programs
        compiled = bool(compiled_every) and place % compiled_every == 0
        plans = place % plans_every == 0 or (bool(found) and "plan" in found[0].verdict.cause)
        verdict = examine(program, compiled or (bool(found) and "compiled" in found[0].verdict.cause), plans)
        if not found:
            totals.count(program, verdict, compiled)
        if verdict.outcome is Outcome.REFUSED:
            totals.keep(verdict.cause, Failure(program, verdict, number))
        if verdict.outcome in BAD and (not found or _kind(verdict) == _kind(found[0].verdict)):
            found.append(Failure(program, verdict, number))
            raise Defect

    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _given(ask, number, phases)
        except Defect:
            totals.failures.append(min(found, key=lambda f: (len(f.program.source), f.program.source)))
    totals.seconds = time.process_time() - started
    return totals


def generate(number: int) -> list[RandomProgram]:
    """The programs of a batch, only written."""
    found: list[RandomProgram] = []
    _given(lambda program: found.append(program), number, (Phase.generate,))
    return found[1:]


def _kind(verdict: Verdict) -> tuple[str, str]:
    return verdict.outcome.value, verdict.cause


def _given(ask: Any, number: int, phases: tuple[Phase, ...]) -> None:
    options = settings(
        max_examples=SIZE + 1,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(options(given(programs())(ask)))()
