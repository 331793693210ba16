"""Dataflow between arrays and statements, and the reverse breadth-first search from the outputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import networkx as nx

from daad.ir.dtypes import is_float
from daad.ir.nodes import Assign, Branch, Nest, Op, Program
from daad.ir.walk import loads, nests, nodes, reads, walk
from daad.rules.pullback import active_loads, left_out


@dataclass(frozen=True, kw_only=True)
class CCS:
    """Arrays with an adjoint (`active`): they depend on an input of interest and the outputs depend on them.

    `statements` are the numbers (in program order) of the nests that carry derivative between active arrays.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    active: frozenset[str]
    statements: frozenset[int]
    nodes: int
    arrays: int

    def __str__(self) -> str:
        return (
            f"CCS: {len(self.statements)} of {self.nodes} statements, {len(self.active)} of {self.arrays} arrays active"
        )

    __repr__ = __str__


def find_ccs(program: Program, inputs: Iterable[str], outputs: Iterable[str]) -> CCS:
    """Everything on a differentiable path from `inputs` to `outputs`."""
    inputs, outputs = tuple(inputs), tuple(outputs)
    graph, count = dataflow(program)
    useful = _reached(graph.reverse(copy=False), outputs)
    varied = _reached(graph, inputs)
    both = useful & varied
    return CCS(
        inputs=inputs,
        outputs=outputs,
        active=frozenset(n for n in both if isinstance(n, str)),
        statements=frozenset(n for n in both if isinstance(n, int)),
        nodes=count,
        arrays=len(program.arrays),
    )


def maskable(program: Program) -> frozenset[str]:
    """Arrays whose adjoint may be zero because what reads them is a choice, or a branch, and takes something else."""
    read: set[str] = set()
    for node in walk(program.body):
        if isinstance(node, Branch):
            read |= reads(node.then) | reads(node.orelse)
        elif isinstance(node, Nest):
            read |= {name for a in node.assigns for name in _may_be_left_out(a)}
    if not read:
        return frozenset()
    graph, _ = dataflow(program)
    backwards = graph.reverse(copy=False)
    return frozenset(n for n in _reached(backwards, tuple(sorted(read & set(graph)))) if isinstance(n, str))


def _may_be_left_out(assign: Assign) -> set[str]:
    if assign.combine.is_extremum:
        return {assign.target.array, *(load.array for load in loads(assign.value))}
    operations = (node for node in nodes(assign.value) if isinstance(node, Op))
    return {load.array for node in operations for side in left_out(node) for load in loads(side)}


def dataflow(program: Program) -> tuple[nx.DiGraph, int]:
    """Edges array -> statement -> array wherever a derivative can flow; statements are numbered in program order."""
    graph = nx.DiGraph()
    graph.add_nodes_from(program.arrays)
    number = -1
    for number, nest in enumerate(nests(program.body)):
        for source, target in _flows(nest):
            graph.add_edge(source, number)
            graph.add_edge(number, target)
    return graph, number + 1


def _flows(nest: Nest) -> Iterable[tuple[str, str]]:
    for assign in nest.assigns:
        for load in active_loads(assign.value, lambda load: is_float(load.dtype)):
            yield load.array, assign.target.array


def _reached(graph: nx.DiGraph, sources: tuple[str, ...]) -> set[str | int]:
    reached: set[str | int] = set(sources)
    for source in sources:
        reached.update(child for _, child in nx.bfs_edges(graph, source))
    return reached
