"""A program as kernels and products that the host launches one after the other, and loops of the host around them.

Large products of matrices are for cuBLAS. What is small, loops included, is for one block; a large step has a kernel of
its own; a loop or branch with large steps is one kernel of as many blocks as the GPU holds at a time, which meet where
they must.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import count, groupby

from daad.codegen.gpu.scaled_products import Scaled, ScaledProduct
from daad.codegen.gpu.step_sizes import is_large, is_small
from daad.codegen.gpu.touches import Overlaps
from daad.codegen.gpu.waiting import Item, Order
from daad.codegen.schedule.lowering_context import Context
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Loop, Nest, Node

MOST = 64
"""Statements of one kernel: of more, compilers take longer than in proportion."""


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


@dataclass(frozen=True)
class ProductCall:
    """A product of matrices that cuBLAS computes."""

    product: ScaledProduct


Launch = Kernel | HostLoop | ProductCall


@dataclass
class Planner:
    """Numbers kernels; `scaled` knows which nests are products."""

    overlaps: Overlaps
    scaled: Scaled
    numbers: Iterator[int] = field(default_factory=count)

    def body(self, nodes: Sequence[Node], context: Context) -> tuple[Launch, ...]:
        """The launches of a body."""
        found: list[Launch] = []
        for small, run in groupby(nodes, lambda node: is_small(node, context)):
            if small:
                nodes_of_run = tuple(run)
                for first in range(0, len(nodes_of_run), MOST):
                    found += self._kernels(Form.BLOCK, nodes_of_run[first : first + MOST], context)
                continue
            for node in run:
                if isinstance(node, Loop) and self._is_for_host(node, context):
                    inner = self.body(node.body, context.inside_loop(node))
                    found.append(HostLoop(node, inner))
                elif isinstance(node, Nest) and (product := self._product(node, context)):
                    found.append(ProductCall(product))
                else:
                    form = Form.POINTS if isinstance(node, Nest) else Form.GRID
                    found += self._kernels(form, (node,), context)
        return tuple(found)

    def _kernels(self, form: Form, nodes: tuple[Node, ...], context: Context) -> list[Launch]:
        items = Order(self.overlaps, is_grid=form is Form.GRID).body(nodes, context)
        return [Kernel(next(self.numbers), form, nodes, items, context.loops)] if items else []

    def _product(self, nest: Nest, context: Context) -> ScaledProduct | None:
        """The product that a nest is, if the host knows its sizes and places."""
        found = self.scaled.product(nest, context.known)
        if found is None:
            return None
        dimensions = (found.contraction.rows, found.contraction.columns, found.contraction.summed)
        forms = [d.size for d in (*dimensions, *found.contraction.around)]
        return found if _are_known((*forms, *found.contraction.bases), context) else None

    def _is_for_host(self, loop: Loop, context: Context) -> bool:
        """Whether the host knows the iterations, and they hold what is long beside a launch."""
        if loop.ending or not _are_known((loop.start, loop.stop), context):
            return False
        inside = context.inside_loop(loop)
        is_long = [self._is_long(node, inside) for node in loop.body]
        return any(is_long) and all(
            long or isinstance(node, Nest) or is_small(node, inside)
            for long, node in zip(is_long, loop.body, strict=True)
        )

    def _is_long(self, node: Node, context: Context) -> bool:
        if isinstance(node, Nest):
            return is_large(node, context) or self._product(node, context) is not None
        return isinstance(node, Loop) and self._is_for_host(node, context)


def _are_known(forms: Iterable[Index], context: Context) -> bool:
    """Whether the host can compute them, from variables of its own loops."""
    return all(isinstance(form, Affine) and set(form.names) <= set(context.loops) for form in forms)


def kernels(launches: Sequence[Launch]) -> Iterator[Kernel]:
    """All kernels, in the order of their numbers."""
    for launch in launches:
        if isinstance(launch, Kernel):
            yield launch
        elif isinstance(launch, HostLoop):
            yield from kernels(launch.body)


def host_loops(launches: Sequence[Launch]) -> Iterator[Loop]:
    """All loops of the host."""
    for launch in launches:
        if isinstance(launch, HostLoop):
            yield launch.loop
            yield from host_loops(launch.body)


def calls_products(launches: Sequence[Launch]) -> bool:
    """Whether cuBLAS is called."""
    return any(
        calls_products(launch.body) if isinstance(launch, HostLoop) else isinstance(launch, ProductCall)
        for launch in launches
    )
