"""The fastest plan within a memory limit: the integer program proposes, the program that comes out is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from daad.ccs.hints import Hints
from daad.ilp.model import Choice, How, Model, Outcome, outcome
from daad.ilp.solve import Solution, solve

Built = TypeVar("Built")
MOST_PROPOSALS = 12


@dataclass(frozen=True)
class Measured(Generic[Built]):
    """What a choice really leads to: the program and the bytes that a call of it holds."""

    choice: Choice
    built: Built
    nbytes: int


@dataclass(frozen=True, kw_only=True)
class Decided(Generic[Built]):
    """The plan that was chosen, with what the solver said; `within` says whether it keeps to the limit."""

    best: Measured[Built]
    outcome: Outcome
    solution: Solution | None
    within: bool
    proposals: int


@dataclass
class Chooser(Generic[Built]):
    """Asks for plans and measures them, each once."""

    model: Model
    hints: Hints
    build: Callable[[Hints], tuple[Built, int]]
    known: dict[Choice, Measured[Built]] = field(default_factory=dict)

    def measured(self, choice: Choice) -> Measured[Built]:
        """The program of a choice, and its bytes."""
        if choice not in self.known:
            self.known[choice] = Measured(choice, *self.build(hints_of(self.model, choice, self.hints)))
        return self.known[choice]

    @property
    def first(self) -> Choice:
        """The fastest way for everything."""
        return Choice((0,) * self.model.statements)

    def choose(self, limit: int) -> Decided[Built]:
        """The fastest that fits; if none does the one that needs least."""
        base = self.measured(self.first)
        if base.nbytes <= limit:
            return self.decided(base, None, True, 0)
        # What the passes save or add beyond the model; corrected by each program that comes out larger than allowed.
        excess = base.nbytes - outcome(self.model, self.first).peak
        for proposals in range(1, MOST_PROPOSALS):
            solution = solve(self.model, limit - excess, self.known)
            if solution is None:
                break
            found = self.measured(solution.choice)
            if found.nbytes <= limit:
                return self.decided(self.widened(found, limit), solution, True, proposals)
            excess = max(excess + GRAIN, found.nbytes - solution.outcome.peak)
        return self.smallest(limit, proposals)

    def widened(self, found: Measured[Built], limit: int) -> Measured[Built]:
        """With as many slots as fit, which the options know in steps only, where one loop is run again."""
        hints = hints_of(self.model, found.choice, self.hints)
        if len(hints.slots) != 1:
            return found
        ((path, slots),) = hints.slots.items()
        built, nbytes = self.build(replace(hints, slots={path: slots + 1}))
        each = nbytes - found.nbytes
        if each <= 0 or nbytes > limit:
            return found
        wider = Measured(found.choice, built, nbytes)
        more = 1 + (limit - nbytes) // each
        if more > 1:
            built, nbytes = self.build(replace(hints, slots={path: slots + more}))
        return Measured(found.choice, built, nbytes) if nbytes <= limit else wider

    def smallest(self, limit: int, proposals: int) -> Decided[Built]:
        """The plan with the lowest peak that was found."""
        solution = solve(self.model, None)
        if solution is not None:
            self.measured(solution.choice)
        best = min(self.known.values(), key=lambda m: m.nbytes)
        return self.decided(best, solution, best.nbytes <= limit, proposals + 1)

    def decided(
        self, found: Measured[Built], solution: Solution | None, within: bool, proposals: int
    ) -> Decided[Built]:
        return Decided(
            best=found,
            outcome=outcome(self.model, found.choice),
            solution=solution,
            within=within,
            proposals=proposals,
        )


GRAIN = 2**12
"""Bytes by which the limit is lowered at least where the model calls a plan small enough that is not."""


def hints_of(model: Model, choice: Choice, hints: Hints) -> Hints:
    """A choice as the builders read it."""
    slots = {path: n for s, o in enumerate(choice.options) for path, n in model.options[s][o].slots.items()}
    again = [model.remakes[n] for n in sorted(choice.remakes)]
    inline = frozenset(r.value for r in again if r.how is How.INLINE)
    rerun = frozenset(r.value for r in again if r.how is How.RERUN)
    return replace(hints, slots=slots, recompute=hints.recompute | inline, rerun=hints.rerun | rerun)
