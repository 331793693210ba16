"""Nothing is read under a condition: GCC 12 takes masked loads from wrong places (PR 114375, and another)."""

from __future__ import annotations

import re

import dace
import pytest

from daad.codegen import lower
from daad.ir.nodes import Program
from tests.codegen import programs
from tests.texts import program

PROGRAMS = [p for p in programs.ALL if p is not programs.PRODUCTS]  # where calls of BLAS stand under conditions
READ = re.compile(r"\w\[[^\[\]]*\]")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_conditions_choose_between_values_and_places(program: Program) -> None:
    nodes = (node for node, _ in lower(program).all_nodes_recursive())
    for tasklet in (node for node in nodes if isinstance(node, dace.nodes.Tasklet)):
        for line in tasklet.code.as_string.splitlines():
            assert not line.lstrip().startswith("if")
            _, mark, sides = re.sub(READ, "#", line).partition("?")
            assert not mark or "#" not in sides


BLOCKS = {
    "a place in a block": ("i in 4*t .. 4*t + 4", "x[i - 4*t]", True),
    "one behind it": ("i in 4*t .. 4*t + 4", "x[i - 4*t + 1]", False),
    "the last of a range that may be empty": ("i in 0 .. t", "x[t - 1]", False),
    "the one before in a range that may be empty": ("i in 0 .. t", "x[t - i - 1]", True),
}


@pytest.mark.parametrize(("domain", "read", "is_plain"), BLOCKS.values(), ids=BLOCKS)
def test_what_lies_within_an_array_is_read_on_either_side(domain: str, read: str, is_plain: bool) -> None:
    source = f"loop t = 0 .. 4:\n  for {domain}:  y[i] = {read} if y[i] > 0.5 else 0"
    built = program("blocks", "x: float64[4], y: float64[16]", source)
    nodes = (node for node, _ in lower(built).all_nodes_recursive())
    [code] = (node.code.as_string for node in nodes if isinstance(node, dace.nodes.Tasklet))
    assert (" : 0]" not in code) is is_plain
