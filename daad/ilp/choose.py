"""The fastest plan within a memory limit: the integer program proposes, the program that comes out is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from daad.ccs.hints import Hints
from daad.ilp.model import Choice, How, Model, outcome
from daad.ilp.solve import Solution, solve

Built = TypeVar("Built")
MOST_PROPOSALS = 12
MARGIN = 0.2
"""The part of its time by which a plan must be faster than keeping everything, by the model, to be preferred."""

GRAIN = 2**12
"""Bytes by which the limit is lowered at least where the model calls a plan small enough that is not."""


@dataclass(frozen=True, kw_only=True)
class Proposal(Generic[Built]):
    """A plan: its program, the bytes that a call of it holds, and the seconds that it takes more than the first."""

    choice: Choice
    hints: Hints
    built: Built
    nbytes: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Decided(Generic[Built]):
    """The plan that was chosen, and what the solver said about it; `first` keeps everything; `within` says whether the
    plan keeps to the limit."""

    proposal: Proposal[Built]
    first: Proposal[Built]
    solution: Solution | None
    within: bool
    tried: int


@dataclass
class Chooser(Generic[Built]):
    """Asks the model for plans and builds them, each once; `seconds` is the estimate for keeping everything."""

    model: Model
    hints: Hints
    seconds: float
    build: Callable[[Hints], tuple[Built, int]]
    known: dict[Choice, Proposal[Built]] = field(default_factory=dict)

    def proposal(self, choice: Choice) -> Proposal[Built]:
        """The plan of a choice."""
        if choice not in self.known:
            self.known[choice] = self._built(choice, hints_of(self.model, choice, self.hints))
        return self.known[choice]

    def _built(self, choice: Choice, hints: Hints) -> Proposal[Built]:
        built, nbytes = self.build(hints)
        seconds = outcome(self.model, choice).seconds - outcome(self.model, self.first).seconds
        return Proposal(choice=choice, hints=hints, built=built, nbytes=nbytes, seconds=seconds)

    @property
    def first(self) -> Choice:
        """Nothing is run again."""
        return Choice((0,) * self.model.statements)

    def choose(self, limit: int) -> Decided[Built]:
        """The fastest plan that fits; if none does the one that needs least."""
        first = self.proposal(self.first)
        if first.nbytes <= limit:
            return self._faster(first)
        found = self._within(limit)
        if found is None:
            return self._least(limit)
        proposal, solution, tried = found
        return self._decided(self._widened(proposal, limit), solution, tried + 1)

    def _within(self, limit: int) -> tuple[Proposal[Built], Solution, int] | None:
        """A fast plan within the limit, what the solver says, and how many were built for it."""
        # What the passes save or add beyond the model; corrected by each program that comes out larger than allowed.
        excess = self.proposal(self.first).nbytes - outcome(self.model, self.first).peak
        for tried in range(MOST_PROPOSALS):
            too_large = [choice for choice, known in self.known.items() if known.nbytes > limit]
            solution = solve(self.model, limit - excess, too_large)
            if solution is None:
                return None
            found = self.proposal(solution.choice)
            if found.nbytes <= limit:
                return found, solution, tried + 1
            excess = max(excess + GRAIN, found.nbytes - solution.outcome.peak)
        return None

    def _faster(self, first: Proposal[Built]) -> Decided[Built]:
        """What is faster than keeping everything by far: estimates are rough."""
        solution = solve(self.model, outcome(self.model, self.first).peak)
        gain = 0.0 if solution is None else outcome(self.model, self.first).seconds - solution.outcome.seconds
        if solution is None or gain < MARGIN * self.seconds:
            return self._decided(first, None, 1)
        found = self.proposal(solution.choice)
        return self._decided(found if found.nbytes <= first.nbytes else first, solution, 2)

    def _decided(
        self, proposal: Proposal[Built], solution: Solution | None, tried: int, within: bool = True
    ) -> Decided[Built]:
        first = self.proposal(self.first)
        return Decided(proposal=proposal, first=first, solution=solution, within=within, tried=tried)

    def _least(self, limit: int) -> Decided[Built]:
        least = self.smallest()
        fitting = [known for known in self.known.values() if known.nbytes <= limit]
        best = min(fitting, key=lambda known: known.seconds, default=least)
        return self._decided(best, None, len(self.known), bool(fitting))

    def smallest(self) -> Proposal[Built]:
        """The plan with the lowest peak, below which no other one is found."""
        solution = solve(self.model, None)
        if solution is not None:
            self.proposal(solution.choice)
        least = self._least_known()
        while (found := self._within(least.nbytes - 1)) is not None:
            least = found[0]
        return self._least_known()

    def _least_known(self) -> Proposal[Built]:
        return min(self.known.values(), key=lambda known: (known.nbytes, known.seconds))

    def _widened(self, found: Proposal[Built], limit: int) -> Proposal[Built]:
        """With as many slots as fit, where one loop is run again: the options know their number in steps only."""
        if len(found.hints.slots) != 1:
            return found
        ((path, slots),) = found.hints.slots.items()
        wider = self._with_slots(found, {path: slots + 1})
        each = wider.nbytes - found.nbytes
        if each <= 0 or wider.nbytes > limit:
            return found
        widest = self._with_slots(found, {path: slots + 1 + (limit - wider.nbytes) // each})
        return widest if widest.nbytes <= limit else wider

    def _with_slots(self, found: Proposal[Built], slots: dict[tuple[int, ...], int]) -> Proposal[Built]:
        return self._built(found.choice, replace(found.hints, slots=slots))

    def pareto(self, points: int) -> list[Proposal[Built]]:
        """Plans from the largest to the smallest, each slower than the one before."""
        first, least = self.proposal(self.first), self.smallest()
        ratio = (least.nbytes / first.nbytes) ** (1 / max(1, points - 1))
        decided = [self.choose(int(first.nbytes * ratio**n)) for n in range(points - 1)]
        proposals = [first, *(d.proposal for d in decided if d.within), least]
        best: list[Proposal[Built]] = []
        for proposal in sorted(proposals, key=lambda p: (p.seconds, p.nbytes)):
            if not best or proposal.nbytes < best[-1].nbytes:
                best.append(proposal)
        return best


def hints_of(model: Model, choice: Choice, hints: Hints) -> Hints:
    """A choice as the builders read it."""
    slots = {path: n for s, o in enumerate(choice.options) for path, n in model.options[s][o].slots.items()}
    blocks = {path: n for s, o in enumerate(choice.options) for path, n in model.options[s][o].blocks.items()}
    undo = frozenset(s for s, o in enumerate(choice.options) if model.options[s][o].undo)
    again = [model.remakes[n] for n in sorted(choice.remakes)]
    inline = frozenset(r.value for r in again if r.how is How.INLINE)
    rerun = frozenset(name for r in again if r.how is How.RERUN for name in (r.value, *r.through))
    decided = replace(hints, recompute=hints.recompute | inline, rerun=hints.rerun | rerun)
    return replace(decided, slots=slots, blocks=blocks, undo_in=hints.undo_in | undo, free=False)
