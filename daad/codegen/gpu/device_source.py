"""From a Program to one file of CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from daad.codegen.gpu.device_header import DEVICE_HEADER
from daad.codegen.gpu.device_names import device_names
from daad.codegen.gpu.host_code import Host
from daad.codegen.gpu.index_width import index_type
from daad.codegen.gpu.kernel_code import Device
from daad.codegen.gpu.launches import Planner, calls_products, kernels
from daad.codegen.gpu.long_sums import in_parts
from daad.codegen.gpu.scaled_products import Scaled, scaled
from daad.codegen.gpu.separate_updates import separated
from daad.codegen.gpu.slab import slab
from daad.codegen.gpu.surroundings import INDEX
from daad.codegen.gpu.touches import overlapping
from daad.codegen.ragged_packing import pack
from daad.codegen.schedule.lowering_context import Context
from daad.ir.indices.index_errors import locations
from daad.ir.nodes import Program


@dataclass(frozen=True)
class Source:
    """The text of a file that nvcc compiles; `nbytes` of memory are reserved by what it makes. `arguments` names the
    arrays, and integers as arrays of one element, whose addresses it is given; `uses` the libraries that it calls."""

    text: str
    nbytes: int
    arguments: tuple[str, ...]
    uses: frozenset[str] = field(default_factory=frozenset)


def generate(program: Program, has_cublas: bool = True) -> Source:
    """The source of a program, which leaves large products to cuBLAS if that is there; raises Unsupported for what a
    GPU cannot do."""
    sites = {at: number for number, at in enumerate(locations(program))}
    steps = separated(pack(program))
    products = scaled(steps) if has_cublas else Scaled(steps, {})
    made = in_parts(products.program)
    names, placed = device_names(made), slab(made)
    context = Context(made, names, placement=placed)
    launches = Planner(overlapping(made, placed), replace(products, program=made)).body(made.body, context)
    arguments = tuple(dict.fromkeys((*made.parameters, *made.results, *made.integers)))
    device = Device(made, names, placed, sites)
    host = Host(device, launches, arguments)
    code = [line for kernel in kernels(launches) for line in ("", *device.kernel(kernel))]
    has_checks = any("daad::checked(" in line for line in code)
    uses = frozenset(("cublas",)) if calls_products(launches) else frozenset[str]()
    header = [*(f"#include <{name}_v2.h>" for name in uses), *DEVICE_HEADER.splitlines()]
    variables = f"typedef {index_type(made)} {INDEX};"
    text = "\n".join([*header, variables, "", *host.frame(), *code, "", *host.functions(has_checks), ""])
    return Source(text, placed.nbytes, arguments, uses)
