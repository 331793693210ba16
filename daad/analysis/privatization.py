"""Local arrays that each iteration of a loop writes before it reads them: iterations could have one of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.context import Scope
from daad.analysis.element_liveness import written_first
from daad.analysis.uses import Usage, touching_counts
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Array, Index, Loop, Nest
from daad.ir.walk import relocated


def private_in(loop: Loop, own: Collection[str], arrays: Mapping[str, Array], scope: Scope) -> frozenset[str]:
    """Those of the arrays `own`, which nothing but the loop touches, of which an iteration reads nothing that an
    earlier one, or what was before the loop, wrote."""
    return written_first(loop.body, loop.touched.intersection(own), arrays, scope.enter(loop))


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
