"""Nests as steps that threads can share: every point writes places of its own, or one sum runs over the nest, or the
update of places that data give is alone in it (`a[index[i]] += …`).

Where several variables give a place (`a[i + j] += …`), loops around the nest take as many as it needs for the rest to
tell it: chance never decides the order of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod

from daad.analysis.context import Scope, map_scoped_leaves
from daad.codegen.schedule.bounds import extent, most_values
from daad.codegen.schedule.strides import injective_variables
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Assign, Loop, Nest, Node, Program, Range
from daad.ir.walk import variables


def separated(program: Program) -> Program:
    """The program in which each nest is a step."""

    def rewrite(nest: Nest, known: Scope) -> tuple[Node, ...]:
        return tuple(_steps(nest, known, program.arrays))

    return replace(program, body=map_scoped_leaves(program.body, rewrite, Scope()))


def is_scattered(nest: Nest, known: Scope, arrays: Mapping[str, Array]) -> bool:
    """Whether data give the places that a step updates, and several points may have one."""
    if len(nest.assigns) != 1 or nest.assigns[0].op == "=":
        return False
    (assign,) = nest.assigns
    used = _used(assign)
    domain, most = [r for r in nest.domain if r.var in used], most_values(nest.domain, known)
    return _is_given(assign, nest) and not _is_told(assign, arrays[assign.target.array], domain, most)


def _is_given(assign: Assign, nest: Nest) -> bool:
    own = {r.var for r in nest.domain}
    return any(not isinstance(index, Affine) and not own.isdisjoint(index.variables) for index in assign.target.index)


def summed_variables(nest: Nest) -> frozenset[str]:
    """Those of a step over which it sums: none where its points write places of their own."""
    if len(nest.assigns) != 1 or nest.assigns[0].op == "=":
        return frozenset()
    return frozenset(r.var for r in nest.domain) - _used(nest.assigns[0])


def _used(assign: Assign) -> frozenset[str]:
    """The variables that its place depends on."""
    return frozenset(name for index in assign.target.index for name in variables(index))


def _steps(nest: Nest, known: Scope, arrays: Mapping[str, Array]) -> Iterator[Node]:
    most = most_values(nest.domain, known)
    own: list[Assign] = []
    for assign in nest.assigns:
        array = arrays[assign.target.array]
        if assign.op != "=" and not _is_told(assign, array, nest.domain, most):
            yield from _flushed(nest, own)
            yield _sum(nest, assign, known, arrays)
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


def _sum(nest: Nest, assign: Assign, known: Scope, arrays: Mapping[str, Array]) -> Node:
    """The update alone, within loops over variables that the others leave untold."""
    alone = Nest(nest.domain, (assign,), nest.at)
    if is_scattered(alone, known, arrays):
        return alone
    array, most = arrays[assign.target.array], most_values(nest.domain, known)
    used = _used(assign)
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
