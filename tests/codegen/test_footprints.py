"""Boxes of what nests touch, compared with all elements that they touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

import daad
from daad.analysis.regular_sections import Box
from daad.codegen.cpp.tasklet import write_tasklet
from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.footprints import footprints
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import schedule_nest
from daad.codegen.schedule.strides import offset
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Load, Loop, Nest, Program
from daad.ir.walk import loads
from tests.texts import program

ARRAYS = "A: float64[9, 12], B: float64[9, 12], x: float64[12], k: int64[12], s: float64[]"
# A body, and the box that the innermost nest has of each array: what is read, what is written.
ROWS: dict[str, tuple[str, Mapping[str, tuple[str | None, str | None]]]] = {
    "a stencil": (
        "for i in 1 .. 8, j in 2 .. 12:\n  A[i, j] = B[i - 1, j - 2] + B[i + 1, j - 1]",
        {"A": (None, "1 .. 8, 2 .. 12"), "B": ("0 .. 9, 0 .. 11", None)},
    ),
    "rows of a loop": (
        "loop t = 1 .. 9:\n  for j in 0 .. 12:\n    A[t, j] += A[t - 1, j] * s",
        {"A": ("t - 1 .. t + 1, 0 .. 12", "t .. t + 1, 0 .. 12"), "s": ("", None)},
    ),
    "a triangle": (
        "loop t = 0 .. 9:\n  for j in t .. 12:\n    A[t, j] = x[j - t]",
        {"A": (None, "t .. t + 1, t .. 12"), "x": ("0 .. -t + 12", None)},
    ),
    "backwards": (
        "for j in 0 .. 12:\n  A[2, j] = x[-j + 11]",
        {"A": (None, "2 .. 3, 0 .. 12"), "x": ("0 .. 12", None)},
    ),
    "a gather": ("for j in 3 .. 7:\n  x[j] = B[2, k[j]]", {"B": ("2 .. 3, 0 .. 12", None), "k": ("3 .. 7", None)}),
    "guarded": (
        "for j in 0 .. 12:\n  x[j] = where(j < 9, B[j, 4], s)",
        {"B": ("0 .. 9, 4 .. 5", None), "x": (None, "0 .. 12")},
    ),
    "bounds that cannot be compared": (
        "loop t = 0 .. 9:\n  loop u = 0 .. 9:\n    for j in 0 .. 1:\n      A[t, 0] = B[u, 1] + B[t, 2]",
        {"A": (None, "t .. t + 1, 0 .. 1"), "B": ("0 .. 9, 1 .. 3", None)},
    ),
}


def innermost(made: Program) -> tuple[Nest, Context]:
    context, node = Context(made, name_everything(made)), made.body[0]
    while isinstance(node, Loop):
        context, node = context.inside_loop(node), node.body[0]
    assert isinstance(node, Nest)
    return node, context


def shown(box: Box | None) -> str | None:
    return None if box is None else ", ".join(f"{low} .. {high}" for low, high in box)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_boxes(row: tuple[str, Mapping[str, tuple[str | None, str | None]]]) -> None:
    body, expected = row
    nest, context = innermost(program("p", ARRAYS, body))
    found = footprints(nest, nest.domain, context)
    assert {name: (shown(found[name].read), shown(found[name].written)) for name in expected} == expected


@pytest.mark.parametrize("body", [row[0] for row in ROWS.values()], ids=ROWS)
def test_every_element_touched_lies_in_the_box(body: str) -> None:
    nest, context = innermost(program("p", ARRAYS, body))
    found = footprints(nest, nest.domain, context)
    for values in points(context.known.ranges):
        domain = [range(r.start.evaluate(values), r.stop.evaluate(values)) for r in nest.domain]
        for point in product(*domain):
            here = {**values, **{r.var: v for r, v in zip(nest.domain, point, strict=True)}}
            for access, is_written in touched(nest):
                mark = found[access.array]
                box = mark.written if is_written else mark.read
                assert box is not None
                for index, (low, high), extent in zip(
                    access.index, box, context.arrays[access.array].shape, strict=True
                ):
                    assert 0 <= low.evaluate(values) <= high.evaluate(values) <= extent
                    is_reached = isinstance(index, Affine) and index.evaluate(here) < extent
                    assert not is_reached or low.evaluate(values) <= index.evaluate(here) < high.evaluate(values)


def points(ranges: Mapping[str, tuple[int, int]]) -> Iterator[dict[str, int]]:
    """All values of the variables of loops around."""
    for chosen in product(*(range(low, high + 1) for low, high in ranges.values())):
        yield dict(zip(ranges, chosen, strict=True))


def touched(nest: Nest) -> Iterator[tuple[Access | Load, bool]]:
    for assign in nest.assigns:
        yield assign.target, True
        yield from ((load, False) for value in (assign.value, *assign.target.index) for load in loads(value))


def test_the_offset_is_the_position_of_an_element() -> None:
    assert str(offset((Affine.of("t") - 1, Affine(3)), (9, 12))) == "12*t - 9"


def test_positions_have_no_variables_of_the_origin() -> None:
    """These count from the array's first element; others from where the memlet's box begins."""
    nest, context = innermost(program("p", ARRAYS, ROWS["a triangle"][0]))
    marks = footprints(nest, nest.domain, context)
    code = write_tasklet(nest, schedule_nest(nest, context, by_pointer=True), context, footprints=marks)
    assert code.text.startswith("auto* const A__start = A__out - (13*t);")
    assert "A__start[j + 12*t] = x__in[j - t];" in code.text
    assert [(c.array, shown(c.box)) for c in code.outputs] == [("A", "t .. t + 1, t .. 12")]


def test_memlets_say_what_tasklets_touch() -> None:
    """Also of products, and of maps around what is a loop of the tasklet."""

    def smoothed(x: Any) -> Any:
        y = np.zeros((9, 12))
        y[1:-1, 2:] = x[:-2, 2:] * x[2:, :-2]
        return np.sum((y[3:, 1:] @ x[2:, 1:].T)[2:, 0])

    gradient = daad.grad(smoothed)
    gradient(np.ones((9, 12)))
    sdfg = gradient.to_sdfg()
    sdfg.validate()
    found = {str(e.data) for e, _ in sdfg.all_edges_recursive() if getattr(e.data, "data", "") == "y"}
    assert found == {"y[0:9, 0:12]", "y[1:8, 2:12]", "y[i, j]", "y[3:9, 1:12]"}
