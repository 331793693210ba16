"""One state: its tasklets, maps, copies, library nodes and nested SDFGs, in an order that keeps their dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dace
from dace.sdfg import nodes

from daad.errors import Location
from daad.frontend.sdfg.locations import location, refused
from daad.frontend.sdfg.states.control_flow import lift_region
from daad.frontend.sdfg.states.copies import copy
from daad.frontend.sdfg.states.library_nodes import lift_library_node
from daad.frontend.sdfg.states.maps import lift_map
from daad.frontend.sdfg.states.nested_sdfgs import nested_scope
from daad.frontend.sdfg.states.order import in_order
from daad.frontend.sdfg.states.tasklets import lift_tasklet
from daad.frontend.sdfg.states.views import View, view_of, view_place
from daad.frontend.sdfg.states.writes import Update, store
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import literal
from daad.frontend.sdfg.values.containers import Region
from daad.ir.affine import Affine
from daad.ir.nodes import Node


def lift_state(state: dace.SDFGState, scope: Scope) -> tuple[Node, ...]:
    """What a state computes."""
    return lift_nodes(state, state.scope_children()[None], scope)


def lift_nodes(state: dace.SDFGState, members: Iterable[nodes.Node], scope: Scope) -> tuple[Node, ...]:
    """What the nodes of one scope (a state, or a map's body) compute."""
    members = list(members)
    scope, copied = _with_views(state, members, scope)
    body: list[Node] = []
    opened: set[str] = set()
    for node in in_order(state, members):
        for view in _written_next(node, state, copied):
            if view.name not in opened:
                opened.add(view.name)
                body.extend(_load_view(view, scope))
        body.extend(_lift_node(node, state, scope, copied))
    return tuple(body)


def _lift_node(node: nodes.Node, state: dace.SDFGState, scope: Scope, copied: Mapping[str, View]) -> tuple[Node, ...]:
    if isinstance(node, nodes.AccessNode):
        return _lift_access(node, state, scope, copied)
    if isinstance(node, nodes.MapEntry):
        return lift_map(node, state, scope, lambda members, inner: lift_nodes(state, members, inner))
    if isinstance(node, nodes.NestedSDFG):
        prelude, inner = nested_scope(node, state, scope)
        return (*prelude, *lift_region(node.sdfg, inner, lift_state))
    for kind, lift in LEAVES.items():
        if isinstance(node, kind):
            return lift(node, state, scope)
    raise refused(f"A {type(node).__name__} cannot be differentiated.", node)


LEAVES: dict[type[nodes.Node], Callable[[Any, dace.SDFGState, Scope], tuple[Node, ...]]] = {
    nodes.Tasklet: lift_tasklet,
    nodes.LibraryNode: lift_library_node,
}


def _with_views(state: dace.SDFGState, members: list[nodes.Node], scope: Scope) -> tuple[Scope, dict[str, View]]:
    """The views of this scope as places; those that have to be copied are returned too."""
    pending: dict[str, View] = {}
    for node in members:
        view = view_of(node, state) if isinstance(node, nodes.AccessNode) else None
        if view is not None and not view.agrees(pending.setdefault(view.name, view)):
            raise refused(f"The view '{view.name}' looks at two different parts.", view.at)
    copied: dict[str, View] = {}
    while pending:
        ready = [v for v in pending.values() if v.base not in pending]
        assert ready, "views look at each other"
        for view in ready:
            place = view_place(view, scope)
            if place is None:
                copied[view.name] = view
                place = scope.declare(view.name, view.at)
            scope = scope.with_places({view.name: place})
            del pending[view.name]
    return scope, copied


def _written_next(node: nodes.Node, state: dace.SDFGState, copied: Mapping[str, View]) -> list[View]:
    """Copied views that `node` is about to write and that are copied back later."""
    producer = state.exit_node(node) if isinstance(node, nodes.EntryNode) else node
    targets = {e.dst.data for e in state.out_edges(producer) if isinstance(e.dst, nodes.AccessNode)}
    return [view for name, view in copied.items() if name in targets and not isinstance(node, nodes.AccessNode)]


def _load_view(view: View, scope: Scope) -> tuple[Node, ...]:
    source, target = _view_regions(view, scope)
    return copy(source, target, None, scope, view.at)


def _view_regions(view: View, scope: Scope) -> tuple[Region, Region]:
    subset, own = view.subset, view.own
    below = scope.full_region(view.base, view.at) if subset is None else scope.region(view.base, subset, view.at)
    above = scope.full_region(view.name, view.at) if own is None else scope.region(view.name, own, view.at)
    return below, above


def _lift_access(
    node: nodes.AccessNode, state: dace.SDFGState, scope: Scope, copied: Mapping[str, View]
) -> tuple[Node, ...]:
    """Copies into the node, and out of it through the end of a map."""
    body: list[Node] = []
    for edge in state.in_edges(node):
        if isinstance(edge.src, nodes.AccessNode | nodes.EntryNode) and not edge.data.is_empty():
            body.extend(_lift_edge(edge, state, scope, copied))
    for edge in state.out_edges(node):
        if isinstance(edge.dst, nodes.ExitNode) and not edge.data.is_empty():
            body.extend(_lift_edge(edge, state, scope, copied))
    return tuple(body)


def _lift_edge(edge: Any, state: dace.SDFGState, scope: Scope, copied: Mapping[str, View]) -> tuple[Node, ...]:
    path = state.memlet_path(edge)
    source, target = path[0].src.data, path[-1].dst.data
    at = location(path[-1].dst) or location(path[0].src)
    if edge.dst_conn == "views" or edge.src_conn == "views":
        view = copied.get(target if edge.dst_conn == "views" else source)
        if view is None:
            return ()
        below, above = _view_regions(view, scope)
        pair = (below, above) if edge.dst_conn == "views" else (above, below)
        return copy(*pair, None, scope, at)
    source_subset, target_subset = edge.data.src_subset, edge.data.dst_subset
    if source in scope.pinned:
        return _store_number(scope.pinned[source], target, target_subset, edge, scope, at)
    regions = [
        _side(source, source_subset, target, target_subset, scope, at),
        _side(target, target_subset, source, source_subset, scope, at),
    ]
    return copy(regions[0], regions[1], edge.data.wcr, scope, at)


def _store_number(
    number: int, target: str, subset: Any, edge: Any, scope: Scope, at: Location | None
) -> tuple[Node, ...]:
    region = scope.full_region(target, at) if subset is None else scope.region(target, subset, at)
    region = region.of_rank(0)
    update = Update(region.access(()), region.place.array.dtype, Affine(number), edge.data.wcr)
    return store([update], scope, at)


def _side(name: str, subset: Any, other: str, other_subset: Any, scope: Scope, at: Location | None) -> Region:
    """One side of a copy; a side without a subset starts at its beginning and is as large as the other side."""
    if subset is not None:
        return scope.region(name, subset, at)
    full = scope.full_region(name, at)
    if other_subset is None:
        return full
    sizes = scope.region(other, other_subset, at).sizes
    if _count(full.sizes) == _count(sizes) or len(sizes) != len(full.sizes):
        return full
    return Region(full.place, full.starts, full.steps, sizes, full.axes)


def _count(sizes: tuple[Any, ...]) -> int | None:
    total = 1
    for size in sizes:
        number = literal(size)
        if number is None:
            return None
        total *= int(number)
    return total
