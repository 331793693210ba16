"""Which arrays a nest reads, and of which it assigns every element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.subscripts import subscripts
from daad.ir.affine import Affine
from daad.ir.memo import remembered
from daad.ir.nodes import Array, Assign, Nest, Range
from daad.ir.walk import loads

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Effect:
    """What an assign does: the arrays that it loads or updates, and the shape of an array that is new as a whole."""

    assign: Assign
    reads: frozenset[str]
    fills: Shape | None

    def before(self, live: frozenset[str], arrays: Mapping[str, Array]) -> frozenset[str]:
        """The arrays whose contents matter before the assign, if those of `live` do behind it."""
        target = self.assign.target.array
        return (live - {target} if self.fills == arrays[target].shape else live) | self.reads


@remembered
def effects(nest: Nest) -> tuple[Effect, ...]:
    """Of its assigns, the last one first; none where there are no points."""
    if any(r.width.is_const and r.width.const <= 0 for r in nest.domain):
        return ()
    return tuple(_effect(assign, nest.domain) for assign in reversed(nest.assigns))


def _effect(assign: Assign, domain: Sequence[Range]) -> Effect:
    values = (assign.value, *assign.target.index)
    names = {load.array for value in values for load in loads(value)}
    own = () if assign.op == "=" else (assign.target.array,)
    return Effect(assign, frozenset(names.union(own)), filled(assign, domain) if assign.op == "=" else None)


def covers(assign: Assign, domain: Sequence[Range], array: Array) -> bool:
    """Whether the nest certainly assigns to every element of the array."""
    return filled(assign, domain) == array.shape


def filled(assign: Assign, domain: Sequence[Range]) -> Shape | None:
    """The shape of an array of which every element is certainly assigned."""
    ranges = {r.var: r for r in domain}
    axes = subscripts(assign.target.index, ranges)
    sides = [axis.side(ranges) for axis in axes or ()]
    if axes is None or not all(low == Affine(0) and high.is_const for low, high in sides):
        return None
    others = ranges.keys() - {axis.var for axis in axes}
    has_points = all(ranges[n].width.is_const and ranges[n].width.const >= 1 for n in others)
    return tuple(high.const for _, high in sides) if has_points else None
