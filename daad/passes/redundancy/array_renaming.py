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

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from daad.analysis.coverage import covers
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Nest, Node, Program
from daad.ir.walk import altered, loads, renamed
from daad.passes.definition import Pass

Names = frozenset[str]
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
    arrays, body = dict(program.arrays), list(program.body)
    names = NameSupply.of(program)
    places: dict[str, list[Place]] = {}
    for name, place in _overwritings(program):
        places.setdefault(name, []).append(place)
    touching: dict[str, list[int]] = {}
    for position, node in enumerate(body):
        for name in node.touched:
            touching.setdefault(name, []).append(position)
    for name in sorted(places.keys() - fixed):
        versions = [name]
        for place in reversed(places[name]):
            if not _is_touched_before(body, place, touching[name], name):
                break
            versions.append(names.new(name))
            arrays[versions[-1]] = replace(arrays[name], name=versions[-1])
        told = _Versions(name, places[name], versions)
        for position in touching[name] if len(versions) > 1 else ():
            body[position] = told.of(body[position], position)
    return replace(program, body=tuple(body), arrays=arrays)


@dataclass(frozen=True)
class _Versions:
    """What an array is called: by the last of `names` at first, by one before with each of the places."""

    array: str
    places: Sequence[Place]
    names: Sequence[str]

    def of(self, node: Node, position: int) -> Node:
        """A node of the body as it is then."""
        if not isinstance(node, Nest):
            return renamed(node, {self.array: self._name(position, 0)})
        parts = [self._part(node, position, number) for number in range(len(node.assigns))]
        return altered(node, assigns=tuple(assign for part in parts for assign in part.assigns))

    def _part(self, nest: Nest, position: int, number: int) -> Nest:
        part: Node = replace(nest, assigns=(nest.assigns[number],))
        if self.array in part.touched:
            part = renamed(part, {self.array: self._name(position, number)})
        assert isinstance(part, Nest), "names do not change what a node is"
        return part

    def _name(self, position: int, number: int) -> str:
        return self.names[len(self.places) - bisect_right(self.places, (position, number))]


def _is_touched_before(body: Sequence[Node], place: Place, touching: Sequence[int], name: str) -> bool:
    """Whether the array is touched before an assign; only nodes `touching` touch it."""
    position, number = place
    nest = body[position]
    assert isinstance(nest, Nest), "a place is in a nest"
    return touching[0] < position or name in replace(nest, assigns=nest.assigns[:number]).touched


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
