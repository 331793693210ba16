"""Groups of statements that repeat one after the other: where they are, and how the arrays of one follow from those of
the one before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

import numpy as np

from daad.analysis.skeletons import Kind, Leaf

ACCESS = (Kind.LOADED, Kind.WRITTEN)


@dataclass(frozen=True)
class Repeat:
    """`count` groups of `period` nodes each, from `start` on."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.period * self.count

    @property
    def saved(self) -> int:
        """How many nodes one group in the place of all would save."""
        return self.period * (self.count - 1)

    def group(self, number: int) -> range:
        """The positions of its nodes."""
        first = self.start + number * self.period
        return range(first, first + self.period)


def repeats(kinds: Sequence[int], fewest: int) -> list[Repeat]:
    """Of each period the longest stretch in which nodes are of the kinds of those a period before, with at least so
    many groups; those that save most first."""
    ids, found = np.asarray(kinds), []
    for period in range(1, len(ids) // fewest + 1):
        same = np.concatenate(([False], ids[:-period] == ids[period:], [False]))
        edges = np.flatnonzero(same[1:] != same[:-1])
        if len(edges):
            lengths = edges[1::2] - edges[::2]
            longest = int(np.argmax(lengths))
            found.append(Repeat(int(edges[2 * longest]), period, 1 + int(lengths[longest]) // period))
    return sorted((r for r in found if r.count >= fewest), key=lambda r: (-r.saved, r.period))


class Source(Enum):
    """Where the array at a leaf comes from: it is the same in all groups, one that its group begins, one that the group
    before had at some leaf, or one from before all groups."""

    SAME = "same"
    OWN = "own"
    PREVIOUS = "previous"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class Origin:
    """`leaf` is the first one with this array: in the group itself, or in the one before."""

    source: Source
    leaf: int


Step = tuple[Origin | int | None, ...]
"""How the leaves of a group follow from those of the group before: by origin, or by so much."""


@dataclass(frozen=True)
class Pattern:
    """Groups of which each follows from the one before by the same step; `leaves` are those of each."""

    repeat: Repeat
    leaves: Sequence[Sequence[Leaf]]
    step: Step

    def origins(self) -> Iterator[tuple[int, Origin]]:
        """Of the leaves that are accesses."""
        for number, part in enumerate(self.step):
            if isinstance(part, Origin):
                yield number, part

    def names(self, leaf: int) -> list[str]:
        """The arrays at a leaf, group by group."""
        return [str(group[leaf].value) for group in self.leaves]


def pattern(repeat: Repeat, leaves: Sequence[Sequence[Leaf]], first: Mapping[str, int]) -> Pattern | None:
    """The longest stretch of the groups of which each follows from the one before by the same step.

    `leaves` are those of all nodes, `first` the position at which an array is touched first, -1 if it holds something
    before.
    """
    if repeat.count < 2:
        return None
    groups = [[leaf for n in repeat.group(g) for leaf in leaves[n]] for g in range(repeat.count)]
    steps = [_step(repeat, g, groups, first) for g in range(1, repeat.count)]
    runs = [0]
    for before, after in pairwise(steps):
        runs.append(runs[-1] if before is not None and before == after else len(runs))
    lengths = [n + 1 - runs[n] for n in range(len(steps))]
    last = max(range(len(steps)), key=lengths.__getitem__)
    step = steps[last]
    if step is None:
        return None
    begin, end = runs[last], last + 2
    found = Repeat(repeat.start + begin * repeat.period, repeat.period, end - begin)
    return Pattern(found, groups[begin:end], step)


def _step(repeat: Repeat, number: int, groups: Sequence[Sequence[Leaf]], first: Mapping[str, int]) -> Step | None:
    """How a group follows from the one before; None if an array comes from further back."""
    before, now = groups[number - 1], groups[number]
    earlier, own = _places(before), _places(now)
    begins = repeat.start + number * repeat.period
    step: list[Origin | int | None] = []
    for old, new in zip(before, now, strict=True):
        if new.kind is Kind.PLACE:
            step.append(new.value - old.value)
        elif new.kind is Kind.NUMBER:
            step.append(None)
        elif new.value == old.value:
            step.append(Origin(Source.SAME, own[new.value]))
        elif first[new.value] >= begins:
            step.append(Origin(Source.OWN, own[new.value]))
        elif new.value in earlier:
            step.append(Origin(Source.PREVIOUS, earlier[new.value]))
        elif first[new.value] < repeat.start:
            step.append(Origin(Source.OUTSIDE, own[new.value]))
        else:
            return None
    return tuple(step)


def _places(group: Sequence[Leaf]) -> dict[str, int]:
    """The first leaf with each array."""
    found: dict[str, int] = {}
    for number, leaf in enumerate(group):
        if leaf.kind in ACCESS:
            found.setdefault(str(leaf.value), number)
    return found
