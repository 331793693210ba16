"""Fuses nests: before differentiation one nest per statement, so that nothing between is stored or forwarded."""

from __future__ import annotations

from daad.optimize.accumulators import accumulate_in_place
from daad.optimize.inline import inline_definitions, is_worth_it
from daad.program.nodes import Program


def fuse(program: Program, live: frozenset[str]) -> Program:
    """Local arrays go into their readers, sums into their targets; `live` arrays are visible at the end."""
    return accumulate_in_place(inline_definitions(program, live, is_worth_it), live)
