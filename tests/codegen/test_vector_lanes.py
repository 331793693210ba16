"""Sums have a lane for each of some neighbouring iterations; what no statement changes is read before the loop."""

from __future__ import annotations

import numpy as np
import pytest

from daad.codegen.cpp.tasklet import write_tasklet
from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import schedule_nest
from daad.codegen.schedule.vector_lanes import lanes_of
from daad.ir.nodes import Loop, Nest, Program
from tests.codegen.running import arguments, assert_agrees
from tests.texts import program

ARRAYS = (
    "A: float64[80, 90], B: float64[90, 80], F: float32[80, 90], f: float32[80], n: int64[90], s: float64[], "
    "x: float64[80], y: float64[90], m: int64[]"
)
# name: (domain, statement, lanes)
ROWS = {
    "dot": ("j in 0 .. 90", "s += y[j] * A[3, j]", 8),
    "single precision": ("j in 0 .. 90", "f[2] += F[3, j]", 16),
    "backwards": ("j in 0 .. 90", "s += y[89 - j] * y[j]", 8),
    "rows": ("i in 0 .. 80, j in 0 .. 90", "x[i] += A[i, j] / y[j] - 1.0", 8),
    "an array that it writes too": ("j in 0 .. 70", "A[3, 80] += A[3, j] * A[4, j]", 8),
    "down a column": ("i in 0 .. 80", "s += A[i, 3] * x[i]", 8),
    "an index from an array": ("j in 0 .. 90", "s += y[n[j]]", 0),
    "columns": ("i in 0 .. 80, j in 0 .. 90", "y[j] += A[i, j]", 0),
    "few": ("j in 0 .. 7", "s += y[j]", 0),
    "calls": ("j in 0 .. 90", "s += exp(y[j])", 0),
    "much": ("j in 0 .. 90", "s += " + " * ".join(f"(A[3, j] + {n}.5 * y[j])" for n in range(20)), 0),
    "integers": ("j in 0 .. 90", "m += n[j]", 0),
    "the largest": ("j in 0 .. 90", "s max= y[j]", 0),
}

UPDATES = """
loop i = 79 .. -1 down:
  loop j = i - 1 .. -1 down:
    for k in 0 .. j:
      A[j, k] += A[i, j] * B[i, k]
      A[i, k] += A[i, j] * B[j, k]
"""
CHANGING = """
loop i = 1 .. 80:
  for k in 0 .. 1:
    A[i, k] += B[i, k]
    A[k, 3] += A[i, 0] * B[i, k]
"""
TRIANGLE = """
loop i = 1 .. 80:
  loop j = 0 .. i:
    for k in 0 .. j:  A[i, j] += -(A[i, k] * A[j, k])
    for k in j .. 80:  x[i] += B[j, k] * A[i, k]
    for k in 0 .. j:  f[i] += F[i, k] * F[j, k + 1]
"""


def code(made: Program) -> str:
    """The tasklet of the innermost nest."""
    context, node = Context(made, name_everything(made)), made.body[0]
    while isinstance(node, Loop):
        context, node = context.inside_loop(node), node.body[0]
    assert isinstance(node, Nest), "a nest is expected inside of the loops"
    return write_tasklet(node, schedule_nest(node, context), context).text


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_lanes(row: tuple[str, str, int]) -> None:
    domain, statement, lanes = row
    made = program("p", ARRAYS, f"for {domain}:\n  {statement}")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    context = Context(made, name_everything(made))
    assert lanes_of(nest, schedule_nest(nest, context), context) == lanes


AROUND = {
    "few": ("i in 0 .. 80, j in 0 .. 6", "y[j] += A[i, j] * x[i]", True),
    "single precision": ("i in 0 .. 80, j in 0 .. 5", "f[j] += F[i, j + 5]", True),
    "many": ("i in 0 .. 80, j in 0 .. 90", "y[j] += A[i, j] * x[i]", False),
    "divisions": ("i in 0 .. 80, j in 0 .. 6", "y[j] += A[i, j] / x[i]", False),
    "calls": ("i in 0 .. 80, j in 0 .. 6", "y[j] += exp(A[i, j])", False),
    "no sums": ("i in 0 .. 80, j in 0 .. 6", "B[j, i] += A[i, j]", False),
}


@pytest.mark.parametrize("row", AROUND.values(), ids=AROUND)
def test_sums_of_which_terms_are_computed_one_by_one(row: tuple[str, str, bool]) -> None:
    domain, statement, expected = row
    made = program("p", ARRAYS, f"for {domain}:\n  {statement}")
    assert ("if(simd:0)" in code(made)) is expected
    assert_agrees(made)


def test_what_all_points_read_is_read_before_the_loop() -> None:
    before, inside = code(program("p", "A: float64[80, 90], B: float64[80, 90]", UPDATES)).split("for")
    assert "= A__out[90*i + j];" in before
    assert "A__out[90*i + j]" not in inside


def test_what_a_point_may_change_is_read_in_order() -> None:
    assert_agrees(program("changing", "A: float64[80, 90], B: float64[80, 90]", CHANGING))


@pytest.mark.parametrize("special", [None, np.inf, np.nan])
def test_sums_of_all_lengths(special: float | None) -> None:
    arrays = "A: float64[80, 90], B: float64[80, 80], F: float32[80, 90], f: float32[80], x: float64[80]"
    made = program("triangle", arrays, TRIANGLE)
    values = arguments(made)
    values["A"] = values["A"] * 0.1
    if special is not None:
        values["B"][40, 50] = values["F"][30, 3] = special
    assert_agrees(made, values, rtol=1e-10)
