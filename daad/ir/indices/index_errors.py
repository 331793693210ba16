"""Where in a program an index was found to be outside of its axis."""

from __future__ import annotations

from collections.abc import Iterator

from daad.errors import BadArgument, IndexOutside, Location
from daad.ir.indices.counted_indices import as_written
from daad.ir.nodes import Node, Program
from daad.ir.walk import walk


def explained(found: IndexOutside, program: Program) -> BadArgument:
    """The error for the user, with the place in his program."""
    known = locations(program)
    at = known[found.site] if 0 <= found.site < len(known) else None
    statements = tuple(node for node in walk(program.body) if at is not None and node.at == at)
    index, extent = as_written(program, statements, (found.index, found.extent))
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
