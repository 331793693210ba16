"""Nothing is read under a condition: GCC 12 takes masked loads from wrong places (PR 114375, and another)."""

from __future__ import annotations

import re

import dace
import pytest

from daad.lower import lower
from daad.program.nodes import Program

from . import programs

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
