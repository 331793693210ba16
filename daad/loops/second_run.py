"""Statements of the primal as they are run a second time: what they read and write may lie elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from daad.analysis.sites import ORELSE, THEN, Path, Site
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Branch, Ending, Expr, Load, Loop, Node
from daad.ir.walk import map_expr, map_node

Loops = tuple[tuple[int, Loop], ...]


def unmoved(target: Access) -> Access:
    """The target itself."""
    return target


@dataclass(frozen=True)
class Again:
    """`read` says what stands for a load at a site (None keeps it), `access` where a target lies."""

    read: Callable[[Site, Load], Expr | None]
    access: Callable[[Access], Access] = unmoved

    def body(self, body: tuple[Node, ...], path: Path, loops: Loops) -> tuple[Node, ...]:
        """The statements of the body at `path`."""
        return tuple(self.node(Site(node, (*path, n), loops)) for n, node in enumerate(body))

    def node(self, site: Site) -> Node:
        """The statement at a site."""
        node = site.node
        if isinstance(node, Loop):
            start, stop = (e if isinstance(e, Affine) else self._value(site, e) for e in (node.start, node.stop))
            body = self.body(node.body, site.path, inside(site))
            return replace(node, start=start, stop=stop, body=body, ending=self._ending(site))
        if isinstance(node, Branch):
            then = self.body(node.then, (*site.path, THEN), site.loops)
            orelse = self.body(node.orelse, (*site.path, ORELSE), site.loops)
            return replace(node, condition=self._value(site, node.condition), then=then, orelse=orelse)
        return map_node(node, lambda value: self._value(site, value), self.access)

    def _ending(self, site: Site) -> Ending | None:
        """What ends the loop at a site, as its first statement sees it."""
        assert isinstance(site.node, Loop), "only loops end"
        first = Site(site.node, (*site.path, 0), inside(site))
        return site.node.ending and Ending(
            self._value(first, site.node.ending.goes_on), self._value(first, site.node.ending.begun)
        )

    def _value(self, site: Site, expr: Expr) -> Expr:
        return map_expr(expr, lambda e: self.read(site, e) if isinstance(e, Load) else None)


def inside(site: Site) -> Loops:
    """The loops around the body of the loop at a site."""
    assert isinstance(site.node, Loop), "only loops have an inside"
    return (*site.loops, (len(site.path), site.node))
