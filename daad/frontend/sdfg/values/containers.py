"""What an SDFG's data names stand for: arrays of the Program, seen directly, through views or through subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.frontend.sdfg.values.arithmetic import Value, add, literal, multiply
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Index, Load

ZERO = Affine(0)


@dataclass(frozen=True)
class Dimension:
    """One index of the array: `origin + sum(factor * index)` over the indices of the name that stands for it."""

    origin: Value
    factors: tuple[int, ...]

    def at(self, index: Sequence[Value]) -> Value:
        terms = [multiply(i, Affine(factor)) for i, factor in zip(index, self.factors, strict=True) if factor]
        return add(self.origin, *terms) if terms else self.origin


@dataclass(frozen=True)
class Place:
    """A data name of `rank` dimensions as a window on an array."""

    array: Array
    rank: int
    dimensions: tuple[Dimension, ...]

    def at(self, index: Sequence[Value]) -> tuple[Index, ...]:
        """The array's index for an index of the name; a scalar's single zero may be left out or added."""
        if len(index) != self.rank:
            assert all(literal(i) == 0 for i in index), f"'{self.array.name}' has {self.rank} dimensions"
            index = (ZERO,) * self.rank
        return tuple(d.at(index) for d in self.dimensions)

    def load(self, index: Sequence[Value]) -> Load:
        return Load(self.array.name, self.at(index), self.array.dtype)

    def access(self, index: Sequence[Value]) -> Access:
        return Access(self.array.name, self.at(index))


def whole(array: Array) -> Place:
    """The name stands for the array itself."""
    rank = len(array.shape)
    units = (tuple(int(i == k) for i in range(rank)) for k in range(rank))
    return Place(array, rank, tuple(Dimension(ZERO, unit) for unit in units))


@dataclass(frozen=True)
class Region:
    """A rectangular part of a place: along each of its `axes` an index runs from 0 up to `size`."""

    place: Place
    starts: tuple[Value, ...]
    steps: tuple[int, ...]
    sizes: tuple[Value, ...]
    axes: tuple[int, ...]

    @property
    def shape(self) -> tuple[Value, ...]:
        return tuple(self.sizes[axis] for axis in self.axes)

    def inner(self, index: Sequence[Value]) -> tuple[Value, ...]:
        """The place's index."""
        offsets = dict(zip(self.axes, index, strict=True))
        return tuple(
            add(start, multiply(offsets[k], Affine(step))) if k in offsets else start
            for k, (start, step) in enumerate(zip(self.starts, self.steps, strict=True))
        )

    def load(self, index: Sequence[Value]) -> Load:
        return self.place.load(self.inner(index))

    def access(self, index: Sequence[Value]) -> Access:
        return self.place.access(self.inner(index))

    def squeezed(self) -> Region:
        """Without the axes of size one."""
        return replace(self, axes=tuple(axis for axis in self.axes if literal(self.sizes[axis]) != 1))

    def of_rank(self, rank: int) -> Region:
        """Without leading axes of size one until `rank` axes are left."""
        axes = list(self.axes)
        for axis in self.axes:
            if len(axes) > rank and literal(self.sizes[axis]) == 1:
                axes.remove(axis)
        return replace(self, axes=tuple(axes))
