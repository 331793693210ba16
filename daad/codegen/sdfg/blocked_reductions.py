"""Large reductions without an independent outer dimension in blocks, so that threads can share them.

The blocks do not depend on the number of threads, so that neither results nor programs do. Neighbouring sums get as few
blocks as threads can share, and so long rows, of which memory is read as it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from daad.codegen.chosen_names import Names
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import Schedule, is_large, schedule_nest
from daad.codegen.sdfg.blas import is_left_to_blas
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Const, Index, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import substitute, substitute_index, variables

BLOCK = 4096  # iterations of a summed loop
FEWEST = 8  # blocks of a summed loop, of at least
SMALLEST = 64  # iterations
COLUMNS = 8192  # neighbouring sums, which stay in the cache
LONG = 500  # neighbouring sums, of which a row is read nearly as fast as the next
LARGEST_TARGET = 1024  # elements; copies of larger ones for each block cost more than threads bring


def split_for_threads(program: Program, is_portable: bool = False) -> Program:
    """The program with large reductions split; everything else is as it was."""
    splitter = _Splitter(dict(program.arrays), NameSupply.of(program))
    body = tuple(splitter.body(program.body, Context(program, Names({}), is_portable=is_portable)))
    return replace(program, arrays=splitter.arrays, body=body)


@dataclass
class _Splitter:
    """Adds the arrays of partial results to `arrays`, which have new names."""

    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], context: Context) -> Iterator[Node]:
        for node in body:
            if isinstance(node, Nest):
                yield from self.nest(node, context)
            elif isinstance(node, Loop):
                yield replace(node, body=tuple(self.body(node.body, context.inside_loop(node))))
            else:
                then, orelse = self.body(node.then, context), self.body(node.orelse, context)
                yield replace(node, then=tuple(then), orelse=tuple(orelse))

    def nest(self, nest: Nest, context: Context) -> tuple[Nest, ...]:
        if all(a.op == "=" for a in nest.assigns) or not is_large(nest, context) or is_left_to_blas(nest, context):
            return (nest,)
        schedule = schedule_nest(nest, context)
        if schedule.parallel or schedule.vector is None or not schedule.independent:
            return (nest,)
        if not any(_reduces(a, schedule.vector) for a in nest.assigns):
            return self.columns(nest, schedule.vector)
        are_sums = all(a.op != "=" and _reduces(a, schedule.vector) for a in nest.assigns)
        return self.in_parts(nest, schedule, context) if are_sums else (nest,)

    def columns(self, nest: Nest, r: Range) -> tuple[Nest, ...]:
        length = _length(r)
        return self.split(nest, r, max(-(-length // COLUMNS), min(FEWEST, length // LONG)))

    def rows(self, nest: Nest, r: Range) -> tuple[Nest, ...]:
        length = _length(r)
        count = max(FEWEST, -(-length // BLOCK))
        return self.split(nest, r, count if length // count >= SMALLEST else 0)

    def split(self, nest: Nest, r: Range, count: int) -> tuple[Nest, ...]:
        """Two dimensions for one, with as many blocks, and the few points that remain."""
        if count < 2:
            return (nest,)
        start = r.start.const
        size = (r.stop.const - start) // count
        block = Range(self.names.new(f"{r.var}_block"), Affine(0), Affine(count))
        within = Range(r.var, Affine(0), Affine(size))
        main = _with_domain(nest, r, (block, within), Affine.of(block.var) * size + Affine.of(r.var) + start)
        rest = Range(r.var, Affine(start + count * size), r.stop)
        tail = _with_domain(nest, r, (rest,), Affine.of(r.var))
        return (main, tail) if rest.start != rest.stop else (main,)

    def in_parts(self, nest: Nest, schedule: Schedule, context: Context) -> tuple[Nest, ...]:
        """Each iteration of the outermost summed loop, or each block of the only one, has a partial result."""
        outermost = next(r for r in schedule.inner if all(_reduces(a, r) for a in nest.assigns))
        if outermost is not schedule.vector:
            return self.partial(nest, outermost, context)
        main, *tail = self.rows(nest, outermost)
        blocks = [r for r in main.domain if r not in nest.domain and r.var != outermost.var]
        return (*self.partial(main, blocks[0], context), *tail) if blocks else (nest,)

    def partial(self, nest: Nest, r: Range, context: Context) -> tuple[Nest, ...]:
        if not (r.start.is_const and r.stop.is_const) or not all(
            _is_small(a.target, nest, context) for a in nest.assigns
        ):
            return (nest,)
        starts: list[Nest] = []
        ends: list[Nest] = []
        assigns = []
        for assign in nest.assigns:
            target = self.arrays[assign.target.array]
            own = _own_dimensions(assign.target, nest)
            shape = (r.stop.const - r.start.const, *(target.shape[d] for d in own))
            parts = Array(self.names.new(f"{target.name}_parts"), shape, target.dtype)
            self.arrays[parts.name] = parts
            domain = tuple(
                Range(self.names.new(f"{parts.name}_{d}"), Affine(0), Affine(n)) for d, n in enumerate(shape)
            )
            place = tuple(Affine.of(v.var) for v in domain)
            neutral = Const(assign.combine.neutral(target.dtype), target.dtype)
            starts.append(Nest(domain, (Assign(Access(parts.name, place), "=", neutral),)))
            whole: list[Index] = list(assign.target.index)
            for d, v in zip(own, domain[1:], strict=True):
                whole[d] = Affine.of(v.var)
            value = Load(parts.name, place, target.dtype)
            ends.append(Nest(domain, (Assign(Access(target.name, tuple(whole)), assign.op, value),), nest.at))
            index = (Affine.of(r.var) - r.start, *(assign.target.index[d] for d in own))
            assigns.append(replace(assign, target=Access(parts.name, index)))
        return (*starts, replace(nest, assigns=tuple(assigns)), *ends)


def _length(r: Range) -> int:
    """0 where numbers do not tell it."""
    return r.stop.const - r.start.const if r.start.is_const and r.stop.is_const else 0


def _with_domain(nest: Nest, r: Range, ranges: tuple[Range, ...], value: Affine) -> Nest:
    """The nest with `ranges` in place of `r`, whose variable has this value."""
    values = {r.var: value}
    assigns = tuple(
        Assign(
            Access(a.target.array, tuple(substitute_index(i, values) for i in a.target.index)),
            a.op,
            substitute(a.value, values),
        )
        for a in nest.assigns
    )
    domain = tuple(new for old in nest.domain for new in (ranges if old is r else (old,)))
    return replace(nest, domain=domain, assigns=assigns)


def _reduces(assign: Assign, r: Range) -> bool:
    return not any(r.var in variables(i) for i in assign.target.index)


def _own_dimensions(target: Access, nest: Nest) -> list[int]:
    """Dimensions of the target that the nest runs along."""
    own = {r.var for r in nest.domain}
    return [d for d, index in enumerate(target.index) if variables(index) & own]


def _is_small(target: Access, nest: Nest, context: Context) -> bool:
    sizes = [context.arrays[target.array].shape[d] for d in _own_dimensions(target, nest)]
    return int(np.prod(sizes)) <= LARGEST_TARGET and all(isinstance(i, Affine) for i in target.index)
