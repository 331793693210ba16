"""Statements of the adjoint that bring values back: updates that are taken back, temporaries that are made again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from daad.analysis.sites import INSIDE, Path, Reader, Site
from daad.ir.nodes import Access, Assign, Expr, Load, Loop, Nest, Node
from daad.ir.walk import map_node, writes
from daad.loops.statement_adjoints import Bars


def entering(site: Site) -> Site:
    """The site as the adjoint sees it before anything in it, or of it, has been taken back."""
    return replace(site, reader=Reader((*site.path, INSIDE)))


def take_back(site: Site, bars: Bars) -> list[Nest]:
    """`x -= g` for a statement `x += g` that is to be taken back; nothing for others."""
    nest, restored = site.node, bars.versions.restored
    update = restored.updates.get(site.path)
    if not isinstance(nest, Nest) or update is None:
        return []
    target = nest.assigns[0].target
    piece = site.path[0], target.array
    if piece not in restored.undone:
        return []
    at = replace(site, reader=Reader((*site.path, INSIDE), piece))
    place = bars.resolve_place(at, target)
    old = Load(target.array, place, bars.program.arrays[target.array].dtype)
    op, value = update.taken_back(old, bars.versions.resolve(at, update.increment))
    return [Nest(nest.domain, (Assign(Access(target.array, place), op, value),), nest.at)]


@dataclass
class Remaking:
    """The temporaries of one body that are made again, each before the first of the body's adjoints that reads it."""

    body: tuple[Node, ...]
    path: Path
    loops: tuple[tuple[int, Loop], ...]
    bars: Bars
    made: set[str] = field(default_factory=set)

    def before(self, child: int) -> list[Node]:
        """What has to be made again for the adjoint of a child, in program order."""
        found: dict[int, Node] = {}
        while names := self._asked():
            for name in sorted(names):
                found.update(self._again(name, child))
            self.made |= names
        return [found[n] for n in sorted(found)]

    def _asked(self) -> set[str]:
        remade = self.bars.versions.restored.remade
        return {
            name
            for _, (_, name) in self.bars.versions.relied
            if name not in self.made and remade.get(name) == self.path
        }

    def _again(self, name: str, child: int) -> Iterator[tuple[int, Node]]:
        reader = Reader((*self.path, child, INSIDE), (self.path[0], name))
        for n, node in enumerate(self.body):
            if name not in writes((node,)):
                continue
            site = Site(node, (*self.path, n), self.loops, reader)

            def source(expr: Expr, site: Site = site) -> Expr:
                return self.bars.versions.resolve(site, expr)

            yield n, map_node(node, source)
