"""Repairs of what DaCe 2.0.0b1 builds wrongly, made on our own copy before it is simplified."""

from __future__ import annotations

from typing import Any

import dace
from dace import data
from dace.sdfg import nodes


def repair(sdfg: dace.SDFG) -> None:
    """All repairs, in place."""
    for inner in sdfg.all_sdfgs_recursive():
        views_of_nothing_to_arrays(inner)


def views_of_nothing_to_arrays(sdfg: dace.SDFG) -> None:
    """`np.flip` of a slice writes into a view that looks at nothing; states are then fused past each other."""
    looking = {
        node.data
        for state in sdfg.states()
        for node in state.data_nodes()
        if any(is_view_connector(e) for e in state.all_edges(node)) or _neighbours(state, node)
    }
    for name, descriptor in list(sdfg.arrays.items()):
        if isinstance(descriptor, data.View) and name not in looking:
            array = descriptor.as_array()
            array.transient = True
            sdfg.arrays[name] = array


def is_view_connector(edge: Any) -> bool:
    """Does the edge say what a view looks at?"""
    return "views" in (edge.src_conn, edge.dst_conn)


def _neighbours(state: dace.SDFGState, node: nodes.AccessNode) -> bool:
    """A view that is connected to another container may look at it without saying so."""
    ends = [state.memlet_path(e)[0].src for e in state.in_edges(node)]
    ends += [state.memlet_path(e)[-1].dst for e in state.out_edges(node)]
    return any(isinstance(end, nodes.AccessNode) for end in ends)
