"""Several seeds or tangents at once: one program in which all that depends on them has an axis for them, or a loop over
them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from daad.errors import Unsupported
from daad.ir.affine import Affine
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Expr, Index, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import map_expr, nests, reindexed, renamed, walk

VARIABLE = "s"
HINT = "Ask for them one by one."


def batched(program: Program, seeds: Collection[str], count: int) -> Program:
    """The program for `count` of each of the `seeds`, parameters that it only reads, along a leading axis.

    What depends on a seed is written in nests over the new axis alone: where a nest writes both kinds of arrays, all of
    them get it.
    """
    varying = _varying(program, frozenset(seeds))
    axis = _axis(NameSupply.of(program), count)
    arrays = {n: _along(array, count) if n in varying else array for n, array in program.arrays.items()}
    return replace(program, arrays=arrays, body=_Widening(varying, axis).body(program.body))


def batched_inside(program: Program, seeds: Collection[str], count: int) -> Program:
    """The same with the new axis as the innermost one; seeds and results, which have it first, are copied."""
    varying, supply = _varying(program, frozenset(seeds)), NameSupply.of(program)
    axis = _axis(supply, count)
    outer = [n for n in (*program.parameters, *program.results) if n in varying]
    inner = {n: supply.new(f"{n}_{VARIABLE}") for n in outer}
    arrays = {n: _along(array, count) if n in inner else array for n, array in program.arrays.items()}
    for name in varying:
        own = replace(program.arrays[name], name=inner.get(name, name), extents=())
        arrays[own.name] = replace(own, shape=(*own.shape, count))
    body = [renamed(node, inner) for node in _Widening(varying, axis, is_last=True).body(program.body)]
    copies = {n: _turned(program.arrays[n], inner[n], axis, supply, n in program.parameters) for n in outer}
    before = [copies[n] for n in outer if n in program.parameters]
    behind = [copies[n] for n in outer if n not in program.parameters]
    return replace(program, arrays=arrays, body=(*before, *body, *behind))


def repeated(program: Program, seeds: Collection[str], count: int) -> Program:
    """The program for one seed after the other, with the local arrays of one; all results get a leading axis."""
    variable, outer = NameSupply.of(program).new(VARIABLE), {*seeds, *program.results}
    arrays = {n: _along(array, count) if n in outer else array for n, array in program.arrays.items()}
    changes = dict.fromkeys(outer, lambda index: (Affine.of(variable), *index))
    body = tuple(reindexed(node, changes) for node in program.body)
    return replace(program, arrays=arrays, body=(Loop(variable, Affine(0), Affine(count), 1, body),))


def _axis(supply: NameSupply, count: int) -> Range:
    return Range(supply.new(VARIABLE), Affine(0), Affine(count))


def _along(array: Array, count: int) -> Array:
    return replace(array, shape=(count, *array.shape), extents=())


def _turned(array: Array, inner: str, axis: Range, supply: NameSupply, is_read: bool) -> Nest:
    """From an array with the axis first to one with the axis last, or (not `is_read`) back."""
    domain, index = all_points(array, supply)
    last, first = (inner, (*index, Affine.of(axis.var))), (array.name, (Affine.of(axis.var), *index))
    target, source, domain = (last, first, (*domain, axis)) if is_read else (first, last, (axis, *domain))
    return Nest(domain, (Assign(Access(*target), "=", Load(*source, array.dtype)),))


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
    """Rewrites bodies: arrays that vary get the new axis, nests that write them its variable, as the first or last."""

    def __init__(self, varying: frozenset[str], axis: Range, is_last: bool = False) -> None:
        self.varying, self.axis, self.is_last = varying, axis, is_last

    def body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(map(self.node, body))

    def node(self, node: Node) -> Node:
        if isinstance(node, Loop):
            return replace(node, body=self.body(node.body))
        if isinstance(node, Branch):
            return replace(node, then=self.body(node.then), orelse=self.body(node.orelse))
        if self.varying.isdisjoint(node.written):
            return node
        domain = (*node.domain, self.axis) if self.is_last else (self.axis, *node.domain)
        return Nest(domain, tuple(map(self.assign, node.assigns)), node.at)

    def assign(self, assign: Assign) -> Assign:
        target = Access(assign.target.array, self.index(assign.target))
        return Assign(target, assign.op, map_expr(assign.value, self.load))

    def load(self, expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in self.varying:
            return None
        return Load(expr.array, self.index(expr), expr.dtype)

    def index(self, place: Load | Access) -> tuple[Index, ...]:
        own = Affine.of(self.axis.var)
        return (*place.index, own) if self.is_last else (own, *place.index)
