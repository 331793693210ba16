"""How much there is to do: what is small is for one block, what is large for a kernel of its own."""

from __future__ import annotations

from math import prod

from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.lowering_context import Context
from daad.ir.nodes import Branch, Nest, Node

SMALL = 4096
"""Points that a block computes in about the time in which all blocks meet."""
LARGE = 1 << 19
"""Points for which a kernel takes longer than its launch."""


def points(nest: Nest, context: Context) -> int:
    """The points of a nest, about."""
    return prod(extent(r, context.known) for r in nest.domain)


def is_small(node: Node, context: Context) -> bool:
    """Whether each nest has few points."""
    if isinstance(node, Nest):
        return points(node, context) <= SMALL
    if isinstance(node, Branch):
        return all(is_small(inner, context) for inner in node.inside)
    inside = context.inside_loop(node)
    return all(is_small(inner, inside) for inner in node.body)


def is_large(nest: Nest, context: Context) -> bool:
    """Whether a launch counts little beside it."""
    return points(nest, context) >= LARGE
