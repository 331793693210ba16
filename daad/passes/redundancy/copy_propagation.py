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

from collections.abc import Mapping
from dataclasses import replace

from daad.analysis.coverage import covers
from daad.analysis.uses import Usage, Users
from daad.ir.nodes import Load, Nest, Node, Program
from daad.ir.walk import renamed
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
    while (shorter := _without_copies(program, live)) is not program:
        program = shorter
    return program


def _without_copies(program: Program, live: frozenset[str]) -> Program:
    """Local arrays become the arrays that they are copied to in the end."""
    usage, users = Usage(program, live), Users.of(program.body)
    body: list[Node | None] = list(program.body)
    names: dict[str, str] = {}
    for position, node in enumerate(program.body):
        copied = _copied(node, usage)
        if copied is None:
            continue
        source, target = (_final(name, names) for name in copied)
        if source != target and source in usage.hidden and _may_share(source, target, position, users):
            users.replace(position, renamed(node, dict(zip(copied, (source, target), strict=True))), None)
            users.rename(source, target)
            names[source] = target
            body[position] = None
    if not names:
        return program
    final = {name: _final(name, names) for name in names}
    return replace(program, body=tuple(renamed(node, final) for node in body if node is not None))


def _final(name: str, names: Mapping[str, str]) -> str:
    while name in names:
        name = names[name]
    return name


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


def _may_share(source: str, target: str, position: int, users: Users) -> bool:
    """Whether nobody sees the target before the copy, and afterwards not both arrays change or are read."""
    if users.writes(target, stop=position) or users.loads(target, stop=position) or users.writes(source, position + 1):
        return False
    return not users.writes(target, position + 1) or not users.loads(source, position + 1)
