"""How often arrays are written and read in a program, and where in a body."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daad.ir.nodes import Nest, Node, Program
from daad.ir.walk import loaded, nests, node_loads, walk, writes


@dataclass(frozen=True)
class Usage:
    """Counts over a whole program; `hidden` arrays cannot be seen from outside."""

    program: Program
    live: frozenset[str]

    @cached_property
    def hidden(self) -> frozenset[str]:
        program = self.program
        return frozenset(program.arrays) - {*program.parameters, *program.results, *self.live}

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: array.shape for name, array in self.program.arrays.items()}

    @cached_property
    def writes(self) -> Counter[str]:
        """How many assigns write an array."""
        return Counter(a.target.array for n in nests(self.program.body) for a in n.assigns)

    @cached_property
    def touching(self) -> Counter[str]:
        """How many nodes touch each array."""
        return touching_counts(self.program.body)

    @cached_property
    def readers(self) -> Counter[str]:
        """How many nodes load an array."""
        return reader_counts(self.program.body)


@dataclass
class Users:
    """At which positions of a body arrays are loaded and written, in order; edits keep that up to date."""

    loading: dict[str, list[int]] = field(default_factory=dict)
    writing: dict[str, list[int]] = field(default_factory=dict)

    @staticmethod
    def of(body: Iterable[Node]) -> Users:
        users = Users()
        for position, node in enumerate(body):
            for kind, names in ((users.loading, node.loaded), (users.writing, node.written)):
                for name in names:
                    kind.setdefault(name, []).append(position)
        return users

    def replace(self, position: int, old: Node, new: Node | None) -> None:
        """Another node stands at the position, or none."""
        loaded, written = (new.loaded, new.written) if new else (frozenset[str](), frozenset[str]())
        for kind, before, after in ((self.loading, old.loaded, loaded), (self.writing, old.written, written)):
            for name in before - after:
                kind[name].remove(position)
            for name in after - before:
                insort(kind.setdefault(name, []), position)

    def rename(self, old: str, new: str) -> None:
        """One array takes the place of another everywhere."""
        for kind in (self.loading, self.writing):
            positions = kind.pop(old, [])
            if positions:
                kind[new] = sorted({*kind.get(new, ()), *positions})

    def loads(self, name: str, first: int = 0, stop: int | None = None) -> Sequence[int]:
        """Where an array is loaded from one position up to, not including, another."""
        return _part(self.loading, name, first, stop)

    def writes(self, name: str, first: int = 0, stop: int | None = None) -> Sequence[int]:
        """The same for writes."""
        return _part(self.writing, name, first, stop)


def _part(positions: Mapping[str, list[int]], name: str, first: int, stop: int | None) -> Sequence[int]:
    found = positions.get(name, [])
    begin = bisect_left(found, first)
    return found[begin : len(found) if stop is None else bisect_left(found, stop)]


def reader_counts(body: Iterable[Node]) -> Counter[str]:
    """How many nodes load each array; the update of a target is no load."""
    return _counts(body, lambda nest: nest.loaded)


def touching_counts(body: Iterable[Node]) -> Counter[str]:
    """How many nodes touch each array themselves, their own bounds and conditions included."""
    return _counts(body, lambda nest: nest.touched)


def _counts(body: Iterable[Node], names: Callable[[Nest], frozenset[str]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for node in walk(tuple(body)):
        counts.update(names(node) if isinstance(node, Nest) else {load.array for load in node_loads(node)})
    return counts


def read_arrays(node: Node) -> frozenset[str]:
    """Arrays that a node loads itself or in what it contains."""
    return node.loaded if isinstance(node, Nest) else frozenset(loaded((node,)))


def written_arrays(node: Node) -> frozenset[str]:
    """Arrays that a node writes itself or in what it contains."""
    return node.written if isinstance(node, Nest) else frozenset(writes((node,)))
