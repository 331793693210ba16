"""Fuses nests: before differentiation one nest per statement, so that nothing between is stored or forwarded.

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = sin(x[i])
      for i in 0 .. 9:  y[i] = t[i] * x[i]

becomes

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  y[i] = sin(x[i]) * x[i]
"""

from __future__ import annotations

from daad.ir.nodes import Program
from daad.passes.definition import Pass
from daad.passes.reductions.accumulation_forwarding import accumulate_in_place
from daad.passes.scalar.forward_substitution import Definition, Use, inline_definitions, is_deep, is_worth_it

Names = frozenset[str]


PASS = Pass(
    "vertical-fusion",
    lambda program, goal: fuse_vertically(program, goal.live, goal.recomputed),
    "Local arrays go into their readers, sums into their targets.",
    source="Ben-Nun et al. 2019 (map fusion)",
)


def fuse_vertically(program: Program, live: Names, recomputed: Names = frozenset()) -> Program:
    """Local arrays go into their readers, sums into their targets; `live` arrays are visible at the end.

    Arrays of `recomputed` go into their readers at any price, unless that makes expressions too deep.
    """

    def accept(definition: Definition, uses: list[Use]) -> bool:
        wanted = definition.array in recomputed and not is_deep(definition, uses)
        return wanted or is_worth_it(definition, uses)

    return accumulate_in_place(inline_definitions(program, live, accept), live)
