"""What the lowering of a node needs to know about its surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from daad.analysis.context import Scope
from daad.analysis.cost.placement import Placement
from daad.codegen.chosen_names import Names
from daad.errors import Location
from daad.ir.indices.index_errors import locations
from daad.ir.nodes import Access, Array, Loop, Program


@dataclass(frozen=True)
class Context:
    """Where a node stands: the program's arrays, the safe names, the loop variables and what is `known` of them.

    `streams` is what may be written past the caches. `is_portable`: DaCe alone compiles it, without BLAS. `placement`:
    where scratch arrays lie.
    """

    program: Program
    names: Names
    loops: tuple[str, ...] = ()
    known: Scope = field(default_factory=Scope)
    streams: frozenset[Access] = frozenset()
    is_portable: bool = False
    placement: Placement = field(default_factory=lambda: Placement({}, 0))

    def site(self, at: Location | None) -> int:
        """What the generated code calls a place in the user's program: its line, or a number that daad looks up."""
        if at is None:
            return -1
        return at.line if self.is_portable else self.sites.get(at, -1)

    @cached_property
    def sites(self) -> Mapping[Location, int]:
        """The number of each place in the user's program."""
        return {at: number for number, at in enumerate(locations(self.program))}

    @cached_property
    def outer(self) -> frozenset[str]:
        """The arrays that are arguments."""
        return frozenset((*self.program.parameters, *self.program.results))

    @property
    def arrays(self) -> Mapping[str, Array]:
        return self.program.arrays

    def inside_loop(self, loop: Loop) -> Context:
        """The context of a loop's body."""
        return replace(self, loops=(*self.loops, loop.var), known=self.known.enter(loop))
