"""Scratch arrays of a map's points: where each point needs its own, they get one more dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.frontend.sdfg.symbol_table import Arrays
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Expr, Load, Loop, Nest, Node
from daad.ir.walk import map_expr, map_node, node_loads, walk

MAX_ELEMENTS = 2**22
Body = tuple[Node, ...]


@dataclass(frozen=True)
class Scratch:
    """The program's arrays: `local` ones are neither parameters nor results; `uses` counts all accesses."""

    arrays: Arrays
    local: frozenset[str]
    uses: Counter[str]

    def expanded(self, loop: Loop, names: Sequence[str]) -> Body:
        """The loop's body with an element of each array for every iteration; unchanged where that cannot be."""
        size = loop.stop - loop.start if isinstance(loop.start, Affine) and isinstance(loop.stop, Affine) else None
        if size is None or not size.is_const or not self._are_private(loop, names, size.const):
            return loop.body
        assert isinstance(loop.start, Affine), "checked with the size"
        for name in names:
            array = self.arrays.declared[name]
            self.arrays.declared[name] = replace(array, shape=(size.const, *array.shape))
        place = Affine.of(loop.var) - loop.start
        return tuple(_indexed(node, frozenset(names), place) for node in loop.body)

    def _are_private(self, loop: Loop, names: Sequence[str], size: int) -> bool:
        inside = count_uses((loop,))
        return all(
            name in self.local
            and inside[name] == self.uses[name]
            and self.arrays.declared[name].size * size <= MAX_ELEMENTS
            for name in names
        )


def _indexed(node: Node, names: frozenset[str], place: Affine) -> Node:
    """Every access to one of the arrays with `place` as its first index."""

    def leaf(expr: Expr) -> Expr | None:
        if isinstance(expr, Load) and expr.array in names:
            return Load(expr.array, (place, *expr.index), expr.dtype)
        return None

    def access(target: Access) -> Access:
        return replace(target, index=(place, *target.index)) if target.array in names else target

    return map_node(node, lambda e: map_expr(e, leaf), access)


def count_uses(body: Body) -> Counter[str]:
    """How often each array is read or written in the text."""
    uses: Counter[str] = Counter()
    for node in walk(body):
        uses.update(load.array for load in node_loads(node))
        if isinstance(node, Nest):
            uses.update(assign.target.array for assign in node.assigns)
    return uses
