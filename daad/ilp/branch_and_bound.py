"""The fastest choice within a limit by branch and bound: over long before an integer program where a good choice is
known, and few values need to be made again. And the best one by trying everything."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

from daad.ilp.model import MOST_KNOWN, Choice, Model, Outcome, Value, demanded, outcome

MOST_NODES = 2**10
"""Parts of the tree that are looked at."""

SAME = 1e-6
"""What is faster by no more than this part counts as as fast."""

Found = tuple[Choice, Outcome]


def branch(model: Model, limit: int, without: Collection[Choice], known: Found | None) -> Found | None:
    """The fastest choice within the limit and not among `without`, by at least a bit faster than the `known` one; None
    if the tree is too large."""
    if prod(map(len, model.options)) > MOST_KNOWN:
        return None
    tree = _Tree(model, limit, without, known)
    options = product(*(range(len(each)) for each in model.options))
    for each in sorted(options, key=lambda o: model.base(o).seconds):
        tree.visit(Choice(each), frozenset())
    return tree.best if tree.nodes <= MOST_NODES else None


@dataclass
class _Tree:
    """At each node some values are made again, others are `kept`, and the rest is free: it is made again if it must."""

    model: Model
    limit: int
    without: Collection[Choice]
    best: Found | None
    nodes: int = 0
    ways: dict[str, list[int]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        remakes = self.model.remakes
        for number in sorted(range(len(remakes)), key=lambda n: remakes[n].seconds):
            self.ways.setdefault(remakes[number].value, []).append(number)
        self.order = sorted((name for name in self.ways if self.model.values[name].nbytes), key=self._price)

    def visit(self, choice: Choice, kept: frozenset[str]) -> None:
        """All choices that make again what this one does, and nothing that is kept."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            return
        found = outcome(self.model, choice)
        if not self._improves(found.seconds):
            return
        if found.peak <= self.limit and choice not in self.without:
            self.best = choice, found
            return
        event = max(range(self.model.events), key=found.timeline.__getitem__)
        scratch = max((self.model.remakes[n].scratch for n in choice.remakes), default=0)
        excess = found.timeline[event] - scratch - self.limit  # when scratch memory is needed may still change
        free = self._free(choice, kept, event if excess > 0 else None)
        for place, value in enumerate(free):
            if not self._improves(found.seconds + self._least(free[place:], excess)):
                return
            for number in self.ways[value.name]:
                self.visit(Choice(choice.options, choice.remakes | {number}), kept)
            kept |= {value.name}

    def _improves(self, seconds: float) -> bool:
        return self.best is None or seconds < self.best[1].seconds * (1 - SAME)

    def _free(self, choice: Choice, kept: frozenset[str], event: int | None) -> list[Value]:
        """Values that may be made again, cheapest first; if an event is given those there at it for adjoints alone."""
        model = self.model
        _, demands = demanded(model, choice)
        taken = kept.union(model.remakes[n].value for n in choice.remakes)
        free = [model.values[name] for name in self.order if name not in taken and demands.get(name)]
        if event is None:
            return free
        return [v for v in free if max(v.birth, v.end + 1) <= event <= model.adjoint_event(min(demands[v.name]))]

    def _price(self, name: str) -> float:
        return self.model.remakes[self.ways[name][0]].seconds / self.model.values[name].nbytes

    def _least(self, free: Iterable[Value], excess: int) -> float:
        """Seconds that it takes at least to free so many bytes, parts of values allowed; infinite if it cannot be."""
        seconds = 0.0
        for value in free:
            if excess <= 0:
                break
            seconds += self._price(value.name) * min(value.nbytes, excess)
            excess -= value.nbytes
        return seconds if excess <= 0 else float("inf")


def brute_force(model: Model, limit: int | None) -> tuple[Choice, Outcome] | None:
    """The best of all choices: fewest seconds within the limit (None: lowest peak)."""
    found = ((choice, outcome(model, choice)) for choice in _all_choices(model))
    if limit is None:
        return min(found, key=lambda f: (f[1].peak, f[1].seconds))
    fitting = (f for f in found if f[1].peak <= limit)
    return min(fitting, key=lambda f: (f[1].seconds, f[1].peak), default=None)


def _all_choices(model: Model) -> Iterator[Choice]:
    by_value: dict[str, list[int | None]] = {}
    for number, remake in enumerate(model.remakes):
        by_value.setdefault(remake.value, [None]).append(number)
    for options in product(*(range(len(each)) for each in model.options)):
        for used in product(*by_value.values()):
            yield Choice(options, frozenset(n for n in used if n is not None))
