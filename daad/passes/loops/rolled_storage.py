"""Where the arrays of groups of statements lie when a loop runs the groups, and whether each access then finds its own.

An array that a group begins has one place for all groups. What the next group reads of it is copied to a second place
at the end of each iteration; what is looked at behind the loop is kept, group by group. Arrays from before the loop,
another one for each group, are stacked, and stay in their stacks behind it where groups write them. That is a proposal:
`is_right` runs through all accesses of all groups and tells whether each finds in its place the array that it had.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from daad.analysis.repetition import Origin, Pattern, Source
from daad.analysis.skeletons import Kind
from daad.ir.name_supply import NameSupply

Place = tuple[str, int | None]
"""An array, or the part of a stack that belongs to a group."""


@dataclass(frozen=True)
class Storage:
    """Of a pattern: `own`, `carried` and `stacked` are the arrays of leaves by the number of their origin, `history`
    the stacks of those whose arrays are looked at behind the loop; `carried` in the order in which they are copied."""

    pattern: Pattern
    own: Mapping[int, str]
    carried: Mapping[int, str]
    stacked: Mapping[int, str]
    history: Mapping[int, str]

    def place(self, leaf: int, group: int) -> Place:
        """Where the array at a leaf is in an iteration."""
        origin = self.pattern.step[leaf]
        assert isinstance(origin, Origin), "only accesses have places"
        if origin.source is Source.SAME:
            return self.pattern.names(leaf)[0], None
        if origin.source is Source.OUTSIDE:
            return self.stacked[origin.leaf], group
        return (self.own if origin.source is Source.OWN else self.carried)[origin.leaf], None

    def firsts(self) -> dict[str, str]:
        """What is in the places that are carried when the loop begins."""
        found: dict[str, str] = {}
        for leaf, origin in self.pattern.origins():
            if origin.source is Source.PREVIOUS:
                found.setdefault(self.carried[origin.leaf], self.pattern.names(leaf)[0])
        return found

    def kept(self) -> dict[str, Place]:
        """Where the arrays of histories are behind the loop, and those of stacks that are written."""
        written = {leaf: stack for leaf, stack in self.stacked.items() if leaf in self.written}
        stacks = {**self.history, **written}
        return {n: (stack, g) for leaf, stack in stacks.items() for g, n in enumerate(self.pattern.names(leaf))}

    @cached_property
    def written(self) -> frozenset[int]:
        """The origins of arrays that a group writes."""
        (some, *_), written = self.pattern.leaves, set[int]()
        for leaf, origin in self.pattern.origins():
            if some[leaf].kind is Kind.WRITTEN:
                written.add(origin.leaf)
        return frozenset(written)


def storage(pattern: Pattern, escaping: frozenset[str], supply: NameSupply) -> Storage | None:
    """A proposal; `escaping` arrays are looked at behind the loop. None if arrays change places with each other."""
    origins = dict(pattern.origins())
    leaves = {source: sorted({o.leaf for o in origins.values() if o.source is source}) for source in Source}
    carried = _in_order(leaves[Source.PREVIOUS], origins)
    if carried is None:
        return None
    own: dict[int, str] = {}
    history: dict[int, str] = {}
    followers: dict[int, str] = {}
    for leaf in leaves[Source.OWN]:
        names = pattern.names(leaf)
        own[leaf] = names[-1]
        if not escaping.isdisjoint(names[:-1]):
            history[leaf] = supply.new(f"{names[0]}_all")
        elif names[-1] in escaping and leaf in carried:
            own[leaf], followers[leaf] = names[0], names[-1]
    return Storage(
        pattern,
        own,
        {leaf: followers.get(leaf) or supply.new(pattern.names(leaf)[-1]) for leaf in carried},
        {leaf: supply.new(f"{pattern.names(leaf)[0]}_all") for leaf in leaves[Source.OUTSIDE]},
        history,
    )


def _in_order(leaves: list[int], origins: Mapping[int, Origin]) -> list[int] | None:
    """Places that are copied to: first those that hold what others hold until then."""
    left, found = dict.fromkeys(leaves), list[int]()
    while left:
        read = {origins[leaf].leaf for leaf in left if origins[leaf].source is Source.PREVIOUS}
        last = [leaf for leaf in left if leaf not in read]
        if not last:
            return None
        for leaf in last:
            del left[leaf]
        found += last
    return found


@dataclass
class Contents:
    """Which array each place holds, while the groups run one after the other."""

    held: dict[Place, str | None] = field(default_factory=dict)
    holders: dict[str, set[Place]] = field(default_factory=dict)

    def put(self, place: Place, name: str | None) -> None:
        before = self.held.get(place)
        if before is not None:
            self.holders[before].discard(place)
        self.held[place] = name
        if name is not None:
            self.holders.setdefault(name, set()).add(place)

    def write(self, place: Place, name: str) -> None:
        """All other places hold what the array was before."""
        for other in [p for p in self.holders.get(name, ()) if p != place]:
            self.put(other, None)


def is_right(storage: Storage, fresh: Mapping[str, int], escaping: Collection[str]) -> bool:
    """Whether each access finds its array, and what is looked at behind the loop is there.

    `fresh`: the positions at which arrays are touched first whose contents do not matter before.
    """
    pattern, contents, seen = storage.pattern, Contents(), set[str]()
    touched = {name for leaf, _ in pattern.origins() for name in pattern.names(leaf)}
    for name in sorted(touched):
        if name not in fresh or fresh[name] < pattern.repeat.start:
            contents.put((name, None), name)
            seen.add(name)
    for leaf, stack in storage.stacked.items():
        for group, name in enumerate(pattern.names(leaf)):
            contents.put((stack, group), name)
    for array, name in storage.firsts().items():
        if name not in seen:
            return False
        contents.put((array, None), name)
    for group in range(pattern.repeat.count):
        if not _runs(storage, group, contents, seen):
            return False
    kept = storage.kept()
    return all(contents.held.get(kept.get(name, (name, None))) == name for name in touched.intersection(escaping))


def _runs(storage: Storage, group: int, contents: Contents, seen: set[str]) -> bool:
    accesses = list(_accesses(storage, group))
    written = {name for name, _, is_write in accesses if is_write}
    places: dict[str, Place] = {}
    for name, place, is_write in accesses:
        if name in written and places.setdefault(name, place) != place:
            return False
        if contents.held.get(place) != name:
            if name in seen:
                return False
            contents.put(place, name)
        seen.add(name)
        if is_write:
            contents.write(place, name)
    for leaf, stack in storage.history.items():
        name = storage.pattern.names(leaf)[group]
        if contents.held.get((storage.own[leaf], None)) != name:
            return False
        contents.put((stack, group), name)
    for leaf, array in storage.carried.items():
        contents.put((array, None), contents.held.get(storage.place(leaf, group)))
    return True


def _accesses(storage: Storage, group: int) -> Iterator[tuple[str, Place, bool]]:
    leaves = storage.pattern.leaves[group]
    for number, _ in storage.pattern.origins():
        yield str(leaves[number].value), storage.place(number, group), leaves[number].kind is Kind.WRITTEN
