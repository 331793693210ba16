"""What an array held before it is overwritten as a whole becomes an array of its own: it may be smaller, or vanish.

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = sin(x[i])
      for i in 0 .. 8:  y[i] = t[i + 1]
      for i in 0 .. 9:  t[i] = cos(x[i])
      for i in 0 .. 8:  y[i] += t[i + 1]

becomes

    program f(x: float64[9], y: float64[9])
      local t: float64[9], t_1: float64[9]
      for i in 0 .. 9:  t_1[i] = sin(x[i])
      for i in 0 .. 8:  y[i] = t_1[i + 1]
      for i in 0 .. 9:  t[i] = cos(x[i])
      for i in 0 .. 8:  y[i] += t[i + 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from daad.analysis.coverage import covers
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Nest, Node, Program
from daad.ir.walk import loads, renamed
from daad.passes.definition import Pass

Names = frozenset[str]
Body = tuple[Node, ...]
Place = tuple[int, int]
"""An assign of a nest of a body, by the positions of both."""


PASS = Pass(
    "array-renaming",
    lambda program, goal: rename_arrays(program, goal.live | goal.recomputed),
    "What an array held before it is overwritten as a whole is an array of its own.",
    source="Knobe and Sarkar 1998 (array SSA)",
)


def rename_arrays(program: Program, live: Names) -> Program:
    """Arrays are told apart that one statement of the program's own body after another overwrites as a whole.

    The last version keeps the name. Arrays of `live` stay as they are, unless they are results.
    """
    fixed = {*program.parameters, *(live - {*program.results})}
    arrays, body = dict(program.arrays), program.body
    names = NameSupply.of(program)
    places: dict[str, list[Place]] = {}
    for name, place in _overwritings(program):
        places.setdefault(name, []).append(place)
    touching: dict[str, list[int]] = {}
    for position, node in enumerate(body):
        for name in node.touched:
            touching.setdefault(name, []).append(position)
    for name in sorted(places.keys() - fixed):
        array = newer = arrays[name]
        for place in reversed(places[name]):
            older = names.free(name)
            before = _before(body, place, touching[name], newer.name, older)
            if before is body:
                break
            body, newer = before, replace(array, name=older)
            names.take(older)
            arrays[older] = newer
    return replace(program, body=body, arrays=arrays)


def _overwritings(program: Program) -> Iterator[tuple[str, Place]]:
    """Arrays, and the assigns that write every element whatever the array held."""
    for position, node in enumerate(program.body):
        for number, assign in enumerate(node.assigns if isinstance(node, Nest) else ()):
            array: Array = program.arrays[assign.target.array]
            read = {load.array for load in loads(assign.value)}
            if assign.op == "=" and not array.extents and array.name not in read:
                assert isinstance(node, Nest), "only nests have assigns"
                if covers(assign, node.domain, array):
                    yield array.name, (position, number)


def _before(body: Body, place: Place, touching: Sequence[int], old: str, new: str) -> Body:
    """The body with another array in the place of one, as far as an assign; only nodes `touching` may touch it."""
    position, number = place
    nest = body[position]
    assert isinstance(nest, Nest), "a place is in a nest"
    part = renamed(replace(nest, assigns=nest.assigns[:number]), {old: new})
    assert isinstance(part, Nest), "names do not change what a node is"
    out = list(body)
    for n in touching:
        if n < position and old in out[n].touched:
            out[n] = renamed(out[n], {old: new})
    if part.assigns != nest.assigns[:number]:
        out[position] = replace(nest, assigns=(*part.assigns, *nest.assigns[number:]))
    return body if all(a is b for a, b in zip(out, body, strict=True)) else tuple(out)
