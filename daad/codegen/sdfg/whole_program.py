"""The outermost layer of the SDFG: arguments, symbols, scratch arrays, the header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dace
import numpy as np

from daad.analysis.cost.placement import Placement, place
from daad.codegen.chosen_names import Names
from daad.codegen.cpp.header import PORTABLE_HEADER
from daad.codegen.dace_types import BYTE
from daad.codegen.device import Device
from daad.codegen.ragged_packing import pack
from daad.codegen.safe_names import NO_WISHES, identifier, name_everything
from daad.codegen.schedule.joined_recurrences import join_recurrences
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.separate_recurrences import separate_recurrences
from daad.codegen.schedule.streaming_stores import streams_of
from daad.codegen.sdfg.arrays import add_array, add_scalar_value, add_scratch, descriptor_shape, dtype_of
from daad.codegen.sdfg.blocked_reductions import split_for_threads
from daad.codegen.sdfg.control_regions import Chain, add_body
from daad.codegen.sdfg.nests import Facts
from daad.errors import Unsupported
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Program
from daad.ir.walk import writes


@dataclass(frozen=True, kw_only=True)
class Portable:
    """What DaCe alone compiles: `names` that arguments shall have, `constants` in the place of some of them, and what
    the SDFG says `about` itself, given how each argument is declared."""

    names: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)
    about: Callable[[Mapping[str, str]], str] = lambda declared: ""


@dataclass(frozen=True, kw_only=True)
class Lowered:
    """The SDFG of a program, and what its code is generated from besides.

    `program` is the one that the SDFG follows statement by statement, `names` what it calls everything, `facts` are
    those of its blocks by their labels, `nbytes` is how much scratch memory it takes.
    """

    sdfg: Any
    program: Program
    names: Names
    facts: Mapping[str, Facts]
    nbytes: int

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arrays that a call takes, in order: parameters, then results that are none."""
        return tuple(dict.fromkeys((*self.program.parameters, *self.program.results)))

    @property
    def words(self) -> tuple[str, ...]:
        """All that a call takes: arrays, then integers."""
        return (*self.arguments, *self.program.integers)


def lower(program: Program, device: Device = Device.CPU, portable: Portable | None = None) -> dace.SDFG:
    """The SDFG of a program: parameters and results are its arguments, integers its symbols, all else is scratch."""
    return lowered(program, device, portable).sdfg


def lowered(program: Program, device: Device = Device.CPU, portable: Portable | None = None) -> Lowered:
    """The SDFG with what `daad.codegen.targets` makes C++ from, unless it is to be portable: then DaCe does."""
    if device is not Device.CPU:
        raise Unsupported("Programs for GPUs cannot be generated yet.", hint='Use device="cpu".')
    program = prepare(program, is_portable=portable is not None)
    names = name_everything(program, portable.names if portable else NO_WISHES)
    placement = Placement({}, 0) if portable else place(program)
    is_portable = portable is not None
    context = Context(program, names, streams=streams_of(program), is_portable=is_portable, placement=placement)
    sdfg = dace.SDFG(identifier(program.name))
    for name in program.integers:
        sdfg.add_symbol(context.names[name], dace.int64)
    if portable is None:
        _add_arrays(sdfg, context)
    else:
        _add_portable_arrays(sdfg, context, portable)
    facts: dict[str, Facts] = {}
    add_body(Chain(sdfg, sdfg, NameSupply(), facts), program.body, context)
    sdfg.reset_cfg_list()
    if portable is not None:
        sdfg.append_global_code(portable.about(_declared(sdfg, names)) + PORTABLE_HEADER)
    return Lowered(sdfg=sdfg, program=program, names=names, facts=facts, nbytes=placement.nbytes)


def _declared(sdfg: Any, names: Names) -> dict[str, str]:
    """The arguments by what the Program calls them, each with its name, type and shape."""
    shown = {name: f"{name}: {kind}" for name, kind in sdfg.symbols.items()}
    for name, data in sdfg.arrays.items():
        shape = "" if isinstance(data, dace.data.Scalar) else f"[{', '.join(map(str, data.shape))}]"
        shown[name] = f"{name}: {np.dtype(data.dtype.type).name}{shape}"
    return {name: shown[word] for name, word in names.safe.items() if word in shown}


def prepare(program: Program, is_portable: bool = False) -> Program:
    """The program that the SDFG follows statement by statement."""
    return join_recurrences(separate_recurrences(split_for_threads(pack(program), is_portable)))


def _add_portable_arrays(sdfg: Any, context: Context, portable: Portable) -> None:
    """DaCe allocates what is scratch; numbers that are only read are arguments by value."""
    program, written = context.program, writes(context.program.body)
    outer = {*program.parameters, *program.results}
    for array in program.arrays.values():
        name, dtype, shape = context.names[array.name], dtype_of(array), descriptor_shape(array)
        is_constant = array.name in portable.constants
        is_outer = array.name in outer and not is_constant
        if array.shape == () and not is_constant and (not is_outer or array.name not in written):
            sdfg.add_scalar(name, dtype, transient=not is_outer, lifetime=dace.AllocationLifetime.SDFG)
        else:
            sdfg.add_array(name, shape, dtype, transient=not is_outer, lifetime=dace.AllocationLifetime.SDFG)
        if is_constant:
            sdfg.add_constant(name, np.ascontiguousarray(portable.constants[array.name]), sdfg.arrays[name])


def _add_arrays(sdfg: Any, context: Context) -> None:
    for array in context.program.arrays.values():
        if array.name in context.outer:
            add_array(sdfg, array, context)
        elif array.shape == ():
            add_scalar_value(sdfg, array, context, is_local=True)
        else:
            add_scratch(sdfg, array, context, {BYTE: str(context.placement.offsets[array.name])})
