"""Nested SDFGs: their containers are the outer ones under another name, their symbols expressions of the outer ones."""

from __future__ import annotations

from dataclasses import replace

import dace
from dace import data
from dace.sdfg import nodes

from daad.frontend.sdfg.locations import location, location_near, refused
from daad.frontend.sdfg.states.assigned_symbols import cells_of, initial_cells
from daad.frontend.sdfg.symbol_table import Scope, constant_symbols
from daad.frontend.sdfg.values.arithmetic import Value, literal
from daad.frontend.sdfg.values.containers import Place
from daad.ir.nodes import Node


def nested_scope(node: nodes.NestedSDFG, state: dace.SDFGState, scope: Scope) -> tuple[tuple[Node, ...], Scope]:
    """The scope inside a nested SDFG, after the assignments that prepare it."""
    at = location_near(node, state)
    values: dict[str, Value] = constant_symbols(node.sdfg)
    values |= {str(name): scope.evaluate(value, at) for name, value in node.symbol_mapping.items()}
    inner = replace(scope, sdfg=node.sdfg, values=values, places={}, pinned={}, cells=cells_of(node.sdfg))
    places: dict[str, Place] = {}
    pinned: dict[str, int] = {}
    for edge in state.all_edges(node):
        connector = edge.dst_conn if edge.dst is node else edge.src_conn
        if connector is None or edge.data.is_empty():
            continue
        if edge.data.data in scope.pinned:
            pinned[connector] = scope.pinned[edge.data.data]
            continue
        places[connector] = scope.place(edge.data.data, at)
        _check_same_container(connector, edge.data.data, inner, scope)
    inner = replace(inner, places=places, pinned=pinned)
    return enter(inner)


def enter(scope: Scope) -> tuple[tuple[Node, ...], Scope]:
    """Declares the SDFG's own containers, and the cells of its symbols with their initial values."""
    for name, descriptor in sorted(scope.sdfg.arrays.items()):
        if name in scope.places or name in scope.pinned or isinstance(descriptor, data.View):
            continue
        if descriptor.transient and not scope.has_fixed_size(name):
            continue
        scope = scope.with_places({name: scope.declare(name, location(descriptor))})
    return initial_cells(scope)


def _check_same_container(connector: str, outer_name: str, inner: Scope, outer: Scope) -> None:
    """DaCe 2 passes whole containers; a connector of another shape would be a window of unknown place."""
    shapes = []
    for name, scope in ((connector, inner), (outer_name, outer)):
        descriptor = scope.sdfg.arrays[name]
        shapes.append([] if isinstance(descriptor, data.Scalar) else [scope.evaluate(n) for n in descriptor.shape])
    if shapes[0] != shapes[1] and not all(_is_single(shape) for shape in shapes):
        raise refused(f"The nested SDFG's '{connector}' has another shape than '{outer_name}'.", inner.sdfg)


def _is_single(shape: list[Value]) -> bool:
    return all(literal(n) == 1 for n in shape)
