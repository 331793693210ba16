"""How often arrays are written and read in a program, and where in a body."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from daad.optimize.places import loads_of, reads_of
from daad.program.affine import Affine
from daad.program.nodes import Load, Loop, Nest, Node, Program
from daad.program.walk import nests, walk


@dataclass(frozen=True)
class Usage:
    """Counts over a whole program; `hidden` arrays cannot be seen from outside."""

    program: Program
    live: frozenset[str]
    _readers: dict[int, tuple[Node, Counter[str]]] = field(default_factory=dict, repr=False)

    @cached_property
    def hidden(self) -> frozenset[str]:
        program = self.program
        return frozenset(program.arrays) - {*program.parameters, *program.results, *self.live}

    @cached_property
    def writes(self) -> Counter[str]:
        """How many assigns write an array."""
        return Counter(a.target.array for n in nests(self.program.body) for a in n.assigns)

    @cached_property
    def readers(self) -> Counter[str]:
        """How many nodes load an array."""
        return self.readers_in(self.program.body)

    def readers_in(self, body: tuple[Node, ...]) -> Counter[str]:
        """How many nodes of a body load each array."""
        counts: Counter[str] = Counter()
        for node in body:
            counts.update(self.reads(node))
        return counts

    def reads(self, node: Node) -> Counter[str]:
        """For each array that a node or what it contains loads, how many nodes do; updates of a target are no loads."""
        if id(node) not in self._readers:
            counts: Counter[str] = Counter()
            for part in walk((node,)):
                counts.update({load.array for load in own_loads(part)})
            self._readers[id(node)] = node, counts
        return self._readers[id(node)][1]


def own_loads(node: Node) -> list[Load]:
    """Loads of a nest, or of a loop's bounds or a branch's condition alone."""
    if isinstance(node, Nest):
        return [load for a in node.assigns for load in reads_of(a)]
    values = (node.start, node.stop) if isinstance(node, Loop) else (node.condition,)
    return [load for v in values if not isinstance(v, Affine) for load in loads_of(v)]


def read_arrays(node: Node) -> set[str]:
    """Arrays that a node loads itself or in what it contains."""
    return {load.array for part in walk((node,)) for load in own_loads(part)}
