"""Arrays that are computed a second time as a whole, by their statements, before the adjoint reads them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from daad.analysis.sites import Site
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Expr, Load, Node
from daad.ir.versions import Version
from daad.ir.walk import loaded
from daad.loops.backward_slices import Slice, Slicer
from daad.loops.second_run import Again

Groups = list[tuple[Node, ...]]


@dataclass(frozen=True)
class Rerun:
    """Puts the statements that make an array in front of the first adjoint that reads it.

    `copies` hold, by array, what these statements write besides; `names` gives them theirs.
    """

    slicer: Slicer
    names: NameSupply
    copies: dict[str, Array] = field(default_factory=dict)

    def slices(self, names: Collection[str]) -> list[Slice]:
        """Of those arrays that can be made again, last made first: what one needs is then made again before it."""
        found = [s for name in sorted(names) if (s := self.slicer.slice(name)) is not None]
        return sorted(found, key=lambda s: (s.statements[-1], s.statements[0]), reverse=True)

    def insert(self, what: Slice, groups: Groups) -> Groups:
        """The adjoint with the array made again before it is first read."""
        version = Version(what.name)
        first = next((n for n in range(len(groups) - 1, -1, -1) if version in loaded(groups[n])), None)
        if first is None:
            return groups
        # Later statements make nothing that an adjoint from here on reads, and loops of theirs may have been run again.
        again = tuple(self._again(what, n) for n in what.statements if n <= first)
        return [*groups[:first], (*again, *groups[first]), *groups[first + 1 :]]

    def _again(self, what: Slice, statement: int) -> Node:
        own = self.slicer.own[statement]

        def read(site: Site, load: Load) -> Expr | None:
            if not what.is_made(load.array, statement, own):
                return self.slicer.versions.source(site, load)
            return None if load.array == what.name else Load(self._copy(load.array), load.index, load.dtype)

        def access(target: Access) -> Access:
            return target if target.array == what.name else Access(self._copy(target.array), target.index)

        return Again(read, access).node(Site(self.slicer.program.body[statement], (statement,), ()))

    def _copy(self, name: str) -> str:
        if name not in self.copies:
            array = self.slicer.program.arrays[name]
            self.copies[name] = replace(array, name=self.names.new(f"{name}_again"))
        return self.copies[name].name
