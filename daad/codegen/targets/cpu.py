"""DaCe's code generator for processors, for what daad makes: states with one tasklet, maps that threads share, and
nested SDFGs that are functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dace import dtypes
from dace.codegen.common import sym2cpp
from dace.codegen.dispatcher import DefinedType
from dace.codegen.targets.cpu import CPUCodeGen
from dace.data import Scalar
from dace.sdfg.nodes import NestedSDFG

from daad.codegen.cpp.thread_team import INDEPENDENT, Dimension, plain_loops, shared_loops
from daad.codegen.dace_types import SCRATCH, TEAM

Call = Callable[[Any], str]


class Target(CPUCodeGen):
    """`call` makes a function of a nested SDFG and returns the statement that calls it."""

    def __init__(self, frame: Any, sdfg: Any, call: Call) -> None:
        super().__init__(frame, sdfg)
        self.call = call
        dispatcher = frame.dispatcher
        dispatcher.register_map_dispatcher(TEAM, self)
        dispatcher.register_array_dispatcher(SCRATCH, self)
        register = dtypes.StorageType.Register
        for pair in ((SCRATCH, register), (register, SCRATCH)):
            dispatcher.register_copy_dispatcher(*pair, None, self)

    def define(self, sdfg: Any) -> None:
        """Lets tasklets use the arrays of an SDFG by their names."""
        for name, data in sdfg.arrays.items():
            is_scalar = isinstance(data, Scalar)
            kind = data.dtype.ctype if is_scalar else f"{data.dtype.ctype} *"
            self._dispatcher.defined_vars.add(name, DefinedType.Scalar if is_scalar else DefinedType.Pointer, kind)

    def generate_scope(self, sdfg: Any, cfg: Any, scope: Any, state_id: int, functions: Any, stream: Any) -> None:
        """Loops over the points of a map, on one thread or several."""
        entry = scope.source_nodes()[0]
        dimensions = [_dimension(*found) for found in zip(entry.map.params, entry.map.range.ranges, strict=True)]
        # Nested SDFGs have memory that all iterations of a thread use.
        mark = "" if any(isinstance(node, NestedSDFG) for node in scope.nodes()) else INDEPENDENT
        if entry.map.schedule == TEAM:
            before, after = shared_loops(
                dimensions, entry.map.collapse, entry.map.omp_chunk_size, entry.map.omp_num_threads, mark
            )
        else:
            before, after = plain_loops(dimensions, mark)
        stream.write("\n".join(before))
        self._dispatcher.dispatch_subgraph(
            sdfg, cfg, scope, state_id, functions, stream, skip_entry_node=True, skip_exit_node=True
        )
        stream.write(after)

    def _generate_NestedSDFG(
        self, sdfg: Any, cfg: Any, scope: Any, state_id: int, node: Any, functions: Any, stream: Any
    ) -> None:
        self._dispatcher.defined_vars.enter_scope(node.sdfg, can_access_parent=False)
        text = self.call(node)
        self._dispatcher.defined_vars.exit_scope(node.sdfg)
        stream.write(text)

    def _generate_AccessNode(self, *_: Any) -> None:
        """Tasklets read and write; nothing is copied."""


def _dimension(name: str, bounds: tuple[Any, Any, Any]) -> Dimension:
    """Numbers that are known fit into C's int."""
    start, last, _ = bounds
    kind = "int" if start.is_number and last.is_number else "int64_t"
    return Dimension(kind, name, sym2cpp(start), sym2cpp(last + 1))
