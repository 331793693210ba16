"""Local arrays that each iteration of a loop writes before it reads them: iterations could have one of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.alias import reads_of
from daad.analysis.context import Scope
from daad.analysis.element_liveness import Facts, sweep
from daad.analysis.regular_sections import Box, Known, add, covers, exact, hull, intersection, whole
from daad.analysis.subscripts import subscript
from daad.analysis.uses import Usage, touching_counts
from daad.ir.affine import Affine
from daad.ir.index_maps import without
from daad.ir.nodes import Array, Index, Loop, Nest, Node
from daad.ir.walk import nests, node_loads, relocated, walk


def private_in(loop: Loop, own: Collection[str], arrays: Mapping[str, Array], scope: Scope) -> frozenset[str]:
    """Those of the arrays `own`, which nothing but the loop touches, of which an iteration reads nothing that an
    earlier one, or what was before the loop, wrote."""
    shapes = {name: array.shape for name, array in arrays.items()}
    touched = sorted(loop.touched.intersection(own))
    dead = {name: add((), whole(shapes[name]), scope) for name in touched}
    inner = scope.enter(loop)
    before = sweep(loop.body, dead, Facts(shapes), inner).dead
    return frozenset(name for name in touched if covers(before[name], whole(shapes[name]), inner))


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
    local = sorted(name for name in inside if name in usage.hidden and inside[name] == outside[name])
    return [name for name in local if _is_written_first(name, body, usage.program.arrays[name].shape, scope)]


def _is_written_first(name: str, body: Sequence[Nest], shape: tuple[int, ...], scope: Scope) -> bool:
    known: Known = ()
    for nest in nests(tuple(body)):
        for assign in nest.assigns:
            touched = [load.index for load in reads_of(assign) if load.array == name]
            own = assign.target if assign.target.array == name else None
            if own and assign.op != "=":
                touched.append(own.index)
            if not all(
                covers(known, _inside(hull(index, nest.domain, shape), shape, scope), scope) for index in touched
            ):
                return False
            written = exact(own.index, nest.domain, shape) if own and assign.op == "=" else None
            known = add(known, written, scope) if written is not None else known
    return True


def _inside(box: Box, shape: Sequence[int], scope: Scope) -> Box:
    """Without what lies outside of the array, which is named under conditions only and never read."""
    return intersection(box, whole(shape), scope) or box


def with_copies(nest: Nest, copies: Mapping[str, Copies], row: Affine) -> Nest:
    """The nest on the copies of a row."""
    moved = relocated(nest, lambda name, index: copies[name].place(row, index) if name in copies else None)
    assert isinstance(moved, Nest), "accesses do not change what a node is"
    return moved
