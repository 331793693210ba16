"""Maps as loops whose iterations are independent; `parallel` makes nests of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import dace
from dace import dtypes
from dace.sdfg import nodes

from daad.errors import Location
from daad.frontend.sdfg.locations import location
from daad.frontend.sdfg.symbol_table import Scope, check_untiled
from daad.frontend.sdfg.values.arithmetic import Value, add, apply, cast, multiply, subtract
from daad.frontend.sdfg.values.ranges import range_of
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Load, Loop, Nest, Node


@dataclass(frozen=True)
class ParallelLoop(Loop):
    """A loop whose iterations may run in any order; none is left in a finished Program.

    `ordered` loops are promised to be executed in sequence, so that a conflict between iterations is no mistake.
    """

    ordered: bool = False


Lift = Callable[[list[nodes.Node], Scope], tuple[Node, ...]]


def lift_map(entry: nodes.MapEntry, state: dace.SDFGState, scope: Scope, lift: Lift) -> tuple[Node, ...]:
    """Nested parallel loops around the map's body."""
    at = location(entry.map)
    prelude, scope = _dynamic_bounds(entry, state, scope, at)
    check_untiled(entry.map.range, at)
    ordered = entry.map.schedule == dtypes.ScheduleType.Sequential
    loops: list[tuple[str, Value, Value]] = []
    for parameter, (begin, end, step) in zip(entry.map.params, entry.map.range.ndrange(), strict=True):
        variable = scope.variable(parameter)
        start, stop, value = _bounds(variable, scope.evaluate(begin, at), scope.evaluate(end, at), scope.number(step))
        if subtract(stop, start) == Affine(1):
            scope = scope.with_values({parameter: start})
            continue
        loops.append((variable, start, stop))
        scope = scope.inside(variable, range_of(variable, start, stop, 1), **{parameter: value})
    children = [n for n in state.scope_children()[entry] if not isinstance(n, nodes.ExitNode)]
    body = lift(children, scope)
    for variable, start, stop in reversed(loops):
        body = (ParallelLoop(variable, start, stop, 1, body, at, ordered=ordered),)
    return (*prelude, *body)


def _bounds(variable: str, begin: Value, end: Value, step: int) -> tuple[Value, Value, Value]:
    """Start and stop of the variable, and the parameter's value; `end` is included."""
    own = Affine.of(variable)
    if step == 1:
        return begin, add(end, Affine(1)), own
    if step == -1:
        return end, add(begin, Affine(1)), own
    span = apply("floor_divide", apply("subtract", end, begin), Affine(step))
    return Affine(0), add(span, Affine(1)), add(begin, multiply(own, Affine(step)))


def _dynamic_bounds(
    entry: nodes.MapEntry, state: dace.SDFGState, scope: Scope, at: Location | None
) -> tuple[tuple[Node, ...], Scope]:
    """Bounds that are read from data are read once, into a scalar."""
    prelude: list[Node] = []
    for edge in state.in_edges(entry):
        if edge.dst_conn is None or edge.dst_conn.startswith("IN_"):
            continue
        if edge.data.data in scope.pinned:
            scope = scope.with_values({edge.dst_conn: Affine(scope.pinned[edge.data.data])})
            continue
        element = scope.region(edge.data.data, edge.data.subset, at).of_rank(0).load(())
        kept = scope.arrays.add(edge.dst_conn, (), "int64")
        prelude.append(Nest((), (Assign(Access(kept.name, ()), "=", cast(element, "int64")),), at))
        scope = scope.with_values({edge.dst_conn: Load(kept.name, (), "int64")})
    return tuple(prelude), scope
