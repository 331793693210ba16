"""Loops that threads share: as SDFGs that DaCe finds valid, and the same bits on any number of threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dace
import numpy as np
import pytest

from daad.codegen.dace_types import BYTE, FURTHER, SCRATCH, TEAM
from daad.codegen.sdfg.whole_program import lower
from daad.ir.nodes import Loop, Program, Sharing
from tests.codegen.running import arguments, assert_agrees, call, team_of
from tests.texts import program

ROWS = """
s = 0.5
loop t = 0 .. n:
  loop i = 0 .. 40:
    for j in 0 .. 300:  row[j] = s * x[i, j] + t
    total = 0
    for j in 0 .. 300:  total += row[j]
    for j in 0 .. 300:  y[i, j] = row[-j + 299] / (1.0 + total * total) + w[j]
  for i in 0 .. 40, j in 0 .. 300:  x[i, j] = y[-i + 39, j]
"""


def shared(step: int) -> Program:
    """Each thread has a row and a sum of its own, and reads a number and an array that are local, too."""
    made = program(
        "rows",
        "x: float64[40, 300], y: float64[40, 300]",
        "for j in 0 .. 300:  w[j] = 2.0 * x[0, j]\n" + ROWS,
        integers="n",
        local="row: float64[300], w: float64[300], total: float64[], s: float64[]",
    )
    loops = [node for node in made.body if isinstance(node, Loop)]
    inner = loops[0].body[0]
    assert isinstance(inner, Loop)
    ends = (inner.start, inner.stop) if step > 0 else (inner.stop - 1, inner.start - 1)  # type: ignore[operator]
    inner = replace(inner, start=ends[0], stop=ends[1], step=step, sharing=Sharing(1, 3, ("row", "total")))
    around = replace(loops[0], body=(inner, *loops[0].body[1:]))
    return replace(made, body=tuple(around if node is loops[0] else node for node in made.body))


@pytest.mark.parametrize("step", [1, -1])
def test_bits_do_not_depend_on_the_number_of_threads(step: int) -> None:
    made = shared(step)
    values = {**arguments(made), "n": 3}
    compiled, found = assert_agrees(made, values), []
    with team_of(compiled) as threads:
        for count in (1, 2, 3, 5):
            threads.value = count
            found.append(call(compiled, made, values)["x"])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_sdfg_is_valid_for_dace() -> None:
    sdfg = lower(shared(1))
    for one in (sdfg, dace.SDFG.from_json(sdfg.to_json())):
        one.validate()
        assert [node.map.params for node in maps(one) if node.map.schedule == TEAM] == [["i"]]
        own = {name: data for _, name, data in one.arrays_recursive() if FURTHER in data.location}
        assert [*own] == ["row"]
        assert own["row"].storage == SCRATCH
        assert int(own["row"].location[BYTE]) >= 0


def maps(sdfg: Any) -> list[Any]:
    return [node for node, _ in sdfg.all_nodes_recursive() if isinstance(node, dace.nodes.MapEntry)]
