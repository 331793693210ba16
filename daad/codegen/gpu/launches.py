"""A program as kernels that the host launches one after the other, and loops of the host around some of them.

What is small, loops included, is for one block; a large step has a kernel of its own; a loop or branch with large steps
is one kernel of as many blocks as the GPU holds at a time, which meet where they must.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count, groupby

from daad.codegen.gpu.step_sizes import is_large, is_small
from daad.codegen.gpu.touches import Overlaps
from daad.codegen.gpu.waiting import Item, Order
from daad.codegen.schedule.bounds import is_empty
from daad.codegen.schedule.lowering_context import Context
from daad.ir.affine import Affine
from daad.ir.nodes import Loop, Nest, Node


class Form(Enum):
    """How many blocks a kernel has."""

    BLOCK = "one"
    POINTS = "as many as there are points"
    GRID = "as many as fit, all at the same time"


@dataclass(frozen=True)
class Kernel:
    """The `nodes` as what threads do; `variables` are those of the loops of the host around it."""

    number: int
    form: Form
    nodes: tuple[Node, ...]
    items: tuple[Item, ...]
    variables: tuple[str, ...]


@dataclass(frozen=True)
class HostLoop:
    """A loop of which the host launches every iteration."""

    loop: Loop
    body: tuple[Launch, ...]


Launch = Kernel | HostLoop


@dataclass
class Planner:
    """Numbers kernels."""

    overlaps: Overlaps
    numbers: Iterator[int]

    @staticmethod
    def of(overlaps: Overlaps) -> Planner:
        return Planner(overlaps, count())

    def body(self, nodes: Sequence[Node], context: Context) -> tuple[Launch, ...]:
        """The launches of a body."""
        found: list[Launch] = []
        for small, run in groupby(nodes, lambda node: is_small(node, context)):
            if small:
                found += self._kernels(Form.BLOCK, tuple(run), context)
                continue
            for node in run:
                if isinstance(node, Loop) and _is_for_host(node, context):
                    inner = self.body(node.body, context.inside_loop(node))
                    found.append(HostLoop(node, inner))
                else:
                    form = Form.POINTS if isinstance(node, Nest) else Form.GRID
                    found += self._kernels(form, (node,), context)
        return tuple(found)

    def _kernels(self, form: Form, nodes: tuple[Node, ...], context: Context) -> list[Launch]:
        items = Order(self.overlaps, is_grid=form is Form.GRID).body(nodes, context)
        return [Kernel(next(self.numbers), form, nodes, items, context.loops)] if items else []


def _is_for_host(loop: Loop, context: Context) -> bool:
    """Whether the host knows the iterations, and each is long beside a launch."""
    known = frozenset(context.loops)
    bounds = (loop.start, loop.stop)
    if loop.ending or not all(isinstance(b, Affine) and known.issuperset(b.names) for b in bounds):
        return False
    inside = context.inside_loop(loop)
    return all(_is_launched(node, inside) for node in loop.body)


def _is_launched(node: Node, context: Context) -> bool:
    if isinstance(node, Nest):
        return is_large(node, context) or any(is_empty(r, context.known) for r in node.domain)
    return isinstance(node, Loop) and _is_for_host(node, context)


def kernels(launches: Sequence[Launch]) -> Iterator[Kernel]:
    """All kernels, in the order of their numbers."""
    for launch in launches:
        if isinstance(launch, Kernel):
            yield launch
        else:
            yield from kernels(launch.body)
