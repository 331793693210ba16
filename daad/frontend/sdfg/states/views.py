"""Views: names for a part of an array with another shape, resolved to its indices where that is affine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dace
from dace import data
from dace.sdfg import nodes
from dace.sdfg import utils as sdutil

from daad.errors import Location
from daad.frontend.sdfg.locations import location, refused
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import literal
from daad.frontend.sdfg.values.called_functions import numpy_dtype
from daad.frontend.sdfg.values.containers import Dimension, Place


@dataclass(frozen=True)
class View:
    """A view node with what it looks at: `name` sees the subset `subset` of `base`, from its own `own` on."""

    node: nodes.AccessNode
    base: str
    subset: Any
    own: Any
    at: Location | None

    @property
    def name(self) -> str:
        return self.node.data

    def agrees(self, other: View) -> bool:
        """Do both nodes of one view look at the same part?"""
        return (self.base, self.subset, self.own) == (other.base, other.subset, other.own)


def view_of(node: nodes.AccessNode, state: dace.SDFGState) -> View | None:
    """What a node looks at, if it is a view."""
    if not isinstance(node.desc(state.sdfg), data.View):
        return None
    edge = sdutil.get_view_edge(state, node)
    if edge is None:
        raise refused(f"It is ambiguous what the view '{node.data}' looks at.", node)
    path = state.memlet_path(edge)
    viewed = path[-1].dst if edge.src is node else path[0].src
    is_own = edge.data.data == node.data and viewed.data != node.data
    subset, own = (edge.data.other_subset, edge.data.subset) if is_own else (edge.data.subset, edge.data.other_subset)
    return View(node, viewed.data, subset, own, location(node))


def view_place(view: View, scope: Scope) -> Place | None:
    """The view as a window on the array below, by strides; None where an index would not be affine."""
    outer, inner = scope.sdfg.arrays[view.base], scope.sdfg.arrays[view.name]
    if numpy_dtype(outer.dtype) != numpy_dtype(inner.dtype):
        raise refused(f"The view '{view.name}' reads the bytes of '{view.base}' as another type.", view.at)
    if view.subset is None:
        return None
    region = scope.region(view.base, view.subset, view.at)
    shape = [literal(scope.evaluate(n, view.at)) for n in inner.shape]
    strides = [scope.number(n, view.at) for n in inner.strides]
    bounds, steps = ([scope.number(n, view.at) for n in part] for part in (outer.shape, outer.strides))
    factors = [[0] * len(shape) for _ in bounds]
    for axis, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        if size == 1:
            continue
        target = _axis_of(size, stride, bounds, steps)
        if target is None:
            return None
        factors[target][axis] = stride // steps[target]
    origins = region.starts if view.own is None or _starts_at_zero(view, scope) else None
    if origins is None:
        return None
    window = Place(region.place.array, len(shape), tuple(
        Dimension(origin, tuple(row)) for origin, row in zip(origins, factors, strict=True)
    ))  # fmt: skip
    return _through(region.place, window) if _fits(window, bounds, shape) else None


def _axis_of(size: int | float | None, stride: int, bounds: list[int], steps: list[int]) -> int | None:
    """The axis of the base that a view's axis walks along without leaving it."""
    for axis in sorted(range(len(bounds)), key=lambda k: -steps[k]):
        step = steps[axis]
        if bounds[axis] > 1 and stride % step == 0:
            if size is None and stride == step:
                return axis
            if size is not None and (size - 1) * (stride // step) < bounds[axis]:
                return axis
    return None


def _starts_at_zero(view: View, scope: Scope) -> bool:
    return all(literal(scope.evaluate(begin, view.at)) == 0 for begin, _, _ in view.own.ndrange())


def _fits(window: Place, bounds: list[int], shape: Sequence[float | None]) -> bool:
    """Where an origin is a number, the whole view stays inside of the axis."""
    for dimension, bound in zip(window.dimensions, bounds, strict=True):
        origin = literal(dimension.origin)
        reach = sum(factor * ((size or 1) - 1) for factor, size in zip(dimension.factors, shape, strict=True))
        if reach + (int(origin) if origin is not None else 0) >= bound:
            return False
    return True


def _through(base: Place, window: Place) -> Place:
    """A window on a base that is a window itself."""
    composed = []
    for dimension in base.dimensions:
        origin = dimension.at([d.origin for d in window.dimensions])
        columns = range(window.rank)
        factors = tuple(
            sum(f * d.factors[k] for f, d in zip(dimension.factors, window.dimensions, strict=True)) for k in columns
        )
        composed.append(Dimension(origin, factors))
    return Place(base.array, window.rank, tuple(composed))
