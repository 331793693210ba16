"""Dataflow between arrays and statements, and the reverse breadth-first search from the outputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import networkx as nx

from daad.analysis.coverage import covers
from daad.errors import BadArgument
from daad.ir.dtypes import is_float
from daad.ir.nodes import Assign, Branch, Const, Nest, Op, Program
from daad.ir.walk import loads, nests, nodes, reads, walk
from daad.rules.pullback import active_loads, left_out
from daad.runtime.lazy_import import later

if TYPE_CHECKING:
    from daad.ccs import nodes_of_sdfg as on_sdfgs
else:
    on_sdfgs = later("daad.ccs.nodes_of_sdfg")


@dataclass(frozen=True, kw_only=True)
class CCS:
    """Arrays with an adjoint (`active`): they depend on an input of interest and the outputs depend on them.

    `statements` are the numbers (in program order) of the nests that carry derivative between active arrays; `called`
    tells what SDFGs call inputs and outputs, where it is not the same.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    active: frozenset[str]
    statements: frozenset[int]
    all_statements: int
    all_arrays: int
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def nodes(self, sdfg: Any) -> list[tuple[Any, Any]]:
        """The nodes of an SDFG of the program that are in the CCS, each with its state, in the order of the SDFG.

        The SDFG is a part of the gradient (`to_sdfg`) or the one that was given to daad; whole nodes are followed.
        """
        inputs = (self._found(name, sdfg) for name in self.inputs)
        outputs = [name for output in self.outputs if (name := self._found(output, sdfg))]
        if not outputs:
            raise BadArgument(
                f"The SDFG '{sdfg.name}' has no array '{self.outputs[0]}'.",
                hint="Use 'to_sdfg(\"primal\")', or the SDFG of the program itself.",
            )
        return on_sdfgs.nodes_of_sdfg(sdfg, filter(None, inputs), outputs)

    def _found(self, name: str, sdfg: Any) -> str | None:
        """What the SDFG calls it; inputs that no value depends on may be gone."""
        return next((word for word in (*self.called.get(name, ()), name) if word in sdfg.arrays), None)

    def __str__(self) -> str:
        statements = f"{len(self.statements)} of {self.all_statements} statements"
        return f"CCS: {statements}, {len(self.active)} of {self.all_arrays} arrays active"

    __repr__ = __str__


def find_ccs(program: Program, inputs: Iterable[str], outputs: Iterable[str]) -> CCS:
    """Everything on a differentiable path from `inputs` to `outputs`."""
    inputs, outputs = tuple(inputs), tuple(outputs)
    graph, count = dataflow(program)
    useful = reached(graph.reverse(copy=False), outputs)
    varied = reached(graph, inputs)
    both = useful & varied
    return CCS(
        inputs=inputs,
        outputs=outputs,
        active=frozenset(n for n in both if isinstance(n, str)),
        statements=frozenset(n for n in both if isinstance(n, int)),
        all_statements=count,
        all_arrays=len(program.arrays),
    )


def maskable(program: Program) -> frozenset[str]:
    """Arrays whose adjoint may be zero because what reads them is a choice, or a branch, and takes something else, or
    because some of their elements are overwritten."""
    read = _overwritten_in_part(program)
    for node in walk(program.body):
        if isinstance(node, Branch):
            read |= reads(node.then) | reads(node.orelse)
        elif isinstance(node, Nest):
            read |= {name for a in node.assigns for name in _may_be_left_out(a)}
    if not read:
        return frozenset()
    graph, _ = dataflow(program)
    backwards = graph.reverse(copy=False)
    return frozenset(n for n in reached(backwards, tuple(sorted(read & set(graph)))) if isinstance(n, str))


def _overwritten_in_part(program: Program) -> set[str]:
    """Arrays that are computed as a whole, no constants, of which some elements are then assigned something else."""
    whole, part = set[str](), set[str]()
    for nest in nests(program.body):
        for assign in nest.assigns:
            name = assign.target.array
            if not isinstance(assign.value, Const) and covers(assign, nest.domain, program.arrays[name]):
                whole.add(name)
            elif assign.op == "=" and name in whole:
                part.add(name)
    return part


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


def reached(graph: nx.DiGraph, sources: Iterable[Any]) -> set[Any]:
    """The sources, and what paths from them lead to."""
    found = dict.fromkeys(sources)
    waiting = deque(found)
    while waiting:
        new = [child for child in graph.successors(waiting.popleft()) if child not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return {*found}
