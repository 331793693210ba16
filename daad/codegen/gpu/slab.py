"""Where local arrays lie in the memory that a program reserves on the GPU."""

from __future__ import annotations

from daad.analysis.cost.placement import Placement, place
from daad.ir.nodes import Program

ALIGNED = 256
NUMBER = 8
"""Bytes for a scalar."""


def slab(program: Program) -> Placement:
    """Arrays share memory where they never hold anything at the same time; scalars lie behind them, each on its own."""
    placed = place(program)
    outer = {*program.parameters, *program.results}
    scalars = [a.name for a in program.arrays.values() if a.name not in outer and not a.shape]
    start = -(-placed.nbytes // ALIGNED) * ALIGNED
    offsets = {**placed.offsets, **{name: start + NUMBER * k for k, name in enumerate(scalars)}}
    return Placement(offsets, start + NUMBER * len(scalars))
