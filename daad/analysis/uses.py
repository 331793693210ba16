"""How often arrays are written and read in a program, and where in a body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
