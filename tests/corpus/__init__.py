"""Small plain NumPy programs that daad must differentiate: one module per topic, one row per program."""

from __future__ import annotations

from . import (
    aliases,
    binary,
    branches,
    constructors,
    dace_kernels,
    dace_programs,
    dtypes,
    exits,
    fields,
    functions,
    images,
    inplace,
    iterators,
    learning,
    linear,
    lists,
    loops,
    masked,
    numerics,
    outputs,
    particles,
    peers,
    published,
    python,
    recursion,
    reductions,
    scalars,
    selections,
    shapes,
    slices,
    solvers,
    statistics,
    tables,
    unary,
    whiles,
    windows,
)
from .case import Case

TOPICS = (unary, binary, scalars, slices, inplace, constructors, reductions, linear, shapes, loops, branches, functions)
TOPICS += (
    aliases,
    python,
    exits,
    dtypes,
    outputs,
    peers,
    particles,
    fields,
    images,
    statistics,
    learning,
    lists,
    iterators,
    numerics,
    recursion,
    selections,
    masked,
    solvers,
    tables,
    whiles,
    windows,
    published,
    dace_programs,
    dace_kernels,
)
ALL: tuple[Case, ...] = tuple(case for topic in TOPICS for case in topic.CASES)

__all__ = ["ALL", "TOPICS", "Case"]
