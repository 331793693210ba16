"""The order of a loop's statements when each runs over all iterations: Allen and Kennedy's loop distribution."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import networkx as nx

from daad.analysis.alias import MARK
from daad.analysis.context import Scope
from daad.analysis.nest_conflicts import conflicts, may_be_same
from daad.analysis.sites import domain_bounds
from daad.ir.affine import Affine
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
    for a in range(len(body)):
        for b in range(len(body)):
            if a != b and _depends(over[a], over[b], rows, step, scope, within=a < b):
                graph.add_edge(a, b)
    groups = nx.condensation(graph)
    order = nx.lexicographical_topological_sort(groups, key=lambda g: _rank(groups.nodes[g]["members"], early))
    return [sorted(groups.nodes[g]["members"]) for g in order]


def _rank(members: Collection[int], early: Collection[int]) -> tuple[bool, int]:
    return not all(n in early for n in members), min(members)


def _depends(first: Nest, second: Nest, rows: Range, step: int, scope: Scope, within: bool) -> bool:
    """Whether `second` may touch what `first` touches in an earlier iteration, or (`within`) the same one."""
    renamed = {x.var: Affine.of(x.var + MARK) for x in second.domain}
    ahead = (renamed[rows.var] - Affine.of(rows.var)) * step - (0 if within else 1)
    bounds = [*scope.constraints, *domain_bounds(first.domain), ahead]
    bounds += [form.substitute(renamed) for form in domain_bounds(second.domain)]
    return any(may_be_same(a, b, renamed, bounds) for a, b in conflicts(first, second))
