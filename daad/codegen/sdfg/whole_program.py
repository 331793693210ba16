"""The outermost layer of the SDFG: arguments, symbols, scratch arrays, the header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dace
import numpy as np

from daad.analysis.machine import LINE
from daad.analysis.placement import Placement, place
from daad.codegen import spelling
from daad.codegen.cpp.header import HEADER, PORTABLE_HEADER
from daad.codegen.device import Device
from daad.codegen.ragged_packing import pack
from daad.codegen.safe_names import NO_WISHES, Names, identifier, name_everything
from daad.codegen.schedule.joined_recurrences import join_recurrences
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.streaming_stores import streams_of
from daad.codegen.sdfg.blocked_reductions import split_for_threads
from daad.codegen.sdfg.control_regions import Chain, add_body
from daad.codegen.sdfg.nests import descriptor_shape
from daad.errors import Unsupported
from daad.ir.nodes import Array, Program
from daad.ir.walk import writes


@dataclass(frozen=True, kw_only=True)
class Portable:
    """What DaCe alone compiles: `names` that arguments shall have, `constants` in the place of some of them, and what
    the SDFG says `about` itself, given how each argument is declared."""

    names: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)
    about: Callable[[Mapping[str, str]], str] = lambda declared: ""


def lower(program: Program, device: Device = Device.CPU, portable: Portable | None = None) -> dace.SDFG:
    """The SDFG of a program: parameters and results are its arguments, integers its symbols, all else is scratch.

    Unless it is to be portable, `daad.codegen.library_build` makes it a library: places of scratch arrays, BLAS and
    shared loops are known to daad alone.
    """
    if device is not Device.CPU:
        raise Unsupported("Programs for GPUs cannot be generated yet.", hint='Use device="cpu".')
    program = prepare(program, is_portable=portable is not None)
    names = name_everything(program, portable.names if portable else NO_WISHES)
    context = Context(program, names, streams=streams_of(program), is_portable=portable is not None)
    sdfg = dace.SDFG(identifier(program.name))
    for name in program.integers:
        sdfg.add_symbol(context.names[name], dace.int64)
    if portable is None:
        _add_arrays(sdfg, context)
        _add_memory(sdfg, place(program), context)
    else:
        _add_portable_arrays(sdfg, context, portable)
    add_body(Chain(sdfg, sdfg, {}), program.body, context)
    if portable is None:
        sdfg.append_global_code(HEADER)
    else:
        sdfg.append_global_code(portable.about(_declared(sdfg, names)) + PORTABLE_HEADER)
    return sdfg


def _declared(sdfg: Any, names: Names) -> dict[str, str]:
    """The arguments by what the Program calls them, each with its name, type and shape."""
    shown = {name: f"{name}: {kind}" for name, kind in sdfg.symbols.items()}
    for name, data in sdfg.arrays.items():
        shape = "" if isinstance(data, dace.data.Scalar) else f"[{', '.join(map(str, data.shape))}]"
        shown[name] = f"{name}: {np.dtype(data.dtype.type).name}{shape}"
    return {name: shown[word] for name, word in names.safe.items() if word in shown}


def prepare(program: Program, is_portable: bool = False) -> Program:
    """The program that the SDFG follows statement by statement."""
    return join_recurrences(split_for_threads(pack(program), is_portable))


def _add_portable_arrays(sdfg: Any, context: Context, portable: Portable) -> None:
    """DaCe allocates what is scratch; numbers that are only read are arguments by value."""
    program, written = context.program, writes(context.program.body)
    outer = {*program.parameters, *program.results}
    for array in program.arrays.values():
        name, dtype, shape = context.names[array.name], _dtype(array), descriptor_shape(array)
        is_constant = array.name in portable.constants
        is_outer = array.name in outer and not is_constant
        if array.shape == () and not is_constant and (not is_outer or array.name not in written):
            sdfg.add_scalar(name, dtype, transient=not is_outer, lifetime=dace.AllocationLifetime.SDFG)
        else:
            sdfg.add_array(name, shape, dtype, transient=not is_outer, lifetime=dace.AllocationLifetime.SDFG)
        if is_constant:
            sdfg.add_constant(name, np.ascontiguousarray(portable.constants[array.name]), sdfg.arrays[name])


def _add_arrays(sdfg: Any, context: Context) -> None:
    outer = {*context.program.parameters, *context.program.results}
    for array in context.program.arrays.values():
        _add_array(sdfg, array, context.names[array.name], array.name in outer)


def _dtype(array: Array) -> Any:
    spelling.ctype(array.dtype)
    return getattr(dace, array.dtype if array.dtype != "bool" else "bool_")


def _add_array(sdfg: Any, array: Array, name: str, is_outer: bool) -> None:
    dtype = _dtype(array)
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
    size = placement.nbytes + LINE  # arrays may have no elements
    lines = ["void* memory = nullptr;", f"__result |= ::posix_memalign(&memory, {LINE}, {size}) != 0;"]
    at = "static_cast<char*>(memory)"
    lines += [f"{name} = reinterpret_cast<decltype({name})>({at} + {offset});" for name, offset in members.items()]
    first = next(name for name, offset in members.items() if not offset)
    sdfg.append_init_code("{\n" + "\n".join(lines) + "\n}")
    sdfg.append_exit_code(f"::free({first});")
