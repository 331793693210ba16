"""Copies that are not needed: of an array that stays as it is, and of a local array that is not used any more.

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = x[i]
      for i in 0 .. 9:  y[i] = sin(t[i])

becomes

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  y[i] = sin(x[i])
"""

from __future__ import annotations

from dataclasses import replace

from daad.analysis.coverage import covers
from daad.analysis.uses import Usage, read_arrays
from daad.ir.nodes import Load, Nest, Node, Program
from daad.ir.walk import relocated, writes
from daad.passes.definition import Pass
from daad.passes.scalar.forward_substitution import inline_definitions, is_copy

PASS = Pass(
    "copy-propagation",
    lambda program, goal: propagate_copies(program, goal.live),
    "Readers of a copy read what it was made from.",
    source="Muchnick 1997, 12.5",
)


def propagate_copies(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    program = inline_definitions(program, live, is_copy)
    while (shorter := _without_one_copy(program, live)) is not program:
        program = shorter
    return program


def _without_one_copy(program: Program, live: frozenset[str]) -> Program:
    """A local array becomes the array that it is copied to in the end."""
    usage = Usage(program, live)
    for position, node in enumerate(program.body):
        names = _copied(node, usage)
        if names is not None and _may_share(*names, program.body[:position], program.body[position + 1 :]):
            rest = (*program.body[:position], *program.body[position + 1 :])
            return replace(program, body=tuple(renamed(n, *names) for n in rest))
    return program


def _copied(node: Node, usage: Usage) -> tuple[str, str] | None:
    """Source and target of a copy of a whole local array."""
    if not isinstance(node, Nest) or len(node.assigns) != 1:
        return None
    assign = node.assigns[0]
    value, target, arrays = assign.value, assign.target, usage.program.arrays
    if assign.op != "=" or not isinstance(value, Load) or value.index != target.index or value.array == target.array:
        return None
    source, array = arrays[value.array], arrays[target.array]
    same = source.shape == array.shape and source.dtype == array.dtype
    if not same or source.name not in usage.hidden or not covers(assign, node.domain, array):
        return None
    return source.name, array.name


def _may_share(source: str, target: str, before: tuple[Node, ...], after: tuple[Node, ...]) -> bool:
    if target in writes(before) or any(target in read_arrays(n) for n in before):
        return False
    if source in writes(after):
        return False
    return target not in writes(after) or not any(source in read_arrays(n) for n in after)


def renamed(node: Node, old: str, new: str) -> Node:
    """The node with one array in the place of another."""
    return relocated(node, lambda name, index: (new, index) if name == old else None)
