"""The nodes of an SDFG that are in the CCS: what the reverse breadth-first search from the outputs meets of what the
inputs reach, over arrays and the nodes that compute.

    state = [node.label for node, _ in nodes_of_sdfg(sdfg, ["k"], ["result"])]

It follows the data as DaCe's tools see them, whole arrays and whole nodes; `find_ccs` sees further, into the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from dace import data
from dace.sdfg import nodes

from daad.ccs.graph import reached


def nodes_of_sdfg(sdfg: Any, inputs: Iterable[str], outputs: Iterable[str]) -> list[tuple[Any, Any]]:
    """Pairs of a node and its state, in the order of the SDFG; nodes of nested SDFGs stand behind these."""
    graph = nx.DiGraph()
    graph.add_nodes_from(sdfg.arrays)
    graph.add_edges_from(edge for state in sdfg.states() for edge in _flows(state))
    varied, useful = reached(graph, inputs), reached(graph.reverse(copy=False), outputs)
    return [found for state in sdfg.states() for found in _inside(state, varied, useful)]


def _flows(state: Any) -> Iterator[tuple[Any, Any]]:
    """From arrays to nodes that compute, on to arrays; a view is what it views."""
    arrays = state.sdfg.arrays
    for edge in state.edges():
        if edge.data.is_empty() or not _is_end(edge.src):
            continue
        for leaf in state.memlet_tree(edge).leaves() if not isinstance(edge.dst, nodes.AccessNode) else [edge]:
            source, target = _key(edge.src, arrays), _key(state.memlet_path(leaf)[-1].dst, arrays)
            if source is not None and target is not None:
                yield source, target
                if any(isinstance(arrays.get(key), data.View) for key in (source, target)):
                    yield target, source


def _is_end(node: Any) -> bool:
    return isinstance(node, nodes.AccessNode | nodes.CodeNode)


def _key(node: Any, arrays: Mapping[str, Any]) -> Any:
    """Arrays by their names, and no integers; nodes that compute are themselves."""
    if not isinstance(node, nodes.AccessNode):
        return node
    return node.data if np.issubdtype(arrays[node.data].dtype.type, np.inexact) else None


def _inside(state: Any, varied: set[Any], useful: set[Any]) -> Iterator[tuple[Any, Any]]:
    both = varied & useful
    scopes, flows = state.scope_dict(), [*_flows(state)]
    computing = {node for node in state.nodes() if isinstance(node, nodes.CodeNode) and node in both}
    around = {scope for node in computing for scope in _scopes(node, scopes)}
    touched = {key for flow in flows if both.issuperset(flow) for key in flow}
    for node in state.nodes():
        if isinstance(node, nodes.ExitNode):
            is_in = state.entry_node(node) in around
        else:
            is_in = node in computing | around or (isinstance(node, nodes.AccessNode) and node.data in touched)
        if is_in:
            yield node, state
        if is_in and isinstance(node, nodes.NestedSDFG):
            yield from _nested(state, node, varied, useful)


def _nested(state: Any, node: Any, varied: set[Any], useful: set[Any]) -> list[tuple[Any, Any]]:
    inputs = [e.dst_conn for e in state.in_edges(node) if e.data.data in varied]
    outputs = [e.src_conn for e in state.out_edges(node) if e.data.data in useful]
    return nodes_of_sdfg(node.sdfg, inputs, outputs)


def _scopes(node: Any, parents: Mapping[Any, Any]) -> Iterator[Any]:
    while (node := parents[node]) is not None:
        yield node
