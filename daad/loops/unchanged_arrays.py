"""What a loop has made that nothing overwrites: it need not be made again where iterations are run again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import product

from daad.analysis.dependence import Need, meet_in_later_iteration, overwritten_later
from daad.analysis.sites import Site, Write, sites
from daad.ir.nodes import Branch, Loop, Nest, Node
from daad.ir.walk import node_loads

Writes = Mapping[str, tuple[Write, ...]]


def still_held(loop: Site, writes: Writes, everywhere: Writes, others: Collection[str]) -> frozenset[str]:
    """Arrays whose elements hold what an iteration of an outermost loop gave them, for as long as anybody reads them.

    No other iteration writes them, nor does what comes behind the loop (`everywhere` are the program's writes, `writes`
    the loop's), and the iteration reads them when they are done. `others` are no candidates: states, whose values
    before an iteration matter, and arrays of which versions are kept. No statement is left out in parts.
    """
    assert isinstance(loop.node, Loop), "only loops have iterations"
    if len(loop.path) > 1:
        return frozenset()
    inside = tuple(sites(loop.node.body, loop.path, loop.loops))
    reads = [Need(site, load) for site in inside for load in node_loads(site.node)]
    held = {
        name
        for name, own in writes.items()
        if name not in others
        and not any(w.site.path[0] > loop.path[0] for w in everywhere[name])
        and not any(meet_in_later_iteration(one, other) for one, other in product(own, own))
        and not any(overwritten_later(need, own) for need in reads if need.load.array == name)
    }
    nests = [{a.target.array for a in s.node.assigns} for s in inside if isinstance(s.node, Nest)]
    while mixed := {name for targets in nests if not targets <= held for name in targets & held}:
        held -= mixed
    return frozenset(held)


def left_out(body: tuple[Node, ...], held: Collection[str]) -> tuple[Node, ...]:
    """The statements that make anything else; loops and branches that would do nothing are gone."""
    if not held:
        return body
    return tuple(kept for node in body if (kept := _left_out(node, held)) is not None)


def _left_out(node: Node, held: Collection[str]) -> Node | None:
    if isinstance(node, Nest):
        return None if {a.target.array for a in node.assigns} <= set(held) else node
    if isinstance(node, Loop):
        inner = left_out(node.body, held)
        return replace(node, body=inner) if inner else None
    if isinstance(node, Branch):
        then, orelse = left_out(node.then, held), left_out(node.orelse, held)
        return replace(node, then=then, orelse=orelse) if then or orelse else None
    return node
