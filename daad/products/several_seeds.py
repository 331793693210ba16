"""How a pullback takes several seeds at once: the way that is estimated to be the fastest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from daad.analysis.context import Scope, map_scoped_leaves
from daad.analysis.matrix_products import is_whole_product
from daad.codegen.schedule.contractions import find_contraction
from daad.ilp.averages import averaged
from daad.ilp.statement_times import seconds
from daad.ir.nodes import Nest, Node, Program
from daad.ir.walk import nests
from daad.loops.batch import batched, batched_inside, repeated
from daad.pipeline import Finished, optimize_joint

NEAR = 2**23
"""Bytes of all that there is for each seed: not more of them are near enough for seeds as the innermost dimension."""

FEW = 4
"""Seeds of which there are fewer fill no vector."""

WITHOUT_BLAS = 16
"""How much longer a product of matrices takes that no function of BLAS computes."""


def for_several(one: Finished, seeds: Collection[str], count: int, tables: Mapping[str, np.ndarray]) -> Finished:
    """A pullback for one seed of each output as one for `count` of each, along a leading axis; so are its results.

    In vectors over the seeds where all is near and no products of matrices are to be had; otherwise one seed after the
    other, or all in each statement, which computes once what seeds have in common.
    """
    varying = (*seeds, *one.joined.results)
    if count >= FEW and not any(map(is_whole_product, nests(one.serial.body))):
        inside = batched_inside(one.joined, varying, count)
        if sum(array.nbytes for name, array in inside.arrays.items() if array != one.joined.arrays.get(name)) <= NEAR:
            return _optimised(one, inside)
    joined, serial, apart = (repeated(program, seeds, count) for program in (one.joined, one.serial, one.apart))
    loop = replace(one, joined=joined, serial=serial, apart=apart)
    ways = loop, _optimised(one, batched(one.joined, varying, count))
    return min(ways, key=lambda way: _estimated(way.serial, tables))


def _optimised(one: Finished, joined: Program) -> Finished:
    serial, apart = optimize_joint(joined, replace(one.hints, recompute=frozenset()))
    return replace(one, joined=joined, serial=serial, apart=apart)


def _estimated(program: Program, tables: Mapping[str, np.ndarray]) -> float:
    """Seconds of a call."""
    body = averaged(program.body, tables)
    slow = map_scoped_leaves(body, lambda nest, scope: tuple(_left_over(nest, program, scope)), Scope())
    return seconds(body, program.arrays, {}) + (WITHOUT_BLAS - 1) * seconds(slow, program.arrays, {})


def _left_over(nest: Nest, program: Program, scope: Scope) -> Iterator[Node]:
    """The nest, if it is a product of matrices that loops will have to compute."""
    if is_whole_product(nest) and find_contraction(nest, program.arrays, scope) is None:
        yield nest
