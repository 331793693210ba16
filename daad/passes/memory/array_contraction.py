"""Local arrays of which each iteration of a loop has a part of its own hold one such part, over and over.

    program f(x: float64[5, 9], y: float64[5, 9])
      local t: float64[5, 9]
      loop i = 0 .. 5:
        for j in 0 .. 9:  t[i, j] = sin(x[i, j])
        for j in 1 .. 9:  y[i, j] = t[i, j] * t[i, j - 1]

becomes

    program f(x: float64[5, 9], y: float64[5, 9])
      local t: float64[9]
      loop i = 0 .. 5:
        for j in 0 .. 9:  t[j] = sin(x[i, j])
        for j in 1 .. 9:  y[i, j] = t[j] * t[j - 1]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from daad.analysis.context import Scope
from daad.analysis.own_intervals import own_axis
from daad.analysis.privatization import private_in
from daad.analysis.uses import Usage
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Array, Branch, Loop, Nest, Node, Program
from daad.ir.walk import node_loads, reindexed
from daad.passes.definition import Form, Pass, forms

PASS = Pass(
    "array-contraction",
    lambda program, goal: contract_arrays(program, goal.live),
    "Local arrays of which each iteration has a part of its own hold one such part.",
    source="Lefebvre and Feautrier 1998",
    requires=forms(Form.SLABBED),
)


def contract_arrays(program: Program, live: frozenset[str]) -> Program:
    """`x[i, j]` within `loop i` becomes `x[j]` where nothing else, and no later iteration, looks at it.

    `live` arrays are visible at the end.
    """
    contracting = _Contracting({**program.arrays})
    body = contracting.body(program.body, Usage(program, live).hidden, Scope())
    return replace(program, body=body, arrays=contracting.arrays)


@dataclass(frozen=True)
class _Contracting:
    """Goes through bodies, outer ones first; `arrays` as they are now."""

    arrays: dict[str, Array]

    def body(self, body: tuple[Node, ...], own: Collection[str], scope: Scope) -> tuple[Node, ...]:
        """`own`: arrays that nothing but the body touches, nor anybody looks at."""
        users: dict[str, list[int]] = {}
        for position, node in enumerate(body):
            for name in node.touched:
                users.setdefault(name, []).append(position)
        alone = {name: at[0] for name, at in users.items() if len(at) == 1 and name in own}
        mine = [frozenset(name for name, at in alone.items() if at == position) for position in range(len(body))]
        return tuple(self._node(node, names, scope) for node, names in zip(body, mine, strict=True))

    def _node(self, node: Node, own: frozenset[str], scope: Scope) -> Node:
        own -= {load.array for load in node_loads(node)}
        if isinstance(node, Nest) or not own:
            return node
        if isinstance(node, Branch):
            sides = (node.then, node.orelse)
            touched = [frozenset[str]().union(*(n.touched for n in side)) for side in sides]
            then, orelse = (self.body(side, own - touched[1 - n], scope) for n, side in enumerate(sides))
            return replace(node, then=then, orelse=orelse)
        private = private_in(node, own, self.arrays, scope)
        axes = {name: axis for name in sorted(private) if (axis := self._axis(node, name)) is not None}
        self.arrays.update({name: _smaller(self.arrays[name], axis) for name, axis in axes.items()})
        body = _without_axes(node.body, axes)
        return replace(node, body=self.body(body, private, scope.enter(node)))

    def _axis(self, loop: Loop, name: str) -> int | None:
        return None if self.arrays[name].extents else own_axis(loop.body, name, loop.var)


def _smaller(array: Array, axis: int) -> Array:
    return replace(array, shape=without(array.shape, (axis,)))


def _without_axes(body: tuple[Node, ...], axes: Mapping[str, int]) -> tuple[Node, ...]:
    changes = {name: partial(without, axes=(axis,)) for name, axis in axes.items()}
    return tuple(reindexed(node, changes) for node in body) if axes else body
