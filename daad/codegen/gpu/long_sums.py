"""Long sums for few places in parts, so that more than a few blocks of threads can share them.

The parts depend on the problem alone, and are added in their order: results repeat.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from daad.analysis.context import Scope, map_scoped_leaves
from daad.codegen.gpu.scaled_products import large_product
from daad.codegen.gpu.separate_updates import is_scattered, summed_variables
from daad.codegen.schedule.bounds import extent
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Const, Load, Nest, Node, Program, Range
from daad.ir.walk import substitute

PART = 1024
"""Terms of a part, at least."""
PARTS = 4096
"""Parts of all places together, about: a warp takes one."""


def in_parts(program: Program) -> Program:
    """The program with long sums in parts; each nest is a step."""
    splitter = _Splitter(dict(program.arrays), NameSupply.of(program))
    body = map_scoped_leaves(program.body, splitter.split, Scope())
    return replace(program, arrays=splitter.arrays, body=body)


@dataclass
class _Splitter:
    """Adds arrays of partial sums to `arrays`."""

    arrays: dict[str, Array]
    names: NameSupply

    def split(self, nest: Nest, known: Scope) -> tuple[Node, ...]:
        names = summed_variables(nest)
        if not names or large_product(nest, self.arrays, known) or is_scattered(nest, known, self.arrays):
            return (nest,)
        points = [r for r in nest.domain if r.var not in names]
        summed = [r for r in nest.domain if r.var in names]
        numbers = [r for r in summed if r.width.is_const and r.start.is_const]
        if not numbers or not all(r.start.is_const and r.stop.is_const for r in points):
            return (nest,)
        terms, places = (prod(extent(r, known) for r in ranges) for ranges in (summed, points))
        longest = max(numbers, key=lambda r: r.width.const)
        count = min(longest.width.const, terms // PART, PARTS // max(places, 1))
        return self._in_parts(nest, points, summed, longest, count) if count > 1 else (nest,)

    def _in_parts(
        self, nest: Nest, points: list[Range], summed: list[Range], longest: Range, count: int
    ) -> tuple[Node, ...]:
        (assign,) = nest.assigns
        start, size = longest.start.const, longest.width.const // count
        target = self.arrays[assign.target.array]
        shape = (count, *(r.width.const for r in points))
        parts = Array(self.names.new(f"{target.name}_parts"), shape, target.dtype)
        self.arrays[parts.name] = parts
        part = Range(self.names.new(f"{longest.var}_part"), Affine(0), Affine(count))
        place = Access(parts.name, (Affine.of(part.var), *(Affine.of(r.var) - r.start for r in points)))
        within = Range(longest.var, Affine(0), Affine(size))
        term = {longest.var: Affine.of(part.var) * size + Affine.of(longest.var) + start}
        others = [r for r in summed if r is not longest]
        neutral = Const(assign.combine.neutral(target.dtype), target.dtype)
        partial = Assign(place, assign.op, substitute(assign.value, term))
        rest = Range(longest.var, Affine(start + count * size), longest.stop)
        whole = replace(assign, value=Load(place.array, place.index, target.dtype))
        found = [
            Nest((part, *points), (Assign(place, "=", neutral),), nest.at),
            Nest((part, *points, *others, within), (partial,), nest.at),
            Nest((*points, *others, rest), (assign,), nest.at),
            Nest((*points, part), (whole,), nest.at),
        ]
        return tuple(n for n in found if rest.width.const or rest not in n.domain)
