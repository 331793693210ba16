"""A nest as one state: a map over its independent dimensions around one tasklet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np
import sympy
from dace import subsets
from dace.sdfg import nodes

from daad.codegen.cpp.blocked_scan import write_recurrence
from daad.codegen.cpp.tasklet import Connector, TaskletCode, filled_arrays, trips, write_tasklet
from daad.codegen.dace_types import TEAM
from daad.codegen.schedule.collapsing import flatten
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import ONE_POINT, Schedule, schedule_nest
from daad.codegen.schedule.recurrences import Recurrence
from daad.codegen.schedule.streaming_stores import streamed
from daad.codegen.sdfg.arrays import descriptor_shape
from daad.codegen.sdfg.blas import blas_call
from daad.codegen.sdfg.environments import SECTION_NAMES
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
    call = blas_call(nest, context)
    flat = flatten(nest, context)
    schedule = ONE_POINT if call else _schedule(flat, context, by_pointer=flat is not nest)
    code = call or write_tasklet(flat, schedule, context, filled_arrays(nest, context))
    state.set_default_lineinfo(line_info(nest.at))
    connect(state, context.names[nest.assigns[0].target.array], schedule, code, context)
    return Facts(_symbols(nest, context), (*trips(schedule.mapped), *code.trips))


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
    state.set_default_lineinfo(line_info(recurrence.nest.at))
    code = write_recurrence(recurrence, context)
    connect(state, context.names[recurrence.target.array], ONE_POINT, code, context)
    return Facts(_symbols(recurrence.nest, context), code.trips)


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
    reads = {name: state.add_read(context.names[name]) for name in _arrays(code.inputs)}
    writes = {name: state.add_write(context.names[name]) for name in _arrays(code.outputs)}
    entry, leave = _map(state, label, schedule, context) if schedule.mapped else (None, None)
    for connector in code.inputs:
        _connect_input(state, reads[connector.array], entry, tasklet, connector, context)
    for connector in code.outputs:
        _connect_output(state, tasklet, leave, writes[connector.array], connector, context)
    if entry is not None and not code.inputs:
        state.add_nedge(entry, tasklet, dace.Memlet())
    return tasklet


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


def _arrays(connectors: Iterable[Connector]) -> list[str]:
    return list(dict.fromkeys(c.array for c in connectors))


def _connector_type(connector: Connector, context: Context) -> Any:
    element = dace.typeclass(np.dtype(context.arrays[connector.array].dtype).type)
    return element if connector.index is not None else dace.pointer(element)


def _connect_input(state: Any, read: Any, entry: Any, tasklet: Any, connector: Connector, context: Context) -> None:
    memlet = _memlet(connector, context)
    if entry is None:
        state.add_edge(read, None, tasklet, connector.name, memlet)
        return
    if entry.add_in_connector(f"IN_{read.data}"):
        state.add_edge(read, None, entry, f"IN_{read.data}", _whole(connector.array, context))
    entry.add_out_connector(f"OUT_{read.data}")
    state.add_edge(entry, f"OUT_{read.data}", tasklet, connector.name, memlet)


def _connect_output(state: Any, tasklet: Any, leave: Any, write: Any, connector: Connector, context: Context) -> None:
    memlet = _memlet(connector, context)
    if leave is None:
        state.add_edge(tasklet, connector.name, write, None, memlet)
        return
    if leave.add_out_connector(f"OUT_{write.data}"):
        state.add_edge(leave, f"OUT_{write.data}", write, None, _whole(connector.array, context))
    leave.add_in_connector(f"IN_{write.data}")
    state.add_edge(tasklet, connector.name, leave, f"IN_{write.data}", memlet)


def _memlet(connector: Connector, context: Context) -> Any:
    if connector.index is None:
        return _whole(connector.array, context)
    places = [symbolic(i, context.names) for i in connector.index] or [sympy.Integer(0)]
    return dace.Memlet(data=context.names[connector.array], subset=subsets.Range([(i, i, 1) for i in places]))


def _whole(array: str, context: Context) -> Any:
    shape = descriptor_shape(context.arrays[array])
    return dace.Memlet(data=context.names[array], subset=subsets.Range([(0, n - 1, 1) for n in shape]))
