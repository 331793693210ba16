"""The fastest plan within a memory limit: the integer program proposes, the program that comes out is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import Generic, Protocol, TypeVar

from daad.ccs.hints import Hints
from daad.ilp.model import Choice, How, Model, outcome
from daad.ilp.search import lowest_peak
from daad.ilp.solve import Solution, solve
from daad.messages.progress import counted

MOST_PROPOSALS = 12
MARGIN = 0.1
"""The part of its time by which a plan must be faster than keeping everything to be preferred."""

FAR = 2**24
"""Bytes beyond arguments and gradients from which keeping everything may be slow for its memory alone; a plan with less
than half of that memory is preferred if it is faster at all."""

GRAIN = 2**12
"""Bytes by which the limit is lowered at least where the model calls a plan small enough that is not."""

WORTH = 8
"""A plan that saves less than a part of so many of what the smallest known one holds beyond arguments and gradients is
not searched for."""


class Measured(Protocol):
    """A program: the bytes that a call of it holds, and the seconds that it takes, as they are estimated."""

    @property
    def nbytes(self) -> int: ...

    @property
    def seconds(self) -> float: ...


Built = TypeVar("Built", bound=Measured)


@dataclass(frozen=True, kw_only=True)
class Proposal(Generic[Built]):
    """A plan, and its program."""

    choice: Choice
    hints: Hints
    built: Built

    @property
    def nbytes(self) -> int:
        """The bytes that a call holds."""
        return self.built.nbytes

    @property
    def seconds(self) -> float:
        """The time of a call, as it is estimated; that takes a while."""
        return self.built.seconds


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
    """Asks the model for plans and builds them, each once. `known` are the plans of the search at hand, each in forms
    of which the next holds less, and `narrow` the same with as few slots as can be; `made` those of all searches, with
    None behind the last form, and `programs` what was built for them.

    `build` gives a program; `slimmer` the next form of what was built, if there is one. No choice has a peak below
    `lowest`, by the model.
    """

    model: Model
    hints: Hints
    build: Callable[[Hints], Built]
    slimmer: Callable[[Built, Hints], tuple[Hints, Built] | None] = lambda built, hints: None
    known: dict[Choice, list[Proposal[Built]]] = field(default_factory=dict)
    made: dict[Choice, list[Proposal[Built] | None]] = field(default_factory=dict)
    narrow: list[Proposal[Built]] = field(default_factory=list)
    programs: list[tuple[Hints, Built]] = field(default_factory=list)
    lowest: int = 0

    def __post_init__(self) -> None:
        self.lowest = lowest_peak(self.model)

    def anew(self) -> Chooser[Built]:
        """As if nothing had been searched; what was built is not built again."""
        return replace(self, known={}, narrow=[], lowest=0)

    def proposal(self, choice: Choice, limit: int | None = None) -> Proposal[Built]:
        """The plan of a choice in the first form that keeps to the limit; if none does in the one that holds least."""
        forms = self.known.setdefault(choice, [])
        while True:
            for form in forms:
                if limit is None or form.nbytes <= limit:
                    return form
            following = self._form(choice, len(forms))
            if following is None:
                return forms[-1]
            forms.append(following)

    def _form(self, choice: Choice, number: int) -> Proposal[Built] | None:
        made = self.made.setdefault(choice, [])
        if number == len(made):
            last = made[-1] if made else self._built(choice, hints_of(self.model, choice, self.hints))
            made.append(self._slimmed(last) if made and last else last)
        return made[number]

    def _built(self, choice: Choice, hints: Hints) -> Proposal[Built]:
        built = next((built for known, built in self.programs if known == hints), None)
        if built is None:
            counted("plan", len(self.programs) + 1)
            built = self.build(hints)
            self.programs.append((hints, built))
        return Proposal(choice=choice, hints=hints, built=built)

    def _slimmed(self, found: Proposal[Built]) -> Proposal[Built] | None:
        slim = self.slimmer(found.built, found.hints)
        return replace(found, hints=slim[0], built=slim[1]) if slim else None

    @property
    def first(self) -> Choice:
        """Nothing is run again."""
        return Choice((0,) * self.model.statements)

    def choose(self, limit: int) -> Decided[Built]:
        """The fastest plan that fits; if none does the one that needs least."""
        first = self.proposal(self.first, limit)
        if first.nbytes <= limit:
            return self._faster(first)
        found = self._within(limit)
        if found is None:
            return self._least(limit)
        proposal, solution, tried = found
        wider = self._widened(proposal, limit)
        self._use_room(wider, limit)
        fastest = _fastest([wider, *self._fitting(limit)])
        return self._decided(fastest, solution, tried + 1)

    def _within(self, limit: int) -> tuple[Proposal[Built], Solution, int] | None:
        """A fast plan within the limit, what the solver says, and how many were built for it."""
        bound = limit - self._hoped(limit)
        for tried in range(MOST_PROPOSALS):
            if bound < self.lowest:
                return None
            too_large = [choice for choice in [*self.known] if self.proposal(choice, limit).nbytes > limit]
            solution = solve(self.model, bound, too_large, 1 / (tried + 1))
            if solution is None:
                return None
            if (wide := self._wider(solution, limit, bound)) is not None:
                return wide, solution, tried + 1
            found = self.proposal(solution.choice, limit)
            if found.nbytes <= limit:
                return found, solution, tried + 1
            # the limit itself comes first, where the passes did not save what was hoped for
            bound = limit if bound > limit else min(bound - GRAIN, self._bound(solution.choice, limit))
        return None

    def _use_room(self, found: Proposal[Built], limit: int) -> None:
        """Asks once more where the passes leave room worth a further look: the model counts what no plan holds."""
        room = limit - found.nbytes
        if room * WORTH < self._beyond(found):
            return
        solution = solve(self.model, outcome(self.model, found.choice).peak + room + GRAIN)
        if solution is not None:
            self.proposal(solution.choice, limit)

    def _hoped(self, limit: int) -> int:
        """The bytes that the passes add, or save, if they do with a plan as with the first one; where another one came
        out as large as the model says, less is not to be expected."""
        first = self._excess(self.first, limit)
        return first if all(self._excess(c, limit) < 0 for c in [*self.known] if c != self.first) else max(first, 0)

    def _excess(self, choice: Choice, limit: int) -> int:
        """The bytes that the passes add to what the model counts; below zero what they save."""
        return self.proposal(choice, limit).nbytes - outcome(self.model, choice).peak

    def _bound(self, choice: Choice, limit: int) -> int:
        """The model's peak of plans that keep to the limit, if the passes do with them as with this one, which is too
        large: they add as much, or save the same part."""
        excess = self._excess(choice, limit)
        if excess >= 0:
            return limit - excess
        always = self.model.fixed
        held = self._beyond(self.proposal(choice, limit))
        return always + (limit - always) * (held - excess) // max(1, held)

    def _faster(self, first: Proposal[Built]) -> Decided[Built]:
        """What is faster than keeping everything by far: estimates are rough."""
        solution = self._other(first)
        if solution is None:
            return self._decided(first, None, 1)
        found = self.proposal(solution.choice)
        beyond = self._beyond(first)
        margin = 0.0 if beyond >= max(FAR, 2 * self._beyond(found)) else MARGIN
        is_faster = found.nbytes <= first.nbytes and found.seconds < (1 - margin) * first.seconds
        return self._decided(found if is_faster else first, solution, 2)

    def _beyond(self, proposal: Proposal[Built]) -> int:
        """Bytes beyond arguments and gradients."""
        return proposal.nbytes - self.model.fixed

    def _other(self, first: Proposal[Built]) -> Solution | None:
        """The plan that may be faster than keeping everything: the model's; where that much is far from the caches the
        fastest with half of it, whatever the model says, which knows nothing of what passes do."""
        peak = outcome(self.model, self.first).peak
        solution = solve(self.model, peak)
        if solution is None or solution.choice != self.first:
            return solution
        half = self.model.fixed + (peak - self.model.fixed) // 2
        return solve(self.model, half) if self._beyond(first) >= FAR else None

    def _decided(
        self, proposal: Proposal[Built], solution: Solution | None, tried: int, within: bool = True
    ) -> Decided[Built]:
        first = self.proposal(self.first)
        return Decided(proposal=proposal, first=first, solution=solution, within=within, tried=tried)

    def _least(self, limit: int) -> Decided[Built]:
        """The smallest plan that is found as if nothing had been tried: then the limit that a refusal names is kept."""
        fresh = self.anew()
        least = fresh.smallest()
        self.known, self.narrow = {**self.known, **fresh.known}, fresh.narrow
        fitting = self._fitting(limit)
        if fitting:
            self._use_room(_fastest(fitting), limit)
            fitting = self._fitting(limit)
        best = _fastest(fitting or [least])
        return self._decided(best, None, len(self.known), bool(fitting))

    def smallest(self) -> Proposal[Built]:
        """The plan with the lowest peak, below which no other one is found that saves a part worth a further look."""
        solution = solve(self.model, None)
        if solution is not None:
            self.lowest = max(self.lowest, solution.lowest)
            self.proposal(solution.choice, 0)
        least = self._least_known()
        while (found := self._within(least.nbytes - max(1, (least.nbytes - self.model.fixed) // WORTH))) is not None:
            least = found[0]
        if self._least_known().nbytes < self.lowest:  # passes save what the model knows nothing of
            self.narrow = [narrow for choice in self.known if (narrow := self._narrow(choice)) is not None]
        return self._least_known()

    def _all(self) -> list[Proposal[Built]]:
        return [*(form for forms in self.known.values() for form in forms), *self.narrow]

    def _fitting(self, limit: int) -> list[Proposal[Built]]:
        return [known for known in self._all() if known.nbytes <= limit]

    def _least_known(self) -> Proposal[Built]:
        least = min(known.nbytes for known in self._all())
        return _fastest([known for known in self._all() if known.nbytes == least])

    def _wider(self, solution: Solution, limit: int, bound: int) -> Proposal[Built] | None:
        """With as many slots as should fit, None if they do not: the options know their number in steps only."""
        hints = hints_of(self.model, solution.choice, self.hints)
        return self._with_slots(solution.choice, hints, bound - solution.outcome.peak, limit)

    def _widened(self, found: Proposal[Built], limit: int) -> Proposal[Built]:
        """With as many more slots as the room that is left has space for."""
        return self._with_slots(found.choice, found.hints, limit - found.nbytes, limit) or found

    def _with_slots(self, choice: Choice, hints: Hints, room: int, limit: int) -> Proposal[Built] | None:
        options = [self.model.options[s][o] for s, o in enumerate(choice.options)]
        state, most = max(((o.state, o.most) for o in options), default=(0, 0))
        if len(hints.slots) != 1 or not state:
            return None
        ((path, slots),) = hints.slots.items()
        wanted = min(slots + room // state, most)
        tried, nbytes = wanted + 1, 0
        while wanted > slots:
            wider = self._built(choice, replace(hints, slots={path: wanted}))
            alone = self._slimmed(wider) if wider.nbytes > limit else None
            if alone is not None and alone.hints.apart == hints.apart:
                wider = alone
            if wider.nbytes <= limit:
                return wider
            # what passes leave of a state is seen from the second one on
            each = Fraction(max(nbytes - wider.nbytes, 1), tried - wanted) if nbytes else state
            tried, nbytes = wanted, wider.nbytes
            wanted -= ceil((wider.nbytes - limit) / each)
        return None

    def _narrow(self, choice: Choice) -> Proposal[Built] | None:
        """With as few slots as can be, None if it has no more."""
        hints = hints_of(self.model, choice, self.hints)
        if len(hints.slots) != 1 or max(hints.slots.values()) == 1:
            return None
        return self._built(choice, replace(hints, slots=dict.fromkeys(hints.slots, 1)))

    def pareto(self, points: int) -> list[Proposal[Built]]:
        """Plans from the one without a limit to the smallest, each slower than the one before (the second may be as
        fast as the first, as far as estimates go)."""
        whole, least = self._faster(self.proposal(self.first)).proposal, self.smallest()
        ratio = (least.nbytes / whole.nbytes) ** (1 / max(1, points - 1))
        decided = []
        for number in range(points - 1):
            counted("limit", number + 1, points - 1)
            decided.append(self.choose(int(whole.nbytes * ratio**number)))
        proposals = [*(d.proposal for d in decided if d.within), least]
        best = [whole]
        for proposal in sorted(proposals, key=lambda p: (p.seconds, p.nbytes)):
            if proposal.nbytes < best[-1].nbytes:
                best.append(proposal)
        return best


def _fastest(proposals: list[Proposal[Built]]) -> Proposal[Built]:
    """The first of the fastest; a single one is not timed."""
    others = [known for known in proposals if known is not proposals[0]]
    return min((proposals[0], *others), key=lambda known: known.seconds) if others else proposals[0]


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
