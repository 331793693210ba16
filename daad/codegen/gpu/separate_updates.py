"""Nests as steps that threads can share: either every point writes places of its own, or one sum runs over the nest.

Where a place is met by several points through more than a sum (`a[index[i]] += …`, `a[i + j] += …`), loops around the
nest take as many variables as it needs for the rest to tell the place: chance never decides the order of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod

from daad.analysis.context import Scope, map_scoped_leaves
from daad.codegen.schedule.bounds import extent, most_values
from daad.codegen.schedule.strides import injective_variables
from daad.ir.nodes import Array, Assign, Loop, Nest, Node, Program, Range
from daad.ir.walk import variables


def separated(program: Program) -> Program:
    """The program in which each nest is a step."""

    def rewrite(nest: Nest, known: Scope) -> tuple[Node, ...]:
        return tuple(_steps(nest, known, program.arrays))

    return replace(program, body=map_scoped_leaves(program.body, rewrite, Scope()))


def summed_variables(nest: Nest) -> frozenset[str]:
    """Those of a step over which it sums: none where its points write places of their own."""
    used = {name for assign in nest.assigns for index in assign.target.index for name in variables(index)}
    is_sum = len(nest.assigns) == 1 and nest.assigns[0].op != "="
    return frozenset(r.var for r in nest.domain if r.var not in used) if is_sum else frozenset()


def _steps(nest: Nest, known: Scope, arrays: Mapping[str, Array]) -> Iterator[Node]:
    most = most_values(nest.domain, known)
    own: list[Assign] = []
    for assign in nest.assigns:
        array = arrays[assign.target.array]
        if assign.op != "=" and not _is_told(assign, array, nest.domain, most):
            yield from _flushed(nest, own)
            yield _sum(nest, assign, array, most, known)
            continue
        if _meets(assign, own):
            yield from _flushed(nest, own)
        own.append(assign)
    yield from _flushed(nest, own)


def _flushed(nest: Nest, own: list[Assign]) -> Iterator[Nest]:
    if own:
        yield Nest(nest.domain, tuple(own), nest.at)
        own.clear()


def _meets(assign: Assign, others: Sequence[Assign]) -> bool:
    """Whether updates of other points may meet it through another statement."""
    targets = (other.target for other in others if other.target.array == assign.target.array)
    return assign.op != "=" and any(target.index != assign.target.index for target in targets)


def _is_told(assign: Assign, array: Array, domain: Sequence[Range], most: Mapping[str, int]) -> bool:
    """Whether points that differ never update one place."""
    return injective_variables(assign.target, array, domain, most).issuperset(r.var for r in domain)


def _sum(nest: Nest, assign: Assign, array: Array, most: Mapping[str, int], known: Scope) -> Node:
    """The update alone, within loops over variables that the others leave untold."""
    used = {name for index in assign.target.index for name in variables(index)}
    candidates = [r for r in nest.domain if r.var in used]
    for moved in _cheapest_first(candidates, known):
        if _is_told(assign, array, [r for r in candidates if r not in moved], most):
            node: Node = Nest(tuple(r for r in nest.domain if r not in moved), (assign,), nest.at)
            for r in reversed(moved):
                node = Loop(r.var, r.start, r.stop, 1, (node,), nest.at)
            return node
    raise AssertionError("a place that no variable tells is told when all are known")


def _cheapest_first(ranges: Sequence[Range], known: Scope) -> Iterator[tuple[Range, ...]]:
    """All choices among ranges, the fewest points first."""
    choices = [choice for count in range(len(ranges) + 1) for choice in combinations(ranges, count)]
    yield from sorted(choices, key=lambda choice: prod(extent(r, known) for r in choice))
