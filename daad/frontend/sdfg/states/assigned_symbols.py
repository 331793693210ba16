"""Symbols assigned between states: affine ones are substituted, others live in scalar arrays (cells)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import dace
from dace.sdfg import nodes
from dace.sdfg.state import AbstractControlFlowRegion, ConditionalBlock, ControlFlowBlock, LoopRegion, SDFGState

from daad.errors import Location
from daad.frontend.sdfg.dace_names import readable_name
from daad.frontend.sdfg.locations import refused
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, cast
from daad.frontend.sdfg.values.called_functions import numpy_dtype
from daad.frontend.sdfg.values.code import value_of
from daad.ir.affine import Affine
from daad.ir.dtypes import is_integer
from daad.ir.nodes import Access, Assign, Expr, Load, Nest, Node
from daad.ir.walk import loads


@dataclass(frozen=True)
class Step:
    """A block of a region with the assignments on the edge that leads to it."""

    block: ControlFlowBlock
    assignments: Mapping[str, str]


def steps_of(region: AbstractControlFlowRegion, at: Location | None = None) -> list[Step]:
    """The blocks of a region in sequence; refuses jumps."""
    steps = [Step(region.start_block, {})]
    while True:
        edges = region.out_edges(steps[-1].block)
        if not edges:
            break
        if len(edges) > 1 or not edges[0].data.is_unconditional() or len(steps) > region.number_of_nodes():
            raise refused("The control flow of the SDFG is not made of loops and branches.", at)
        steps.append(Step(edges[0].dst, edges[0].data.assignments))
    if len(steps) != region.number_of_nodes():
        raise refused("The control flow of the SDFG is not made of loops and branches.", at)
    return steps


def cells_of(sdfg: dace.SDFG) -> frozenset[str]:
    """Symbols that need a cell: assigned twice, used before or outside of the blocks that follow the assignment."""
    assigned: list[tuple[str, AbstractControlFlowRegion, int]] = []
    for region in regions_of(sdfg):
        for position, step in enumerate(_loose_steps(region)):
            assigned.extend((name, region, position) for name in step.assignments)
    names = [name for name, _, _ in assigned]
    cells = {name for name in names if names.count(name) > 1 or name in sdfg.free_symbols}
    for name, region, position in assigned:
        if name not in cells and _used_elsewhere(name, sdfg, region, position):
            cells.add(name)
    return frozenset(cells)


def _loose_steps(region: AbstractControlFlowRegion) -> list[Step]:
    return [] if isinstance(region, ConditionalBlock) else steps_of(region)


def regions_of(region: Any) -> Iterator[AbstractControlFlowRegion]:
    """The region and all regions inside, not those of nested SDFGs."""
    yield region
    if isinstance(region, ConditionalBlock):
        for _, branch in region.branches:
            yield from regions_of(branch)
        return
    for block in region.nodes():
        if isinstance(block, AbstractControlFlowRegion):
            yield from regions_of(block)


def _used_elsewhere(name: str, sdfg: dace.SDFG, home: AbstractControlFlowRegion, position: int) -> bool:
    """Is the symbol used anywhere but in the blocks from `position` on?"""
    inside: set[ControlFlowBlock] = set()
    for step in steps_of(home)[position:]:
        inside.add(step.block)
    later = {id(b) for block in inside for b in _blocks(block)}
    for region in regions_of(sdfg):
        if isinstance(region, ConditionalBlock):
            continue
        for number, step in enumerate(steps_of(region)):
            own = region is home and number >= position
            if not own and id(step.block) not in later and name in names_used(step.block):
                return True
            is_later = (region is home and number > position) or id(region) in later
            if not is_later and any(name in _names(text) for text in step.assignments.values()):
                return True
    return False


def _blocks(block: Any) -> Iterator[Any]:
    yield block
    if isinstance(block, AbstractControlFlowRegion):
        for region in regions_of(block):
            yield region
            yield from region.nodes()


def names_used(block: ControlFlowBlock) -> set[str]:
    """Names in a block's own code: a state's dataflow, a loop's header, a branch's conditions."""
    if isinstance(block, SDFGState):
        nested = {
            str(s)
            for node in block.nodes()
            if isinstance(node, nodes.NestedSDFG)
            for value in node.symbol_mapping.values()
            for s in getattr(value, "free_symbols", ())
        }
        return nested | {str(s) for s in block.used_symbols(all_symbols=True)}
    codes: list[Any] = []
    if isinstance(block, LoopRegion):
        codes = [block.init_statement, block.loop_condition, block.update_statement]
    elif isinstance(block, ConditionalBlock):
        codes = [condition for condition, _ in block.branches]
    return {name for code in codes if code is not None for name in _names(code.as_string)}


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(str(text).strip())) if isinstance(node, ast.Name)}


def initial_cells(scope: Scope) -> tuple[tuple[Node, ...], Scope]:
    """Declares the cells; those of symbols that have a value already start with it."""
    prelude: list[Node] = []
    values: dict[str, Value] = {}
    for name in sorted(scope.cells):
        dtype = _cell_dtype(name, scope)
        cell = scope.arrays.add(readable_name(name), (), dtype)
        values[name] = Load(cell.name, (), dtype)
        if name in scope.values:
            assign = Assign(Access(cell.name, ()), "=", cast(scope.values[name], dtype))
            prelude.append(Nest((), (assign,)))
    return tuple(prelude), scope.with_values(values)


def _cell_dtype(name: str, scope: Scope) -> str:
    kind = scope.sdfg.symbols.get(name)
    dtype = numpy_dtype(kind) if kind is not None else "int64"
    return "int64" if is_integer(dtype) else dtype


def assign_symbols(assignments: Mapping[str, str], scope: Scope, at: Location | None) -> tuple[tuple[Node, ...], Scope]:
    """The assignments of an interstate edge, all right-hand sides taken first."""
    values = {name: _right_hand_side(text, scope, at) for name, text in assignments.items()}
    body: list[Node] = []
    bound: dict[str, Value] = {}
    pending: list[tuple[Access, Expr]] = []
    for name, value in values.items():
        if name in scope.cells:
            cell = scope.values[name]
            assert isinstance(cell, Load), f"'{name}' has a cell"
            pending.append((Access(cell.array, ()), cast(value, cell.dtype)))
        elif isinstance(value, Affine):
            bound[name] = value
        else:
            cell_array = scope.arrays.add(readable_name(name), (), _cell_dtype(name, scope))
            bound[name] = Load(cell_array.name, (), cell_array.dtype)
            pending.append((Access(cell_array.name, ()), cast(value, cell_array.dtype)))
    body.extend(Nest((), (Assign(target, "=", value),), at) for target, value in _without_clash(pending, scope))
    return tuple(body), scope.with_values(bound)


def _right_hand_side(text: Any, scope: Scope, at: Location | None) -> Value:
    return value_of(ast.parse(str(text).strip(), mode="eval").body, scope.meaning(at))


def _without_clash(pending: list[tuple[Access, Expr]], scope: Scope) -> list[tuple[Access, Expr]]:
    """Values that read a cell written before them are kept in temporaries first."""
    written: set[str] = set()
    for target, value in pending:
        if any(load.array in written for load in loads(value)):
            break
        written.add(target.array)
    else:
        return pending
    kept = []
    final = []
    for target, value in pending:
        array = scope.arrays.add(f"{target.array}_new", (), value.dtype)
        kept.append((Access(array.name, ()), value))
        final.append((target, Load(array.name, (), array.dtype)))
    return kept + final
