"""A body as threads run it: steps, loops and branches, and where all threads wait for each other.

Nobody waits where nothing conflicts with what was touched since all threads last met (`touches.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from daad.codegen.gpu.spread import Spread, spread
from daad.codegen.gpu.step_sizes import is_small
from daad.codegen.gpu.touches import SOLO, Overlaps, Touch, conflict, touches, uniform
from daad.codegen.schedule.bounds import is_void
from daad.codegen.schedule.lowering_context import Context
from daad.ir.nodes import Branch, Loop, Nest, Node

Touches = frozenset[Touch]


@dataclass(frozen=True)
class Work:
    """A step; all wait for each other before it if it `waits`."""

    nest: Nest
    spread: Spread
    context: Context
    waits: bool


@dataclass(frozen=True)
class Repeat:
    """A loop; all wait before its bounds are read (`waits`), and before data are asked whether it goes on (`asks`)."""

    loop: Loop
    body: tuple[Item, ...]
    context: Context
    waits: bool
    asks: bool = False


@dataclass(frozen=True)
class Choice:
    """A branch."""

    branch: Branch
    then: tuple[Item, ...]
    orelse: tuple[Item, ...]
    context: Context
    waits: bool


@dataclass(frozen=True)
class Solo:
    """What one block does alone, in a kernel of many."""

    body: tuple[Item, ...]
    waits: bool


Item = Work | Repeat | Choice | Solo


@dataclass
class Order:
    """Decides for a kernel who waits. `pending`: what has been touched since all threads met. `is_grid`: whether there
    are many blocks, of which one may do what is small."""

    overlaps: Overlaps
    is_grid: bool
    pending: Touches = field(default_factory=frozenset)

    def body(self, nodes: Sequence[Node], context: Context) -> tuple[Item, ...]:
        """The items of a body, from what is pending on; at its end that is what it leaves."""
        items: list[Item] = []
        for alone, run in groupby(nodes, lambda node: self.is_grid and is_small(node, context)):
            run_nodes = tuple(run)
            is_work = any(not isinstance(node, Nest) or not is_void(node.domain, context.known) for node in run_nodes)
            if alone and is_work:
                items.append(self._solo(run_nodes, context))
            else:
                items += [item for node in run_nodes for item in self._node(node, context)]
        return tuple(items)

    def _solo(self, nodes: Sequence[Node], context: Context) -> Item:
        inner = Order(self.overlaps, is_grid=False)
        items = inner.body(nodes, context)
        found = [Touch(name, False, SOLO) for node in nodes for name in node.read]
        found += [Touch(name, True, SOLO) for node in nodes for name in node.written]
        return Solo(items, self._meet(frozenset(found)))

    def _meet(self, found: Touches) -> bool:
        """Whether to wait before this is touched."""
        waits = conflict(self.pending, found, self.overlaps)
        self.pending = found if waits else self.pending | found
        return waits

    def _node(self, node: Node, context: Context) -> tuple[Item, ...]:
        if isinstance(node, Nest):
            if is_void(node.domain, context.known):
                return ()
            who = spread(node, context)
            return (Work(node, who, context, self._meet(touches(node, who, context))),)
        if isinstance(node, Loop):
            return (self._loop(node, context),)
        waits = self._meet(uniform((node.condition,)))
        before = self.pending
        then = self.body(node.then, context)
        after, self.pending = self.pending, before
        orelse = self.body(node.orelse, context)
        self.pending |= after
        return (Choice(node, then, orelse, context, waits),)

    def _loop(self, loop: Loop, context: Context) -> Item:
        """An iteration begins with what is pending before the loop, or after any iteration."""
        waits = self._meet(uniform((loop.start, loop.stop)))
        begins = self.pending
        asked = uniform((loop.ending.goes_on,)) if loop.ending else frozenset()
        while True:
            self.pending = begins
            asks = self._meet(asked) if loop.ending else False
            body = self.body(loop.body, context.inside_loop(loop))
            if self.pending <= begins:
                break
            begins |= self.pending
        self.pending = begins
        return Repeat(loop, body, context, waits, asks)
