"""A run of independent statements on a window of its coordinates, with arrays that hold no more than the window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from daad.analysis.independence import Lane, Run, Seat
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.nodes import Array, Branch, Index, Loop, Nest, Node, Range
from daad.ir.walk import reindexed, substitute_node


@dataclass(frozen=True)
class Window:
    """Coordinates `low .. low + width` within the piece `piece` of the run, in which every nest has all or none."""

    low: Affine
    width: int
    piece: tuple[int, int]


def pieces(run: Run) -> list[tuple[int, int]]:
    """The coordinates of a run, cut wherever a nest begins or ends; those without a nest are left out."""
    spans = [(a, b) for a, b in run.spans if a < b]
    cuts = sorted({end for span in spans for end in span})
    return [(a, b) for a, b in pairwise(cuts) if any(first <= a and b <= last for first, last in spans)]


def narrowed(run: Run, window: Window, contracted: Mapping[str, Seat], flat: bool) -> tuple[Node, ...]:
    """The run on a window; arrays of `contracted` have the window's elements alone, or (`flat`) no such axis."""
    body = _Narrower(run, window).body(run.nodes)
    if not contracted:
        return body
    changes = {name: _Place(seat.axis, window.low + seat.offset, flat).index for name, seat in contracted.items()}
    return tuple(reindexed(node, changes) for node in body)


@dataclass
class _Narrower:
    """Goes through the nests in program order."""

    run: Run
    window: Window
    number: int = 0

    def body(self, body: Iterable[Node]) -> tuple[Node, ...]:
        return tuple(node for child in body for node in self.node(child))

    def node(self, node: Node) -> tuple[Node, ...]:
        if isinstance(node, Nest):
            lane, span = self.run.lanes[self.number], self.run.spans[self.number]
            self.number += 1
            return self.nest(node, lane) if span[0] <= self.window.piece[0] < span[1] else ()
        if isinstance(node, Branch):
            then, orelse = self.body(node.then), self.body(node.orelse)
            return (replace(node, then=then, orelse=orelse),) if then or orelse else ()
        first = self.number
        inner = self.body(node.body)
        if not inner:
            return ()
        lane = self.run.lanes[first]
        return self.loop(node, lane, inner) if lane.var == node.var else (replace(node, body=inner),)

    def first(self, lane: Lane) -> Affine:
        """The first value of the lane's variable."""
        return self.window.low - lane.shift

    def nest(self, nest: Nest, lane: Lane) -> tuple[Node, ...]:
        if not any(r.var == lane.var for r in nest.domain):
            return (nest,)
        first = self.first(lane)
        if self.window.width == 1:
            rest = replace(nest, domain=tuple(r for r in nest.domain if r.var != lane.var))
            return (substitute_node(rest, {str(lane.var): first}),)
        own = (Range(r.var, first, first + self.window.width) if r.var == lane.var else r for r in nest.domain)
        return (replace(nest, domain=tuple(own)),)

    def loop(self, loop: Loop, lane: Lane, inner: tuple[Node, ...]) -> tuple[Node, ...]:
        first = self.first(lane)
        if self.window.width == 1:
            return tuple(substitute_node(node, {loop.var: first}) for node in inner)
        last = first + self.window.width
        start, stop = (first, last) if loop.step > 0 else (last - 1, first - 1)
        return (replace(loop, start=start, stop=stop, body=inner),)


@dataclass(frozen=True)
class _Place:
    """Where the elements of a window lie along an axis: counted from `first`, or (`flat`) the axis is gone."""

    axis: int
    first: Affine
    flat: bool

    def index(self, index: tuple[Index, ...]) -> tuple[Index, ...]:
        if self.flat:
            return without(index, (self.axis,))
        form = index[self.axis]
        assert isinstance(form, Affine), "coordinates are affine"
        return (*index[: self.axis], form - self.first, *index[self.axis + 1 :])


def contracted_array(array: Array, axis: int, width: int, flat: bool) -> Array:
    """The array with `width` elements along an axis."""
    kept = () if flat else (width,)
    return replace(array, shape=(*array.shape[:axis], *kept, *array.shape[axis + 1 :]))
