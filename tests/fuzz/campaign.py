"""Batches of random programs: examined, counted, and shrunk where an answer is wrong."""

from __future__ import annotations

import os
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from tests.fuzz.examine import Outcome, Questions, Verdict, examine
from tests.fuzz.features import features
from tests.fuzz.programs import RandomProgram, programs
from tests.fuzz.structured import jumping_programs, structured_programs
from tests.fuzz.wide import wide_programs

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
    compiled: Counter[str] = field(default_factory=Counter)
    large: int = 0
    wide: int = 0
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
        self.large += other.large
        self.wide += other.wide
        self.seconds += other.seconds
        self.failures += other.failures
        for cause, example in other.refused.items():
            self.keep(cause, example)

    def keep(self, cause: str, example: Failure) -> None:
        """The shortest program that is refused for a cause is its example."""
        known = self.refused.get(cause)
        if known is None or len(example.program.source) < len(known.program.source):
            self.refused[cause] = example

    def count(self, program: RandomProgram, verdict: Verdict, questions: Questions) -> None:
        self.outcomes[verdict.outcome.value] += 1
        if verdict.outcome is Outcome.RIGHT:
            self.compiled.update(questions.compilers)
            self.large += bool(questions.compilers) and questions.large
        self.features.update(features(program))
        if verdict.cause:
            self.causes[f"{verdict.outcome.value}: {verdict.cause}"] += 1

    def share(self, outcome: Outcome) -> float:
        return self.outcomes[outcome.value] / max(1, self.programs)

    def as_json(self) -> Mapping[str, Any]:
        return {
            "programs": self.programs,
            "compiled": max(self.compiled.values(), default=0),
            "compiled by": dict(sorted(self.compiled.items())),
            "compiled as large ones too": self.large,
            "over long arrays": self.wide,
            "outcomes": {o.value: self.outcomes[o.value] for o in Outcome},
            "share refused": round(self.share(Outcome.REFUSED), 5),
            **{o.value: self._causes(o) for o in Outcome if o is not Outcome.RIGHT},
            "constructs": dict(sorted(self.features.items())),
            "processor seconds": round(self.seconds),
        }

    def _causes(self, outcome: Outcome) -> Mapping[str, int]:
        """How many programs each cause has kept from being right."""
        start = f"{outcome.value}: "
        found = {cause.removeprefix(start): n for cause, n in self.causes.items() if cause.startswith(start)}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


class Defect(Exception):
    """Tells hypothesis that a program is worth shrinking."""


BAD = (Outcome.WRONG, Outcome.INVALID)
Strategy = SearchStrategy[RandomProgram]


@dataclass(frozen=True)
class Every:
    """Which programs are asked more: every so many-th of all is compiled by each of `compilers`, as it is and as large
    ones are, asked for with other plans, with passes left out, with other data, for products and second derivatives;
    every so many-th batch is of wide ones, or of `structured` ones, and the one after it of jumping ones (0: none)."""

    compiled: int = 0
    large: int = 0
    plans: int = 1
    passes: int = 0
    wide: int = 0
    compilers: tuple[str, ...] = ("c++",)
    elsewhere: int = 0
    products: int = 0
    second: int = 0
    structured: int = 0

    def questions(self, place: int, cause: str) -> Questions:
        """Those of the program at a place; while one is shrunk, those that it failed."""

        def asked(every: int, word: str) -> bool:
            return (bool(every) and place % every == 0) or word in cause

        return Questions(
            self.compilers if asked(self.compiled, "compiled") else (),
            asked(self.large, "large"),
            asked(self.plans, "plan"),
            asked(self.passes, "passes"),
            asked(self.elsewhere, "elsewhere"),
            asked(self.products, "products"),
            asked(self.second, "second"),
        )

    def strategy(self, batch: int) -> Callable[[], Strategy]:
        """What the programs of a batch are drawn from."""
        for place, strategy in enumerate((structured_programs, jumping_programs), 1):
            if self.structured and batch % self.structured == place % self.structured:
                return strategy
        return wide_programs if self.wide and batch % self.wide == 0 else programs


def run_batch(
    number: int, every: Every = Every(), shrink: bool = True, strategy: Callable[[], Strategy] | None = None
) -> Totals:
    """The programs of one batch, from a strategy or the one that `every` tells."""
    totals, started = Totals(), _seconds()
    found: list[Failure] = []
    trivial: list[RandomProgram] = []

    def ask(program: RandomProgram) -> None:
        if not trivial:  # what hypothesis tries first in every batch is the simplest program of all
            trivial.append(program)
            return
        cause = found[0].verdict.cause if found else ""
        questions = every.questions(number * SIZE + totals.programs, cause)
        verdict = _judged(program, questions)
        if not found:
            totals.count(program, verdict, questions)
        if verdict.outcome is Outcome.REFUSED:
            totals.keep(verdict.cause, Failure(program, verdict, number))
        if verdict.outcome in BAD and (not found or _kind(verdict) == _kind(found[0].verdict)):
            found.append(Failure(program, verdict, number))
            raise Defect

    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _given(ask, number, phases, strategy or every.strategy(number))
        except Defect:
            totals.failures.append(min(found, key=lambda f: (len(f.program.source), f.program.source)))
    is_wide = strategy is None and every.strategy(number) is wide_programs
    totals.wide = totals.programs if is_wide else 0
    totals.seconds = _seconds() - started
    return totals


def _judged(program: RandomProgram, questions: Questions) -> Verdict:
    """An examiner that fails ends no campaign: the program counts as one that says nothing, and is kept."""
    try:
        return examine(program, questions)
    except Exception as error:
        return Verdict(Outcome.INVALID, f"the examiner: {type(error).__name__}", traceback.format_exc())


def _seconds() -> float:
    """Of processor time, compilers' included."""
    return sum(os.times()[:4])


def generate(number: int, strategy: Callable[[], Strategy] = programs) -> list[RandomProgram]:
    """The programs of a batch, only written."""
    found: list[RandomProgram] = []
    _given(lambda program: found.append(program), number, (Phase.generate,), strategy)
    return found[1:]


def _kind(verdict: Verdict) -> tuple[str, str]:
    return verdict.outcome.value, verdict.cause


def _given(ask: Any, number: int, phases: tuple[Phase, ...], strategy: Callable[[], Strategy] = programs) -> None:
    options = settings(
        max_examples=SIZE + 1,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(options(given(strategy())(ask)))()
