"""The outermost layer of the SDFG: arguments, symbols, scratch arrays, the header."""

from __future__ import annotations

from typing import Any

import dace

from daad.analysis.placement import ALIGNMENT, Placement, place
from daad.codegen import spelling
from daad.codegen.cpp.header import HEADER
from daad.codegen.device import Device
from daad.codegen.ragged_packing import pack
from daad.codegen.safe_names import identifier, name_everything
from daad.codegen.schedule.joined_recurrences import join_recurrences
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.streaming_stores import streams_of
from daad.codegen.sdfg.blocked_reductions import split_for_threads
from daad.codegen.sdfg.control_regions import Chain, add_body
from daad.codegen.sdfg.nests import descriptor_shape
from daad.errors import Unsupported
from daad.ir.nodes import Array, Program


def lower(program: Program, device: Device = Device.CPU) -> dace.SDFG:
    """The SDFG of a program: parameters and results are its arguments, integers its symbols, all else is scratch."""
    if device is not Device.CPU:
        raise Unsupported("Programs for GPUs cannot be generated yet.", hint='Use device="cpu".')
    program = prepare(program)
    context = Context(program, name_everything(program), streams=streams_of(program))
    sdfg = dace.SDFG(identifier(program.name))
    for name in program.integers:
        sdfg.add_symbol(context.names[name], dace.int64)
    outer = {*program.parameters, *program.results}
    for array in program.arrays.values():
        _add_array(sdfg, array, context.names[array.name], array.name in outer)
    _add_memory(sdfg, place(program), context)
    add_body(Chain(sdfg, sdfg, {}), program.body, context)
    sdfg.append_global_code(HEADER)
    return sdfg


def prepare(program: Program) -> Program:
    """The program that the SDFG follows statement by statement."""
    return join_recurrences(split_for_threads(pack(program)))


def _add_array(sdfg: Any, array: Array, name: str, is_outer: bool) -> None:
    spelling.ctype(array.dtype)
    dtype = getattr(dace, array.dtype if array.dtype != "bool" else "bool_")
    if is_outer:
        sdfg.add_array(name, descriptor_shape(array), dtype)
    elif array.shape == ():
        sdfg.add_scalar(name, dtype, transient=True, lifetime=dace.AllocationLifetime.SDFG)
    else:
        lifetime = dace.AllocationLifetime.External
        sdfg.add_array(name, descriptor_shape(array), dtype, transient=True, lifetime=lifetime, may_alias=True)


def _add_memory(sdfg: Any, placement: Placement, context: Context) -> None:
    """Allocates the memory of all scratch arrays when the library starts."""
    if not placement.offsets:
        return
    # DaCe gives external arrays pointers in the state of the library, by these names.
    members = {f"__state->__{sdfg.cfg_id}_{context.names[n]}": offset for n, offset in placement.offsets.items()}
    size = placement.nbytes + ALIGNMENT  # arrays may have no elements
    lines = ["void* memory = nullptr;", f"__result |= ::posix_memalign(&memory, {ALIGNMENT}, {size}) != 0;"]
    at = "static_cast<char*>(memory)"
    lines += [f"{name} = reinterpret_cast<decltype({name})>({at} + {offset});" for name, offset in members.items()]
    first = next(name for name, offset in members.items() if not offset)
    sdfg.append_init_code("{\n" + "\n".join(lines) + "\n}")
    sdfg.append_exit_code(f"::free({first});")
