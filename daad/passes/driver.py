"""Runs passes one after the other, and tells what they changed if somebody asks for that."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from daad.ir.nodes import Program
from daad.ir.walk import nests
from daad.messages.progress import tell, wants
from daad.passes.definition import Form, Goal, Pass

VERBOSE = 2
"""The level of `verbose` at which passes are told."""
Observer = Callable[[Pass, Program, Program, float], None]


@dataclass(frozen=True)
class Rounds:
    """While one of `first` changes something, `then`: at most so many times."""

    first: tuple[Pass, ...]
    then: tuple[Pass, ...]
    most: int


@dataclass(frozen=True)
class Phase:
    """Passes that follow each other.

    `given` are the forms of what it is run on, beside those that the phase before leaves; `gives` those that what comes
    after it needs.
    """

    name: str
    does: str
    steps: tuple[Pass | Rounds, ...]
    given: frozenset[Form] = frozenset()
    gives: frozenset[Form] = frozenset()


def run(phase: Phase, program: Program, goal: Goal) -> Program:
    for step in phase.steps:
        program = _round(step, program, goal) if isinstance(step, Rounds) else apply(step, program, goal)
    return program


def _round(rounds: Rounds, program: Program, goal: Goal) -> Program:
    for _ in range(rounds.most):
        before = program
        program = _all(rounds.first, program, goal)
        if program is before:
            break
        program = _all(rounds.then, program, goal)
    return program


def _all(steps: Iterable[Pass], program: Program, goal: Goal) -> Program:
    for step in steps:
        program = apply(step, program, goal)
    return program


def apply(step: Pass, program: Program, goal: Goal) -> Program:
    """One pass, if it is for the device; whoever observes is told what it changed."""
    if not step.runs_for(goal):
        return program
    observer = _observer.get() or (_tell if wants(VERBOSE) else None)
    if observer is None:
        return step.run(program, goal)
    start = time.perf_counter()
    after = step.run(program, goal)
    seconds = time.perf_counter() - start
    if after is not program and after != program:
        observer(step, program, after, seconds)
    return after


_observer: ContextVar[Observer | None] = ContextVar("daad.passes.driver", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """In the block, each pass that changes something is shown, with the Programs before and after and its seconds."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def _tell(step: Pass, before: Program, after: Program, seconds: float) -> None:
    tell(f"  {step.name}: {_count(before)} nests -> {_count(after)}, {seconds:.4f} s", VERBOSE)


def _count(program: Program) -> int:
    return sum(1 for _ in nests(program.body))


def passes_of(phase: Phase) -> Iterator[Pass]:
    """The passes in their order; those of rounds once."""
    for step in phase.steps:
        yield from (*step.first, *step.then) if isinstance(step, Rounds) else (step,)


def misplaced(phases: Iterable[Phase]) -> list[str]:
    """What is wrong with an order of passes: each pass that does not get a form that it requires."""
    found, holding = [], frozenset[Form]()
    for phase in phases:
        holding |= phase.given
        for step in passes_of(phase):
            missing = sorted(form.name for form in step.requires - holding)
            found += [f"{phase.name}: {step.name} comes where no pass has established {name}" for name in missing]
            holding = holding - step.ends | step.establishes
        found += [f"{phase.name} does not leave {form.name}" for form in sorted(phase.gives - holding, key=str)]
    return found
