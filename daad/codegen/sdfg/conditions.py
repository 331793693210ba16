"""Conditions of branches and bounds of loops that are not affine: computed by a tasklet into a scalar."""

from __future__ import annotations

from typing import Any

import dace
from dace import subsets

from daad.codegen.cpp.tasklet import write_value
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import ONE_POINT
from daad.codegen.sdfg.fresh_elements import access, memlet_of
from daad.codegen.sdfg.nests import connect, line_info
from daad.codegen.sdfg.symbolic_forms import text
from daad.ir.nodes import Const, Expr, IndexValue, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family


def add_scalar(sdfg: Any, state: Any, value: Expr, name: str, dtype: str, context: Context) -> str:
    """Computes the value in `state` into a new scalar and returns the scalar's name."""
    lifetime, storage = dace.AllocationLifetime.SDFG, dace.StorageType.Register
    sdfg.add_scalar(name, getattr(dace, dtype), transient=True, lifetime=lifetime, storage=storage)
    code = write_value(value, dtype, context)
    state.set_default_lineinfo(line_info(None))
    tasklet = connect(state, state.label, ONE_POINT, code, context)
    tasklet.out_connectors = {"value__out": getattr(dace, dtype)}
    state.add_edge(tasklet, "value__out", access(state, name), None, memlet_of(name, subsets.Range([(0, 0, 1)])))
    return name


def condition_text(condition: Expr, context: Context) -> str | None:
    """A condition on loop variables and integers alone as DaCe's text, otherwise None."""
    if not isinstance(condition, Op):
        return None
    operation = OPERATIONS[condition.name]
    if operation.infix is None:
        return None
    if operation.family is Family.LOGIC:
        sides = [condition_text(a, context) for a in condition.args]
        return None if None in sides else f"({sides[0]}) {operation.infix[0]} ({sides[1]})"
    if operation.family is not Family.COMPARISON:
        return None
    operands = [_integer_text(a, context) for a in condition.args]
    return None if None in operands else f"{operands[0]} {operation.infix[0]} {operands[1]}"


def _integer_text(expr: Expr, context: Context) -> str | None:
    if isinstance(expr, IndexValue):
        return text(expr.form, context.names)
    if isinstance(expr, Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return str(expr.value)
    return None
