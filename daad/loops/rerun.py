"""Arrays that are computed a second time as a whole, by their statements, before the adjoint reads them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from daad.ccs.forwarded import END, Versions
from daad.ccs.sites import Site
from daad.program.nodes import Expr, Load, Nest, Node, Program
from daad.program.walk import loads, map_expr, map_node, node_loads, walk, writes

Groups = list[tuple[Node, ...]]


@dataclass(frozen=True)
class Rerun:
    """Finds the statements that make an array, and puts them in front of the first adjoint that reads it."""

    program: Program
    versions: Versions

    def statements(self, name: str) -> list[int] | None:
        """The positions of the nests that make a local array; None if others do, or if they need what is gone."""
        if name in self.program.parameters:
            return None
        found = [n for n, node in enumerate(self.program.body) if name in writes((node,))]
        return found if found and all(self._can_run_again(n, name) for n in found) else None

    def _can_run_again(self, position: int, name: str) -> bool:
        node = self.program.body[position]
        if not isinstance(node, Nest) or writes((node,)) != {name}:
            return False
        site = Site(node, (position,), ())
        return all(load.array == name or self.versions.in_place(site, load) for load in node_loads(node))

    def order(self, names: Collection[str]) -> list[str]:
        """Those that can be made again, last made first: what one needs is then made again before it."""
        positions = {name: self.statements(name) for name in sorted(names)}
        known = {name: found[0] for name, found in positions.items() if found}
        return sorted(known, key=lambda name: -known[name])

    def insert(self, name: str, groups: Groups) -> Groups:
        """The adjoint with the array made again before it is first read."""
        readers = [n for n, group in enumerate(groups) if name + END in _loaded(group)]
        if not readers:
            return groups
        first = max(readers)
        again = tuple(self._again(n, name) for n in self.statements(name) or ())
        return [(*again, *group) if n == first else group for n, group in enumerate(groups)]

    def _again(self, position: int, name: str) -> Node:
        node = self.program.body[position]
        site = Site(node, (position,), ())

        def source(expr: Expr) -> Expr | None:
            is_other = isinstance(expr, Load) and expr.array != name
            return self.versions.resolve(site, expr) if is_other else None

        return map_node(node, lambda value: map_expr(value, source))


def _loaded(body: Sequence[Node]) -> set[str]:
    """Names of all arrays and versions that are read."""
    return {load.array for node in walk(tuple(body)) for top in node_loads(node) for load in loads(top)}
