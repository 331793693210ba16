"""Whether a nest assigns to every element of an array."""

from __future__ import annotations

from daad.program.affine import Affine
from daad.program.nodes import Array, Assign, Range


def covers(assign: Assign, domain: tuple[Range, ...], array: Array) -> bool:
    """Whether the nest certainly assigns to every element of the array."""
    ranges = {r.var: r for r in domain}
    for index, extent in zip(assign.target.index, array.shape, strict=True):
        if not isinstance(index, Affine) or len(index.names) > 1:
            return False
        if not index.names:
            if index.const or extent != 1:
                return False
            continue
        name, factor = index.terms[0]
        r = ranges.pop(name, None)
        if r is None or abs(factor) != 1:
            return False
        first, last = index.substitute({name: r.start}), index.substitute({name: r.last})
        low, high = (first, last) if factor > 0 else (last, first)
        if low != Affine(0) or high != Affine(extent - 1):
            return False
    return all(r.width.is_const and r.width.const >= 1 for r in ranges.values())
