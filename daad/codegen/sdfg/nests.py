"""A nest as one state: a map over its independent dimensions around one tasklet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np
from dace import subsets
from dace.sdfg import nodes

from daad.analysis.regular_sections import Box, over_range, whole
from daad.codegen.cpp.blocked_scan import write_recurrence
from daad.codegen.cpp.python_rows import write_transfer
from daad.codegen.cpp.tasklet import filled_arrays, trips, write_tasklet
from daad.codegen.cpp.tasklet_code import Connector, TaskletCode
from daad.codegen.dace_types import TEAM
from daad.codegen.schedule.collapsing import flatten
from daad.codegen.schedule.footprints import Footprint, footprints, union
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import ONE_POINT, Schedule, schedule_nest
from daad.codegen.schedule.python_transfers import Transfer, results_taken
from daad.codegen.schedule.recurrences import Recurrence
from daad.codegen.schedule.streaming_stores import streamed
from daad.codegen.sdfg.blas import blas_call
from daad.codegen.sdfg.environments import SECTION_NAMES
from daad.codegen.sdfg.fresh_elements import access, memlet_of
from daad.codegen.sdfg.product_nodes import ProductNode
from daad.codegen.sdfg.symbolic_forms import symbolic
from daad.errors import Location
from daad.ir.nodes import Nest, Range
from daad.ir.walk import variables


@dataclass(frozen=True)
class Facts:
    """What a state, or the head of a loop or branch, takes from around it besides arrays, and the iterations of its
    loops, as far as they are known; `goes_on`: the scalar without which a loop ends."""

    symbols: frozenset[str] = frozenset()
    trips: tuple[int, ...] = ()
    goes_on: str = ""


def add_nest(state: Any, nest: Nest, context: Context) -> Facts:
    """Fills an empty state with the map and the tasklet of a nest."""
    taken = results_taken(nest, context)
    call = write_transfer(taken, context) if taken else blas_call(nest, context)
    flat = flatten(nest, context)
    schedule = ONE_POINT if call else _schedule(flat, context, by_pointer=flat is not nest)
    code = call or write_tasklet(
        flat, schedule, context, filled_arrays(nest, context), _footprints(nest, schedule, context)
    )
    state.set_default_lineinfo(line_info(nest.at))
    connect(state, context.names[nest.assigns[0].target.array], schedule, code, context)
    return Facts(_symbols(nest, context), (*trips(schedule.mapped), *code.trips))


def _footprints(nest: Nest, schedule: Schedule, context: Context) -> Mapping[str, Footprint]:
    """What one run of the tasklet touches, of the nest as it was before dimensions were joined; nothing is told where
    the map's are among these."""
    if not {*nest.domain}.issuperset(schedule.mapped):
        return {}
    return footprints(nest, [r for r in nest.domain if r not in schedule.mapped], context)


def _symbols(nest: Nest, context: Context) -> frozenset[str]:
    """The variables and integers from around a nest that it depends on."""
    places = [i for a in nest.assigns for i in (*a.target.index, a.value)]
    bounds = [i for r in nest.domain for i in (r.start, r.stop)]
    found = frozenset[str]().union(*map(variables, (*places, *bounds)))
    return frozenset(context.names[name] for name in found.difference(r.var for r in nest.domain))


def _schedule(nest: Nest, context: Context, by_pointer: bool) -> Schedule:
    """Memory is written past the caches by a loop of the tasklet, unless that takes the nest from threads."""
    schedule = schedule_nest(nest, context, by_pointer)
    if by_pointer or context.streams.isdisjoint([a.target for a in nest.assigns]):
        return schedule
    with_loop = schedule_nest(nest, context, by_pointer=True)
    return with_loop if streamed(nest, with_loop, context) and with_loop.parallel == schedule.parallel else schedule


def add_recurrence(state: Any, recurrence: Recurrence, context: Context) -> Facts:
    """Fills an empty state with the tasklet of a whole loop."""
    code = write_recurrence(recurrence, context)
    return _add_whole(state, recurrence.nest, recurrence.target.array, code, context)


def add_numbers(state: Any, transfer: Transfer, context: Context) -> Facts:
    """The same of a loop that puts numbers into a record."""
    return _add_whole(state, transfer.nest, transfer.token, write_transfer(transfer, context), context)


def _add_whole(state: Any, nest: Nest, target: str, code: TaskletCode, context: Context) -> Facts:
    state.set_default_lineinfo(line_info(nest.at))
    connect(state, context.names[target], ONE_POINT, code, context)
    return Facts(_symbols(nest, context), code.trips)


def line_info(at: Location | None) -> Any:
    """The user's line; without one DaCe would look for a line in daad's own code, slowly."""
    if at is None:
        return dace.dtypes.DebugInfo(0)
    return dace.dtypes.DebugInfo(at.line, at.column, at.line, at.end_column, at.file)


