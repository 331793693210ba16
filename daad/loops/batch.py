"""Several seeds or tangents at once: one program in which all that depends on them has a leading axis for them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from daad.errors import Unsupported
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Assign, Branch, Expr, Index, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import map_expr, nests, walk

VARIABLE = "s"
HINT = "Ask for them one by one."


def batched(program: Program, seeds: Collection[str], count: int) -> Program:
    """The program for `count` of each of the `seeds`, parameters that it only reads.

    What depends on a seed is written in nests over the new axis alone: where a nest writes both kinds of arrays, all of
    them get it.
    """
    varying = _varying(program, frozenset(seeds))
    variable = NameSupply.of(program).new(VARIABLE)
    arrays = {
        name: replace(array, shape=(count, *array.shape), extents=()) if name in varying else array
        for name, array in program.arrays.items()
    }
    widening = _Widening(varying, Range(variable, Affine(0), Affine(count)))
    return replace(program, arrays=arrays, body=widening.body(program.body))


def _varying(program: Program, seeds: frozenset[str]) -> frozenset[str]:
    """The arrays that depend on a seed, and those that are written beside them."""
    found, size = set(seeds), 0
    while size != len(found):
        size = len(found)
        for nest in nests(program.body):
            if not found.isdisjoint(nest.touched):
                found |= nest.written
    if not found.isdisjoint({*program.parameters} - seeds):
        raise Unsupported("The program keeps seeds in its arguments.", hint=HINT)
    for node in walk(program.body):
        if isinstance(node, Loop | Branch) and not found.isdisjoint(node.own):
            raise Unsupported("A seed decides what is computed.", at=node.at, hint=HINT)
    return frozenset(found)


class _Widening:
    """Rewrites bodies: arrays that vary get the new axis, nests that write them its variable."""

    def __init__(self, varying: frozenset[str], axis: Range) -> None:
        self.varying, self.axis = varying, axis

    def body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(map(self.node, body))

    def node(self, node: Node) -> Node:
        if isinstance(node, Loop):
            return replace(node, body=self.body(node.body))
        if isinstance(node, Branch):
            return replace(node, then=self.body(node.then), orelse=self.body(node.orelse))
        if self.varying.isdisjoint(node.written):
            return node
        return Nest((self.axis, *node.domain), tuple(map(self.assign, node.assigns)), node.at)

    def assign(self, assign: Assign) -> Assign:
        target = Access(assign.target.array, self.index(assign.target))
        return Assign(target, assign.op, map_expr(assign.value, self.load))

    def load(self, expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in self.varying:
            return None
        return Load(expr.array, self.index(expr), expr.dtype)

    def index(self, place: Load | Access) -> tuple[Index, ...]:
        return (Affine.of(self.axis.var), *place.index)
