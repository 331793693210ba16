"""The arrays of a Program in an SDFG."""

from __future__ import annotations

from typing import Any

import dace
from dace import dtypes

from daad.codegen import spelling
from daad.codegen.dace_types import SCRATCH
from daad.codegen.schedule.lowering_context import Context
from daad.ir.nodes import Array

LIFETIME = dtypes.AllocationLifetime.SDFG


def dtype_of(array: Array) -> Any:
    """Its type in DaCe."""
    spelling.ctype(array.dtype)
    return getattr(dace, array.dtype if array.dtype != "bool" else "bool_")


def descriptor_shape(array: Array) -> tuple[int, ...]:
    """Scalars are arrays of one element in the SDFG, and nothing has no elements."""
    return tuple(max(1, n) for n in array.shape) or (1,)


def add_array(sdfg: Any, array: Array, context: Context) -> None:
    """What comes from outside: an array, or a place in memory that others may have after it."""
    is_own = array.name in context.outer
    name, heap = context.names[array.name], dtypes.StorageType.CPU_Heap
    sdfg.add_array(name, descriptor_shape(array), dtype_of(array), storage=heap, may_alias=not is_own)


def add_scalar_value(sdfg: Any, array: Array, context: Context, is_local: bool) -> None:
    """A number."""
    register = dtypes.StorageType.Register
    sdfg.add_scalar(context.names[array.name], dtype_of(array), storage=register, transient=is_local, lifetime=LIFETIME)


def add_scratch(sdfg: Any, array: Array, context: Context, location: dict[str, str]) -> None:
    """A place in memory that is planned."""
    sdfg.add_array(
        context.names[array.name],
        descriptor_shape(array),
        dtype_of(array),
        storage=SCRATCH,
        location=location,
        transient=True,
        lifetime=LIFETIME,
        may_alias=True,
    )