def connect(state: Any, label: str, schedule: Schedule, code: TaskletCode, context: Context) -> Any:
    """Tasklet, map and access nodes with all memlets; returns the node that computes."""
    tasklet = _code_node(label, schedule, code, context)
    tasklet.debuginfo = state._default_lineinfo
    state.add_node(tasklet)
    inputs, outputs = _by_array(code.inputs), _by_array(code.outputs)
    reads = {name: access(state, context.names[name]) for name in inputs}
    writes = {name: access(state, context.names[name]) for name in outputs}
    entry, leave = _map(state, label, schedule, context) if schedule.mapped else (None, None)
    for array, connectors in inputs.items():
        outer = _of_all(schedule.mapped, connectors, context) if entry is not None else None
        _connect_inputs(state, reads[array], entry, tasklet, _memlets(connectors, context), outer)
    for array, connectors in outputs.items():
        outer = _of_all(schedule.mapped, connectors, context) if entry is not None else None
        _connect_outputs(state, tasklet, leave, writes[array], _memlets(connectors, context), outer)
    if entry is not None and not code.inputs:
        state.add_nedge(entry, tasklet, dace.Memlet())
    return tasklet


def _by_array(connectors: Iterable[Connector]) -> Mapping[str, list[Connector]]:
    found: dict[str, list[Connector]] = {}
    for connector in connectors:
        found.setdefault(connector.array, []).append(connector)
    return found


def _code_node(label: str, schedule: Schedule, code: TaskletCode, context: Context) -> Any:
    inputs = {c.name: _connector_type(c, context) for c in code.inputs}
    outputs = {c.name: _connector_type(c, context) for c in code.outputs} | ({code.result: None} if code.result else {})
    environments = () if context.is_portable else _environments(schedule, code)
    if code.product:
        return ProductNode(label, inputs, outputs, code.product, environments)
    if code.python and context.is_portable:
        return nodes.Tasklet(label, inputs, outputs, code.python)
    tasklet = nodes.Tasklet(label, inputs, outputs, code.text, language=dace.Language.CPP)
    tasklet.ignored_symbols = set(code.variables)  # loops elsewhere may have the same names
    tasklet.environments = frozenset(environments)
    return tasklet


def _environments(schedule: Schedule, code: TaskletCode) -> Iterator[str]:
    yield from (SECTION_NAMES[name] for name in sorted(code.needs))
    if schedule.parallel:
        yield SECTION_NAMES["team"]


def _map(state: Any, label: str, schedule: Schedule, context: Context) -> tuple[Any, Any]:
    names = context.names
    ranges = {names[r.var]: subsets.Range([_bounds(r, context)]) for r in schedule.mapped}
    shared = dace.ScheduleType.CPU_Multicore if context.is_portable else TEAM
    kind = shared if schedule.parallel else dace.ScheduleType.Sequential
    entry, leave = state.add_map(f"{label}_map", ranges, schedule=kind)
    if schedule.parallel:
        entry.map.collapse = schedule.collapse
    return entry, leave


def _bounds(r: Range, context: Context) -> tuple[Any, Any, int]:
    return symbolic(r.start, context.names), symbolic(r.last, context.names), 1


def _connector_type(connector: Connector, context: Context) -> Any:
    element = dace.typeclass(np.dtype(context.arrays[connector.array].dtype).type)
    return dace.pointer(element) if connector.by_pointer else element


def _connect_inputs(state: Any, read: Any, entry: Any, tasklet: Any, memlets: Mapping[str, Any], outer: Any) -> None:
    source, way_out = read, None
    if entry is not None:
        source, way_out = entry, f"OUT_{read.data}"
        entry.add_in_connector(f"IN_{read.data}")
        entry.add_out_connector(way_out)
        state.add_edge(read, None, entry, f"IN_{read.data}", outer)
    for connector, memlet in memlets.items():
        state.add_edge(source, way_out, tasklet, connector, memlet)


def _connect_outputs(state: Any, tasklet: Any, leave: Any, write: Any, memlets: Mapping[str, Any], outer: Any) -> None:
    target, way_in = write, None
    if leave is not None:
        target, way_in = leave, f"IN_{write.data}"
        leave.add_in_connector(way_in)
        leave.add_out_connector(f"OUT_{write.data}")
        state.add_edge(leave, f"OUT_{write.data}", write, None, outer)
    for connector, memlet in memlets.items():
        state.add_edge(tasklet, connector, target, way_in, memlet)


def _memlets(connectors: Iterable[Connector], context: Context) -> Mapping[str, Any]:
    return {c.name: _memlet(c.array, c.box, context) for c in connectors}


def _of_all(mapped: Sequence[Range], connectors: list[Connector], context: Context) -> Any:
    """What all points of a map touch of an array."""
    array, known = connectors[0].array, context.known.with_domain(mapped)
    boxes = [c.box for c in connectors]
    for r in mapped:
        boxes = [over_range(box, r.var, r.start, r.last) for box in boxes]
    shape = context.arrays[array].shape
    return _memlet(array, union(boxes, shape, known) or whole(shape), context)


def _memlet(array: str, box: Box, context: Context) -> Any:
    """An array's elements from the first index along each axis up to the one behind the last."""
    lasts = [low if low == high else high - 1 for low, high in box]
    names = context.names
    sides = [(symbolic(b[0], names), symbolic(last, names), 1) for b, last in zip(box, lasts, strict=True)]
    return memlet_of(names[array], subsets.Range(sides or [(0, 0, 1)]))
