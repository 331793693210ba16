"""An index outside of its axis, found while a program runs."""

from __future__ import annotations

from collections.abc import Iterator

from daad.errors import BadArgument, Location
from daad.ir.counted_indices import as_written
from daad.ir.nodes import Node, Program
from daad.ir.walk import walk

LOOPS = 1 << 52
"""Indices from here on stand for loops that have not ended within their bounds: the loop's number is the rest."""


class IndexOutside(Exception):
    """`index` does not fit an axis of size `extent`; `site` is a position in `locations`, negative where unknown.

    `at` is the place itself, where the interpreter found the index.
    """

    def __init__(self, index: int, extent: int, site: int) -> None:
        super().__init__(f"index {index} is outside of 0 .. {extent}")
        self.index, self.extent, self.site = index, extent, site
        self.at: Location | None = None

    @property
    def loop(self) -> int | None:
        """The number of the loop that goes on beyond its bound; None where a program's own index is meant."""
        return self.index - LOOPS if self.index >= LOOPS else None

    def explained(self, program: Program) -> BadArgument:
        """The error for the user, with the place in his program."""
        known = locations(program)
        at = known[self.site] if 0 <= self.site < len(known) else None
        statements = tuple(node for node in walk(program.body) if at is not None and node.at == at)
        index, extent = as_written(program, statements, (self.index, self.extent))
        return BadArgument(
            f"Index {index} is out of bounds for an axis of size {extent}.",
            at=at,
            hint="Check the arguments that indices, slices and loop bounds are made from.",
        )


def locations(program: Program) -> tuple[Location, ...]:
    """The places in the user's program of all statements, each once."""
    return tuple(dict.fromkeys(_places(walk(program.body))))


def _places(nodes: Iterator[Node]) -> Iterator[Location]:
    return (node.at for node in nodes if node.at is not None)
