"""Loops over rows of a table take as long as all their iterations."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ilp.averages import averaged
from daad.ilp.statement_times import seconds
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.nodes import Access, Array, Assign, Const, Load, Loop, Nest, Node, Op, Range

ROWS, LARGEST = 12, 200
ARRAYS = {"x": Array("x", (LARGEST * ROWS,), "float64"), "table": Array("table", (ROWS, 3), "int64")}
TABLES = {
    "from the start": [(0, row, 0) for row in range(ROWS)],
    "one after the other": [(row, row + 1, 0) for row in range(ROWS)],
    "of different lengths": [(row // 2, row, 0) for row in range(ROWS)],
    "down": [(row, -1, 0) for row in range(ROWS)],
    "nowhere": [(3, 3, 0)] * ROWS,
}


def growing(var: str) -> Nest:
    """Takes as long as the variable says."""
    domain = (Range("i", Affine(0), Affine.of(var) * LARGEST),)
    place = (Affine.of("i"),)
    return Nest(domain, (Assign(Access("x", place), "=", const(0, "float64")),))


def over_rows(step: int, end: int) -> tuple[Node, ...]:
    """The bounds of the inner loop are the first columns of a row, the second one with a number added."""
    first, last = (Load("table", (Affine.of("row"), Affine(column)), "int64") for column in (0, 1))
    stop = Op("add", (last, Const(end, "int64")), "int64")
    inner = Loop("t", first, stop, step, (growing("t"),))
    return (Loop("row", Affine(0), Affine(ROWS), 1, (inner,)),)


def states(rows: list[tuple[int, ...]]) -> float:
    """Seconds to write the states that rows of a table say, of which each has its own place or which share one."""
    arrays = {"states": Array("states", (ROWS, 2**18), "float64"), "table": Array("table", (ROWS, 3), "int64")}
    first, last = (Load("table", (Affine.of("row"), Affine(column)), "int64") for column in (0, 1))
    place = (Affine.of("t"), Affine.of("i"))
    write = Nest((Range("i", Affine(0), Affine(2**18)),), (Assign(Access("states", place), "=", const(0, "float64")),))
    loop = Loop("row", Affine(0), Affine(ROWS), 1, (Loop("t", first, last, 1, (write,)),))
    return seconds(averaged((loop,), {"table": np.array(rows)}), arrays, {})


def test_states_at_places_of_their_own_are_far() -> None:
    apart, together = ([(row * each, row * each + 1, 0) for row in range(ROWS)] for each in (1, 0))
    assert states(apart) > 1.2 * states(together)


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("end", [0, 1])
def test_rows_take_what_their_iterations_take(rows: list[tuple[int, ...]], end: int) -> None:
    step = -1 if rows[-1][1] < rows[-1][0] else 1
    visited = [t for first, last, _ in rows for t in range(first, last + end, step)]
    found = seconds(averaged(over_rows(step, end), {"table": np.array(rows)}), ARRAYS, {})
    expected = sum(seconds((growing("t"),), ARRAYS, {"t": float(t)}) for t in visited)
    assert found == pytest.approx(expected, rel=0.04, abs=1e-9)
