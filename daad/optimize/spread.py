"""Sums that are the same at many places are computed once and then spread: `C[k, j] += A[i, k]` needs no third loop."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from daad.program.affine import Affine
from daad.program.names import fresh
from daad.program.nodes import Access, Array, Assign, Branch, Index, Load, Loop, Nest, Node, Program, Range
from daad.program.walk import variables
from daad.rules.build import const

LEAST_POINTS = 1_000  # fewer are done before a further nest has started


def spread(program: Program) -> Program:
    """Sums go into an array of their own where the target has dimensions that the summand does not name."""
    spreader = _Spreader(dict(program.arrays), {*program.arrays, *program.integers})
    return replace(program, body=spreader.body(program.body), arrays=spreader.arrays)


class _Spreader:
    """Rewrites bodies; `arrays` grows by the arrays of sums."""

    def __init__(self, arrays: dict[str, Array], taken: set[str]) -> None:
        self.arrays, self.taken = arrays, taken

    def body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(new for node in body for new in self._node(node))

    def _node(self, node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop):
            return (replace(node, body=self.body(node.body)),)
        if isinstance(node, Branch):
            return (replace(node, then=self.body(node.then), orelse=self.body(node.orelse)),)
        return self._nest(node)

    def _nest(self, nest: Nest) -> tuple[Node, ...]:
        common = _common(nest)
        if common is None:
            return (nest,)
        assign = nest.assigns[0]
        total = self._array(assign.target.array, common)
        place = tuple(Affine.of(r.var) - r.start for r in common)
        own = {r.var for r in common}
        around = tuple(r for r in nest.domain if r.var in _variables(*assign.target.index))
        inner = tuple(r for r in nest.domain if r.var in own or r not in around)
        dtype = total.dtype
        return (
            Nest(common, (Assign(Access(total.name, place), "=", const(0, dtype)),), nest.at),
            Nest(inner, (Assign(Access(total.name, place), "+=", assign.value),), nest.at),
            Nest(around, (Assign(assign.target, "+=", Load(total.name, place, dtype)),), nest.at),
        )

    def _array(self, target: str, common: tuple[Range, ...]) -> Array:
        shape = tuple((r.stop - r.start).const for r in common)
        array = Array(fresh(f"{target}_sum", self.taken), shape, self.arrays[target].dtype)
        self.arrays[array.name] = array
        self.taken.add(array.name)
        return array


def _common(nest: Nest) -> tuple[Range, ...] | None:
    """The ranges that tell one sum from another; None where each place has a sum of its own, or the nest is small."""
    if len(nest.assigns) != 1 or nest.assigns[0].op != "+=":
        return None
    assign = nest.assigns[0]
    placed, named = _variables(*assign.target.index), _variables(assign.value)
    summed = [r for r in nest.domain if r.var not in placed]
    spread_over = [r for r in nest.domain if r.var in placed - named]
    if not summed or not spread_over or not all((r.stop - r.start).is_const for r in nest.domain):
        return None
    if min(_points(summed), _points(spread_over)) < 2 or _points(nest.domain) < LEAST_POINTS:
        return None
    return tuple(r for r in nest.domain if r.var in placed & named)


def _variables(*indices: Index) -> frozenset[str]:
    return frozenset().union(*map(variables, indices))


def _points(ranges: list[Range] | tuple[Range, ...]) -> int:
    return prod(max((r.stop - r.start).const, 0) for r in ranges)
