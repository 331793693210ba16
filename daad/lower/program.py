"""The outermost layer of the SDFG: arguments, symbols, scratch arrays, the header."""

from __future__ import annotations

from typing import Any

import dace

from daad.errors import Unsupported
from daad.lower import spelling
from daad.lower.blocks import split_for_threads
from daad.lower.context import Context
from daad.lower.control import Chain, add_body
from daad.lower.device import Device
from daad.lower.header import HEADER
from daad.lower.names import identifier, name_everything
from daad.lower.nests import descriptor_shape
from daad.program.nodes import Array, Program

ALIGNMENT = 64


def lower(program: Program, device: Device = Device.CPU) -> dace.SDFG:
    """The SDFG of a program: parameters and results are its arguments, integers its symbols, all else is scratch."""
    if device is not Device.CPU:
        raise Unsupported("Programs for GPUs cannot be generated yet.", hint='Use device="cpu".')
    program = split_for_threads(program)
    context = Context(program, name_everything(program))
    sdfg = dace.SDFG(identifier(program.name))
    for name in program.integers:
        sdfg.add_symbol(context.names[name], dace.int64)
    outer = {*program.parameters, *program.results}
    for array in program.arrays.values():
        _add_array(sdfg, array, context.names[array.name], array.name in outer)
    add_body(Chain(sdfg, sdfg, {}), program.body, context)
    sdfg.append_global_code(HEADER)
    return sdfg


def _add_array(sdfg: Any, array: Array, name: str, is_outer: bool) -> None:
    spelling.ctype(array.dtype)
    dtype = getattr(dace, array.dtype if array.dtype != "bool" else "bool_")
    if is_outer:
        sdfg.add_array(name, descriptor_shape(array), dtype)
    elif array.shape == ():
        sdfg.add_scalar(name, dtype, transient=True, lifetime=dace.AllocationLifetime.SDFG)
    else:
        lifetime = dace.AllocationLifetime.Persistent
        sdfg.add_array(name, descriptor_shape(array), dtype, transient=True, lifetime=lifetime, alignment=ALIGNMENT)
