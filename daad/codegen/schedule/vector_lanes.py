"""Sums in blocks of neighbouring iterations, each with a sum of its own: the lanes of a vector register.

GCC makes vectors of the loop over the lanes wherever it stands, as long as that is a loop: written out lane by lane, it
would take none of a row that is read backwards. What it makes of `#pragma omp simd reduction` does not survive when it
copies the loop, as it does where the first iterations around it have nothing to sum.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import Schedule
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Const, Expr, Load, Nest, Op, Range
from daad.ir.walk import nodes, variables

LANE = "lane__v"
INDENT = "    "
REGISTER = 64  # bytes; narrower registers take several for it
MOST_NODES = 48  # of all values: they are written out for each lane
MOST_PEELED = 8  # iterations of a loop that GCC writes out one by one
ARITHMETIC = frozenset(("add", "subtract", "multiply", "divide", "negative"))


def lanes_of(nest: Nest, schedule: Schedule, context: Context) -> int:
    """How many sums each update of the nest has; 0 where lanes are no use."""
    vector = schedule.vector
    if vector is None or schedule.inner[-1] is not vector or not schedule.independent:
        return 0
    dtypes = {context.arrays[a.target.array].dtype for a in nest.assigns}
    if len(dtypes) > 1 or not dtypes <= {"float64", "float32"}:
        return 0
    if not all(_is_sum(a, vector.var) and is_arithmetic(a.value, dtypes) for a in nest.assigns):
        return 0
    if sum(1 for a in nest.assigns for _ in nodes(a.value)) > MOST_NODES:
        return 0
    lanes = REGISTER // np.dtype(min(dtypes)).itemsize
    return lanes if extent(vector, context.known) >= lanes else 0


def is_one_by_one(nest: Nest, schedule: Schedule, r: Range, context: Context) -> bool:
    """Whether a loop just around the vector loop is itself to be no vector.

    GCC writes out a short vector loop, makes vectors of the terms of the sums around it and adds their elements in
    order, which takes longer than to compute terms of few operations one by one.
    """
    vector = schedule.vector
    around = schedule.inner[: schedule.inner.index(vector)] if vector in schedule.inner else ()
    if vector is None or not around or around[-1] is not r:
        return False
    dtypes = {context.arrays[a.target.array].dtype for a in nest.assigns}
    if not dtypes <= {"float64", "float32"} or not (vector.width.is_const and vector.width.const <= MOST_PEELED):
        return False
    return all(_is_sum(a, r.var) and is_arithmetic(a.value, dtypes) and not _divides(a.value) for a in nest.assigns)


def _divides(value: Expr) -> bool:
    return any(isinstance(node, Op) and node.name == "divide" for node in nodes(value))


def _is_sum(assign: Assign, var: str) -> bool:
    return assign.op == "+=" and not any(var in variables(i) for i in assign.target.index)


def is_arithmetic(value: Expr, dtypes: Collection[str]) -> bool:
    """Nothing but what vectors can do without masks, calls and gathers."""
    return all(isinstance(n, Const) or _is_place(n) or _is_arithmetic_of(n, dtypes) for n in nodes(value))


def _is_place(node: Expr) -> bool:
    return isinstance(node, Load) and all(isinstance(i, Affine) for i in node.index)


def _is_arithmetic_of(node: Expr, dtypes: Collection[str]) -> bool:
    return isinstance(node, Op) and node.name in ARITHMETIC and node.dtype in dtypes


def in_lanes(name: str, start: str, stop: str, lanes: int, body: list[str]) -> list[str]:
    """The loop over `name` in blocks of as many iterations, and the few that are left."""
    first = f"{name}__first"
    inside = [INDENT + line for line in body]
    return [
        f"int64_t {first} = {start};",
        f"for (; {first} + {lanes} <= {stop}; {first} += {lanes}) {{",
        "    #pragma omp simd",
        f"    for (int64_t {LANE} = 0; {LANE} < {lanes}; ++{LANE}) {{",
        f"        const int64_t {name} = {first} + {LANE};",
        *(INDENT + line for line in inside),
        "    }",
        "}",
        f"for (int64_t {name} = {first}; {name} < {stop}; ++{name}) {{",
        f"    const int64_t {LANE} = 0;",
        *inside,
        "}",
    ]
