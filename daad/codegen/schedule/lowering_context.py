"""What the lowering of a node needs to know about its surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from daad.codegen.safe_names import Names
from daad.codegen.schedule.bounds import Ranges, bounds_of_loop, with_loop
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.index_errors import locations
from daad.ir.nodes import Access, Array, Loop, Program


@dataclass(frozen=True)
class Context:
    """Where a node stands: the program's arrays, the safe names, the loop variables and what is known of them.

    `constraints` are forms of loop variables that are >= 0; `streams` is what may be written past the caches.
    """

    program: Program
    names: Names
    loops: tuple[str, ...] = ()
    ranges: Ranges = field(default_factory=dict)
    constraints: tuple[Affine, ...] = ()
    streams: frozenset[Access] = frozenset()

    @cached_property
    def sites(self) -> Mapping[Location, int]:
        """The number of each place in the user's program."""
        return {at: number for number, at in enumerate(locations(self.program))}

    @property
    def arrays(self) -> Mapping[str, Array]:
        return self.program.arrays

    def inside_loop(self, loop: Loop) -> Context:
        """The context of a loop's body."""
        return replace(
            self,
            loops=(*self.loops, loop.var),
            ranges=with_loop(self.ranges, loop),
            constraints=(*self.constraints, *bounds_of_loop(loop)),
        )
