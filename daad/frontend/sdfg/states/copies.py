"""Copies between regions of equal size and whatever shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from daad.errors import Location
from daad.frontend.sdfg.locations import refused
from daad.frontend.sdfg.states.writes import Update, assign_of
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, add, apply, literal, multiply
from daad.frontend.sdfg.values.containers import ZERO, Region
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Load, Nest, Node, Range


@dataclass(frozen=True)
class Domain:
    """Fresh domain variables for a shape."""

    ranges: tuple[Range, ...]

    @property
    def index(self) -> tuple[Affine, ...]:
        return tuple(Affine.of(r.var) for r in self.ranges)


def domain_of(shape: Sequence[Value], scope: Scope, at: Location | None, hint: str = "i") -> Domain:
    """Variables `i`, `j`, `k`, … running over a shape."""
    ranges: list[Range] = []
    for size in shape:
        if not isinstance(size, Affine):
            raise refused("The size of a copied or reduced part is read from data.", at)
        variable = scope.variable(chr(ord(hint) + len(ranges)) if len(ranges) < 6 else f"{hint}{len(ranges)}")
        ranges.append(Range(variable, ZERO, size))
        scope = scope.inside(variable)
    return Domain(tuple(ranges))


def copy(source: Region, target: Region, wcr: Any, scope: Scope, at: Location | None) -> tuple[Node, ...]:
    """`target = source`, element by element in C order; an overlapping copy goes through a temporary."""
    if source.place.array.name == target.place.array.name:
        return _copy_within(source, target, wcr, scope, at)
    domain, read, write = _paired(source.squeezed(), target.squeezed(), scope, at)
    value = source.squeezed().load(read)
    update = Update(target.squeezed().access(write), target.place.array.dtype, value, wcr)
    return (Nest(domain.ranges, (assign_of(update, at),), at),)


def _copy_within(source: Region, target: Region, wcr: Any, scope: Scope, at: Location | None) -> tuple[Node, ...]:
    """Through a temporary of the target's shape: the parts may overlap."""
    source, target = source.squeezed(), target.squeezed()
    if source == target and wcr is None:
        return ()
    sizes = [literal(size) for size in target.shape]
    if any(size is None for size in sizes):
        raise refused("A part of an array is copied to another part of it, of a size that changes.", at)
    shape = tuple(int(size) for size in sizes if size is not None)
    array = scope.arrays.add(f"{source.place.array.name}_copy", shape, source.place.array.dtype)
    domain, read, write = _paired(source, target, scope, at)
    plain = Domain(domain.ranges)
    if len(domain.ranges) != len(shape):
        raise refused("A part of an array is copied to another part of it, of another shape.", at)
    keep = Assign(Access(array.name, plain.index), "=", source.load(read))
    update = Update(target.access(write), target.place.array.dtype, Load(array.name, plain.index, array.dtype), wcr)
    return Nest(plain.ranges, (keep,), at), Nest(plain.ranges, (assign_of(update, at),), at)


Index = tuple[Value, ...]


def _paired(source: Region, target: Region, scope: Scope, at: Location | None) -> tuple[Domain, Index, Index]:
    """A domain over both regions, and each region's index in it."""
    if source.shape == target.shape:
        domain = domain_of(target.shape, scope, at)
        return domain, domain.index, domain.index
    shapes = [_numbers(region, at) for region in (source, target)]
    if prod(shapes[0]) != prod(shapes[1]):
        raise refused(f"A copy from shape {shapes[0]} to shape {shapes[1]} does not fit.", at)
    common = refined(*shapes)
    if common is None:
        domain = domain_of(target.shape, scope, at)
        return domain, _relinearised(domain.index, shapes[1], shapes[0]), domain.index
    domain = domain_of(tuple(map(Affine, common)), scope, at)
    read, write = (grouped(domain.index, common, shape) for shape in shapes)
    return domain, read, write


def _numbers(region: Region, at: Location | None) -> tuple[int, ...]:
    sizes = [literal(size) for size in region.shape]
    if any(size is None for size in sizes):
        raise refused("A copy changes the shape of a part whose size changes.", at)
    return tuple(int(size) for size in sizes if size is not None)


def refined(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """The coarsest shape that both shapes are groupings of: (12,) and (3, 4) give (3, 4); None if there is none."""
    common: list[int] = []
    left, right = list(reversed(first)), list(reversed(second))
    while left and right:
        a, b = left.pop(), right.pop()
        small, large = min(a, b), max(a, b)
        if large % small:
            return None
        # The larger one's leading factor must be the smaller one.
        common.append(small)
        if large > small:
            (left if a > b else right).append(large // small)
    return tuple(n for n in common if n != 1) if not any(n != 1 for n in left + right) else None


def grouped(index: Sequence[Affine], common: Sequence[int], shape: Sequence[int]) -> Index:
    """The index of `shape` for an index of its refinement `common`."""
    result: list[Value] = []
    remaining = list(zip(index, common, strict=True))
    for size in shape:
        form, covered = Affine(0), 1
        while covered < size:
            i, n = remaining.pop(0)
            form, covered = form * n + i, covered * n
        result.append(form)
    return tuple(result)


def _relinearised(index: Sequence[Value], shape: Sequence[int], other: Sequence[int]) -> Index:
    """The index of `other` at the same position in C order, by division and remainder."""
    position: Value = Affine(0)
    for i, size in zip(index, shape, strict=True):
        position = add(multiply(position, Affine(size)), i)
    result: list[Value] = []
    for size in reversed(other):
        result.append(apply("remainder", position, Affine(size)))
        position = apply("floor_divide", position, Affine(size))
    return tuple(reversed(result))
