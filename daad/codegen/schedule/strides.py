"""Where accesses lie in memory: strides of C-ordered arrays, positions as affine forms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from daad.analysis.subscripts import UNBOUNDED, told
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Load, Range


def strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Distances between neighbours in elements."""
    result: list[int] = []
    step = 1
    for extent in reversed(shape):
        result.append(step)
        step *= max(extent, 1)
    return tuple(reversed(result))


def offset(index: Iterable[Affine], shape: tuple[int, ...]) -> Affine:
    """The distance of an element from the first one."""
    return sum((i * stride for i, stride in zip(index, strides(shape), strict=True)), start=Affine(0))


def position(access: Access | Load, array: Array) -> Affine | None:
    """The distance from the array's first element, None for a gather."""
    index = [i for i in access.index if isinstance(i, Affine)]
    return offset(index, array.shape) if len(index) == len(access.index) else None


def injective_variables(
    access: Access, array: Array, domain: Collection[Range], most: Mapping[str, int]
) -> frozenset[str]:
    """Domain variables such that points that differ in any of them never meet at one place.

    `most` values each variable has.
    """
    return told(_within_axes(access, array, domain), {r.var: most.get(r.var, UNBOUNDED) for r in domain})


def _within_axes(access: Access, array: Array, domain: Collection[Range]) -> list[Affine]:
    """The indices, those that run beyond their axis together with the one before: `flatten` makes such ones, of ranges
    between constants."""
    steps = {r.var: r.width.const - 1 for r in domain if r.start.is_const and r.stop.is_const}
    found: list[Affine] = []
    rest, length = Affine(0), 1
    for index, size in reversed(tuple(zip(access.index, array.shape, strict=True))):
        if not isinstance(index, Affine):
            if rest.terms:
                return found
            continue
        rest, length = rest + index * length, length * size
        if sum(abs(c) * steps.get(name, 0) for name, c in rest.terms) < length:
            found.append(rest)
            rest, length = Affine(0), 1
    return [*found, rest] if rest.terms else found
