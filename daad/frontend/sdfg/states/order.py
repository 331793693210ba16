"""The order in which the nodes of a dataflow scope are executed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import dace
import networkx as nx
from dace.sdfg import nodes

Graph = Any  # a networkx.DiGraph of the nodes of one scope


def in_order(state: dace.SDFGState, scope_nodes: Iterable[nodes.Node]) -> list[nodes.Node]:
    """The nodes of one scope without its exits, each map as its entry.

    Data come before their readers, and where DaCe leaves it open, readers of an array before who overwrites it.
    """
    members = [n for n in scope_nodes if not isinstance(n, nodes.ExitNode)]
    numbers = {node: state.node_id(node) for node in members}
    graph = nx.DiGraph()
    graph.add_nodes_from(members)
    for edge in state.edges():
        source, target = _outside(edge.src, state), edge.dst
        if source in numbers and target in numbers:
            graph.add_edge(source, target)
    for reader, writer in _open_conflicts(state, graph):
        if not nx.has_path(graph, writer, reader):
            graph.add_edge(reader, writer)
    return list(nx.lexicographical_topological_sort(graph, key=numbers.__getitem__))


def _outside(node: nodes.Node, state: dace.SDFGState) -> nodes.Node:
    """A map's exit stands for the whole map."""
    return state.entry_node(node) if isinstance(node, nodes.ExitNode) else node


def _open_conflicts(state: dace.SDFGState, graph: Graph) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    """Readers of one access node with producers of another access node of the same data."""
    accesses: dict[str, list[nodes.AccessNode]] = {}
    for node in graph.nodes:
        if isinstance(node, nodes.AccessNode):
            accesses.setdefault(node.data, []).append(node)
    for group in accesses.values():
        for read in group:
            for written in group:
                if read is not written:
                    yield from _pairs(graph, read, written)


def _pairs(graph: Graph, read: nodes.Node, written: nodes.Node) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    for reader in list(graph.successors(read)):
        for writer in list(graph.predecessors(written)):
            if reader is not writer:
                yield reader, writer
