"""What an SDFG may hold that has no place in a Program: refused before anything is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dace
from dace import data, dtypes
from dace.sdfg import nodes

from daad.frontend.sdfg.locations import UNDECORATED, location, location_near, refused
from daad.frontend.sdfg.values.called_functions import numpy_dtype
from daad.frontend.sdfg.values.code import readable

GPU = frozenset({dtypes.StorageType.GPU_Global, dtypes.StorageType.GPU_Shared})
GPU_HINT = "Differentiate the program before it is transformed for a GPU, and pass device='gpu' to daad."
STATEFUL = frozenset({dtypes.AllocationLifetime.Persistent, dtypes.AllocationLifetime.External})


def check(sdfg: dace.SDFG) -> None:
    """Refuses constructs that cannot be lifted, with the user's file and line."""
    for inner in sdfg.all_sdfgs_recursive():
        for state in inner.states():
            for node in state.nodes():
                for kind, check_node in NODES.items():
                    if isinstance(node, kind):
                        check_node(node, state)
        for name, descriptor in inner.arrays.items():
            check_container(name, descriptor)


def check_container(name: str, descriptor: data.Data) -> None:
    """Dense arrays, scalars and views of real numbers pass."""
    if isinstance(descriptor, data.Stream):
        raise refused(f"The stream '{name}' cannot be differentiated.", descriptor, "Use an array.")
    if type(descriptor) not in CONTAINERS:
        kind = type(descriptor).__name__
        raise refused(f"'{name}' is a {kind}, which cannot be differentiated.", descriptor, "Use an array.")
    if descriptor.storage in GPU:
        raise refused(f"'{name}' lies in GPU memory.", descriptor, GPU_HINT)
    if descriptor.lifetime in STATEFUL and descriptor.transient:
        raise refused(f"'{name}' keeps its content from call to call.", descriptor, "Pass it as an argument.")
    if not isinstance(descriptor.dtype, dtypes.typeclass) or type(descriptor.dtype) is not dtypes.typeclass:
        raise refused(f"'{name}' holds elements of type '{descriptor.dtype}'.", descriptor, REAL_HINT)
    if not numpy_dtype(descriptor.dtype).startswith(("float", "int", "uint", "bool")):
        raise refused(f"'{name}' holds elements of type '{numpy_dtype(descriptor.dtype)}'.", descriptor, REAL_HINT)
    if any(offset != 0 for offset in getattr(descriptor, "offset", ())):
        raise refused(f"The indices of '{name}' do not start at 0.", descriptor)


CONTAINERS = frozenset({data.Array, data.Scalar, data.ArrayView})
REAL_HINT = "Only real numbers, integers and bools can be differentiated."


def _check_tasklet(node: nodes.Tasklet, state: dace.SDFGState) -> None:
    at = location_near(node, state)
    callee = callback_of(node, state.sdfg)
    if callee is not None:
        raise refused(f"DaCe cannot parse '{readable(callee)}' and calls back into Python.", at, UNDECORATED)
    if node.language is not dtypes.Language.Python:
        raise refused(f"A tasklet in {node.language.name} cannot be differentiated.", at, PYTHON_HINT)
    if node.side_effects or node.state_fields or node.code_global.as_string or node.code_init.as_string:
        raise refused("A tasklet with side effects cannot be differentiated.", at)


PYTHON_HINT = "Write it in Python."


def callback_of(node: nodes.Tasklet, sdfg: dace.SDFG) -> str | None:
    """The Python function that a tasklet calls back, if it does."""
    text = node.code.as_string
    for name, kind in sdfg.symbols.items():
        if isinstance(kind, dtypes.callback) and name in text:
            return sdfg.callback_mapping.get(name, name)
    return node.label if node.label.startswith("callback_") else None


def _check_map(node: nodes.MapEntry, state: dace.SDFGState) -> None:
    if node.map.schedule in dtypes.GPU_SCHEDULES:
        raise refused("A map is scheduled on a GPU.", location(node.map), GPU_HINT)


def _check_consume(node: nodes.ConsumeEntry, state: dace.SDFGState) -> None:
    raise refused("A consume scope cannot be differentiated.", location_near(node, state), "Use a map over an array.")


NODES: dict[type[nodes.Node], Callable[[Any, dace.SDFGState], None]] = {
    nodes.Tasklet: _check_tasklet,
    nodes.MapEntry: _check_map,
    nodes.ConsumeEntry: _check_consume,
}
