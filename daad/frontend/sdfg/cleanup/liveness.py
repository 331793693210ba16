"""Is the value of a scalar read later on?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from daad.ir.nodes import Branch, Loop, Nest, Node
from daad.ir.walk import node_loads, reads, writes

IsLive = Callable[[str], bool]


class Touch(Enum):
    """What happens first to a scalar: its value is read, or replaced."""

    READ = "read"
    REPLACED = "replaced"


class Mentions:
    """The arrays that a node reads or writes, found once for each node object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, frozenset[str]]] = {}

    def of(self, node: Node) -> frozenset[str]:
        found = self._known.get(id(node))
        if found is None or found[0] is not node:
            found = (node, frozenset(reads((node,)) | writes((node,))))
            self._known[id(node)] = found
        return found[1]

    def first_touch(self, name: str, body: Iterable[Node]) -> Touch | None:
        """What happens first to the scalar on some path (a read) or on all paths (a replacement)."""
        for node in body:
            if name in self.of(node):
                touch = self._touch(name, node)
                if touch is not None:
                    return touch
        return None

    def _touch(self, name: str, node: Node) -> Touch | None:
        if any(load.array == name for load in node_loads(node)) and not isinstance(node, Nest):
            return Touch.READ
        if isinstance(node, Nest):
            return _touch_of_nest(name, node)
        if isinstance(node, Loop):  # it may run zero times
            return Touch.READ if self.first_touch(name, node.body) is Touch.READ else None
        return self._touch_of_branch(name, node)

    def _touch_of_branch(self, name: str, node: Branch) -> Touch | None:
        sides = [self.first_touch(name, side) for side in (node.then, node.orelse)]
        if Touch.READ in sides:
            return Touch.READ
        return Touch.REPLACED if None not in sides else None

    def is_live(self, name: str, body: Iterable[Node], after: IsLive) -> bool:
        """May the scalar's value be read in the body, or after it?"""
        touch = self.first_touch(name, body)
        return after(name) if touch is None else touch is Touch.READ


def _touch_of_nest(name: str, nest: Nest) -> Touch | None:
    for assign in nest.assigns:
        single = Nest(nest.domain, (assign,))
        if any(load.array == name for load in node_loads(single)):
            return Touch.READ
        if assign.target.array == name:
            return Touch.REPLACED if assign.op == "=" and not nest.domain else Touch.READ
    return None


def never(name: str) -> bool:
    """Nothing is read after the end of a program but what is no scalar of ours."""
    return False
