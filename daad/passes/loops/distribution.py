"""The order of a loop's statements when each runs over all iterations: Allen and Kennedy's loop distribution."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import permutations

import networkx as nx

from daad.analysis.alias import later, may_conflict
from daad.analysis.context import Scope
from daad.ir.nodes import Nest, Range


def distributed(
    body: Sequence[Nest], rows: Range, step: int, scope: Scope, early: Collection[int] = ()
) -> list[list[int]]:
    """Positions in the body, grouped: the groups may run one after the other, each over all iterations.

    Those of `early` come as early as they may.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(body)))
    over = [replace(n, domain=(rows, *n.domain)) for n in body]
    for a, b in permutations(range(len(body)), 2):
        if may_conflict(over[a], over[b], scope, later(rows.var, step, least=0 if a < b else 1)):
            graph.add_edge(a, b)
    groups = nx.condensation(graph)
    order = nx.lexicographical_topological_sort(groups, key=lambda g: _rank(groups.nodes[g]["members"], early))
    return [sorted(groups.nodes[g]["members"]) for g in order]


def _rank(members: Collection[int], early: Collection[int]) -> tuple[bool, int]:
    return not all(n in early for n in members), min(members)
