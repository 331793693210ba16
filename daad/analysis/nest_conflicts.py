"""Accesses of two nests of which one writes, and whether they may touch one element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daad.analysis.alias import Place, reads_of
from daad.analysis.polyhedra import feasible
from daad.ir.affine import Affine
from daad.ir.nodes import Nest


def conflicts(first: Nest, second: Nest) -> Iterator[tuple[Place, Place]]:
    """Accesses of one array of which one writes; updates of both by the same operation do not conflict."""
    for a in first.assigns:
        for b in second.assigns:
            reads: Sequence[tuple[Place, Place]] = [(a.target, load) for load in reads_of(b)]
            yield from reads
            yield from ((load, b.target) for load in reads_of(a))
            if not a.op == b.op != "=":
                yield a.target, b.target


def may_be_same(a: Place, b: Place, renamed: dict[str, Affine], bounds: list[Affine]) -> bool:
    if a.array != b.array:
        return False
    pairs = zip(a.index, b.index, strict=True)
    same = [x - y.substitute(renamed) for x, y in pairs if isinstance(x, Affine) and isinstance(y, Affine)]
    return feasible(same, bounds)
