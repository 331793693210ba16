"""Local arrays that each iteration of a loop writes before it reads them: iterations could have one of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.context import Scope
from daad.analysis.element_liveness import written_first
from daad.analysis.subscripts import subscript
from daad.analysis.uses import Usage, touching_counts
from daad.ir.affine import Affine
from daad.ir.index_maps import without
from daad.ir.nodes import Array, Index, Loop, Nest, Node
from daad.ir.walk import node_loads, relocated, walk


def private_in(loop: Loop, own: Collection[str], arrays: Mapping[str, Array], scope: Scope) -> frozenset[str]:
    """Those of the arrays `own`, which nothing but the loop touches, of which an iteration reads nothing that an
    earlier one, or what was before the loop, wrote."""
    return written_first(loop.body, loop.touched.intersection(own), arrays, scope.enter(loop))


def own_axis(body: Iterable[Node], name: str, var: str) -> int | None:
    """The axis along which all accesses of the array are at one distance from a variable.

    No two iterations of a loop over the variable then touch the same element.
    """
    found: set[tuple[int, Affine]] | None = None
    bound: set[str] = set()
    for node in walk(tuple(body)):
        if isinstance(node, Nest):
            bound |= {r.var for r in node.domain}
        elif isinstance(node, Loop):
            bound.add(node.var)
        for index in _indices(node, name):
            axes = enumerate(subscript(form, {var}) for form in index)
            here = {(k, axis.shift) for k, axis in axes if axis is not None and axis.sign > 0}
            found = here if found is None else found & here
    return min((axis for axis, distance in found or () if not bound & set(distance.names)), default=None)


def _indices(node: Node, name: str) -> Iterator[tuple[Index, ...]]:
    if isinstance(node, Nest):
        yield from (a.target.index for a in node.assigns if a.target.array == name)
    yield from (load.index for load in node_loads(node) if load.array == name)


@dataclass(frozen=True)
class Copies:
    """One copy for each row of a tile of an array that is private to a row; `axis` is the one along which each row has
    a place of its own already, if there is such a one."""

    array: Array
    axis: int | None

    def place(self, row: Affine, index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
        """The copy of the row, and where an element is in it."""
        return self.array.name, (row, *without(index, () if self.axis is None else (self.axis,)))


def private_arrays(body: Sequence[Nest], usage: Usage, scope: Scope) -> list[str]:
    """Arrays that nothing but the body touches, and of which it reads nothing that another iteration wrote."""
    inside, outside = touching_counts(body), usage.touching
    local = [name for name in inside if name in usage.hidden and inside[name] == outside[name]]
    return sorted(written_first(tuple(body), local, usage.program.arrays, scope))


def with_copies(nest: Nest, copies: Mapping[str, Copies], row: Affine) -> Nest:
    """The nest on the copies of a row."""
    moved = relocated(nest, lambda name, index: copies[name].place(row, index) if name in copies else None)
    assert isinstance(moved, Nest), "accesses do not change what a node is"
    return moved
