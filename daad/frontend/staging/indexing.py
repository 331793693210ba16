"""Subscripts as NumPy means them: places for what slices and integers select, gathers for integer arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.staging.boolean_masks import Places, is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.integer_bounds import interval_of, is_not_negative
from daad.frontend.staging.masked_shapes import numpy_axes
from daad.frontend.staging.slices import Span, span
from daad.frontend.staging.speculation import list_places
from daad.frontend.staging.unread import refuse_unread
from daad.frontend.staging.values import (
    ONE,
    ZERO,
    ArrayValue,
    Complex,
    Lazy,
    Order,
    Shape,
    View,
    affine_of,
    axis,
    broadcast_index,
    expr_of,
    index_of,
    is_number,
    type_name,
)
from daad.ir.affine import Affine
from daad.ir.indices.counted_indices import FAR
from daad.ir.nodes import Const, Expr, Index, Op
from daad.ir.walk import loads, nodes

Point = Sequence[Index]


@dataclass(frozen=True)
class Fixed:
    """One integer: the dimension disappears."""

    position: Index


@dataclass(frozen=True)
class Added:
    """A new axis of one element."""


@dataclass(frozen=True)
class Gathered:
    """An array of integers; `within`: whether an array ends where the axis does, see `ends_with_an_array`."""

    array: ArrayValue
    extent: Affine
    within: bool


@dataclass(frozen=True)
class KnownMask:
    """A mask that is known now: the positions where it is True, and its length."""

    positions: ArrayValue
    length: int


@dataclass(frozen=True)
class Nothing:
    """No axis: what `...` stands for where all have an index, which sets index arrays on both sides of it apart."""


Part = Fixed | Span | Added | Gathered | Nothing


@dataclass(frozen=True)
class Selected:
    """All places of a mask, one for each of its axes, which stand side by side in a key."""

    places: tuple[Places, ...]

    def parts(self, stage: Stage, value: ArrayValue, axes: Sequence[Shape], first: int) -> list[Part]:
        """The mask's points where the array has such axes, otherwise elements by number."""
        extents = self.places[0].mask.extents
        if all(own == (extent,) for own, extent in zip(axes, extents, strict=False)) and len(axes) == len(extents):
            return [Span(ZERO, 1, extent) for extent in self.places[0].shape]
        found: list[Part] = []
        for place, own in zip(self.places, axes, strict=False):
            found += [
                _part(stage, place, extent, ends_with_an_array(stage, value, first + k)) for k, extent in enumerate(own)
            ]
            first += len(own)
        return found


def item(stage: Stage, value: Any, key: tuple[Any, ...]) -> Any:
    """`value[key]`: an element is a number now, so that later writes do not show in it; a slice is a view."""
    if isinstance(value, Complex):
        return Complex(*(item(stage, part, key) for part in value.parts))
    value, key = by_truth_value(stage, value, key)
    parts = parts_of(stage, value, key)
    selected = select(stage, value, parts)
    if is_masked(selected.shape):
        return stage.lazy(selected.shape, value.dtype, selected.element)
    if selected.shape or _identities(key):
        return stage.as_array(selected, fresh=is_number(value))
    return stage.lazy((), value.dtype, lambda _: selected.element(()))


def by_truth_value(stage: Stage, value: ArrayValue, key: tuple[Any, ...]) -> tuple[ArrayValue, tuple[Any, ...]]:
    """The same subscript with an array in the place of a truth value, which stands for an axis of its own: all or
    nothing along it."""
    first = key[0] if key else None
    if isinstance(first, bool | np.bool_):
        mask = stage.array(np.asarray([first]))
    elif isinstance(first, ArrayValue) and first.dtype.kind == "b" and not first.ndim:
        mask = select(stage, first, [Added()])
    else:
        return value, key
    return select(stage, value, [Added(), *parts_of(stage, value, ())]), (mask, *key[1:])


def _identities(key: tuple[Any, ...]) -> list[Any]:
    return [k for k in key if k is Ellipsis]


def select(stage: Stage, value: ArrayValue, parts: Sequence[Part]) -> ArrayValue:
    """The elements that the parts name, as a place where `value` is one and nothing is gathered."""
    if any(isinstance(part, Gathered) for part in parts):
        return _gather(stage, value, parts)
    shape, index = _basic(parts)
    return stage.reindexed(value, shape, index)


def _basic(parts: Sequence[Part]) -> tuple[Shape, Callable[[Point], list[Index]]]:
    shape = tuple(p.extent if isinstance(p, Span) else ONE for p in parts if not isinstance(p, Fixed))

    def index(point: Point) -> list[Index]:
        found: list[Index] = []
        own = iter(point)
        for part in parts:
            if isinstance(part, Fixed):
                found.append(part.position)
                continue
            position = next(own)
            if isinstance(part, Span):
                assert isinstance(position, Affine), "own axes are affine"
                found.append(part.at(position))
        return found

    return shape, index


def places(stage: Stage, parts: Sequence[Part]) -> tuple[Shape, Callable[[Point], list[Index]]]:
    """What the parts name: its shape, and the index into the array at a point of it."""
    if not any(isinstance(part, Gathered) for part in parts):
        return _basic(parts)
    return gathered_shape(stage, parts)[0], lambda point: gathered_index(stage, parts, point)


def gathered_shape(stage: Stage, parts: Sequence[Part]) -> tuple[Shape, int, Shape]:
    """Shape of the result of a gather, where the axes of the index arrays stand in it, and their own shape."""
    arrays = [k for k, part in enumerate(parts) if isinstance(part, Gathered | Fixed)]
    inner = stage.broadcast(*(part.array.shape for part in parts if isinstance(part, Gathered)))
    together = all(isinstance(parts[k], Gathered | Fixed) for k in range(arrays[0], arrays[-1] + 1))
    kept = [part for part in parts if isinstance(part, Span | Added)]
    front = sum(isinstance(part, Span | Added) for part in parts[: arrays[0]]) if together else 0
    outer = [part.extent if isinstance(part, Span) else ONE for part in kept]
    return (*outer[:front], *inner, *outer[front:]), front, inner


def gathered_index(stage: Stage, parts: Sequence[Part], point: Point) -> list[Index]:
    """The index into the array at a point of the result."""
    _, front, inner = gathered_shape(stage, parts)
    rank = len(inner)
    picked, kept = point[front : front + rank], iter((*point[:front], *point[front + rank :]))
    found: list[Index] = []
    for part in parts:
        if isinstance(part, Gathered):
            element = part.array.element(broadcast_index(part.array, picked))
            found.append(wrapped(stage, index_of(element), part.extent, part.within))
        elif isinstance(part, Fixed):
            found.append(part.position)
        elif not isinstance(part, Nothing):
            position = next(kept)
            if isinstance(part, Span):
                assert isinstance(position, Affine), "axes of slices are affine"
                found.append(part.at(position))
    return found


def _gather(stage: Stage, value: ArrayValue, parts: Sequence[Part]) -> ArrayValue:
    shape, front, _ = gathered_shape(stage, parts)
    result = stage.lazy(shape, value.dtype, lambda point: value.element(gathered_index(stage, parts, point)))
    arrays = [value, *(part.array for part in parts if isinstance(part, Gathered))]
    if front > 0 or not all(map(stage.order, arrays)):  # the gathered axes are the outer ones in memory
        result.order = Order.UNKNOWN
    return result


def parts_of(stage: Stage, value: ArrayValue, key: tuple[Any, ...]) -> list[Part]:
    """The parts of a key, one for each dimension of the value and one for each new axis."""
    key = _by_mask(tuple(found for k in key for found in _known_mask(stage, k)))
    key = _with_ellipsis(stage, value, key)
    parts: list[Part] = []
    axes = numpy_axes(stage, value.shape)
    for component in key:
        if component is None or component is Ellipsis:
            parts.append(Added() if component is None else Nothing())
            continue
        if isinstance(component, Selected):
            taken = axes[: len(component.places)]
            parts.extend(component.parts(stage, value, taken, len(value.shape) - sum(map(len, axes))))
            axes = axes[len(taken) :]
            continue
        if _is_mask(component):
            mask = stage.array(component)
            size = len(numpy_axes(stage, mask.shape))
            parts.extend(_mask_spans(stage, mask, tuple(extent for own in axes[:size] for extent in own)))
            axes = axes[size:]
            continue
        first = len(value.shape) - sum(map(len, axes))
        for own, extent in enumerate(axes[0], first):
            parts.append(_part(stage, component, extent, ends_with_an_array(stage, value, own)))
        axes = axes[1:]
    gathers = any(isinstance(part, Gathered) for part in parts)
    return [part for part in parts if gathers or not isinstance(part, Nothing)]


def _known_mask(stage: Stage, component: Any) -> list[Any]:
    """Sequences are arrays; a mask that is known now is the arrays of its positions."""
    component = list(component) if isinstance(component, range | tuple) else component
    component = np.zeros(0, np.intp) if isinstance(component, list) and not component else component
    if isinstance(component, np.ndarray | list) and np.asarray(component).dtype == bool and np.ndim(component) == 1:
        return [KnownMask(stage.array(np.flatnonzero(component)), len(component))]
    component = stage.array(component) if isinstance(component, list | np.ndarray) else component
    places: tuple[Any, ...] | None = stage.positions(component) if stage.places and _is_mask(component) else None
    if places is None and _is_mask(component) and stage.at in stage.speculation.counted:
        places = list_places(stage, component)
    if places is None:
        return [component]
    return [KnownMask(stage.array(at), stage.known(size)) for at, size in zip(places, component.shape, strict=True)]


def _by_mask(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key with the places of a mask, side by side in order, as one."""
    found: list[Any] = []
    rest = list(key)
    while rest:
        first = rest[0]
        size = len(first.mask.extents) if isinstance(first, Places) else 1
        run = rest[:size]
        is_whole = isinstance(first, Places) and [_own(first, place) for place in run] == list(range(size))
        found += [Selected(tuple(run))] if is_whole else run
        del rest[: len(run)]
    return tuple(found)


def _own(first: Places, place: Any) -> int | None:
    """The axis of a mask that something gives the places of."""
    return place.own if isinstance(place, Places) and place.mask.number == first.mask.number else None


def _with_ellipsis(stage: Stage, value: ArrayValue, key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key with whole slices in the place of `...`, or at its end."""
    used = sum(_dimensions(stage, component) for component in key)
    rank = len(numpy_axes(stage, value.shape))
    missing = rank - used
    if missing < 0:
        sentence = f"An array of {rank} dimension{'s' * (rank != 1)} is indexed with {used} indices."
        error = TypeError(sentence) if value.weak else IndexError(sentence)
        stage.refuse(sentence, "Check the shapes of the arguments.", error)
    fill = (slice(None),) * missing
    if len(_identities(key)) > 1:
        stage.refuse("An index can only have a single ellipsis ('...').", "Write ':' for each axis.")
    place = next((k for k, component in enumerate(key) if component is Ellipsis), None)
    return (*key, *fill) if place is None else (*key[:place], *(fill or (Ellipsis,)), *key[place + 1 :])


def _dimensions(stage: Stage, component: Any) -> int:
    if component is None or component is Ellipsis:
        return 0
    if isinstance(component, Selected):
        return len(component.places)
    return len(numpy_axes(stage, component.shape)) if _is_mask(component) else 1


def _is_mask(component: Any) -> bool:
    return isinstance(component, ArrayValue) and component.dtype.kind == "b" and component.ndim > 0


def _mask_spans(stage: Stage, mask: ArrayValue, extents: Shape) -> list[Part]:
    _require_fitting(stage, mask.shape, extents)
    return [Span(ZERO, 1, extent) for extent in stage.masks.of(mask, stage.at).axes]


def _require_fitting(stage: Stage, mask: Shape, extents: Shape) -> None:
    if not all(map(stage.same_extent, mask, extents)):
        stage.refuse_mask((*mask, *extents))
        stage.refuse("A boolean mask has another shape than the array it indexes.", "Make the mask from this array.")


def _part(stage: Stage, component: Any, extent: Affine, within: bool) -> Part:
    if is_masked((extent,)):
        if component == slice(None):
            return Span(ZERO, 1, extent)
        stage.refuse_mask((extent,))
    if isinstance(component, slice):
        return span(stage, component, extent)
    if isinstance(component, KnownMask):
        _require_fitting(stage, (Affine(component.length),), (extent,))
        return Gathered(component.positions, extent, within)
    if isinstance(component, np.ndarray):
        component = stage.array(component)
    form = affine_of(component)
    if form is not None:
        return Fixed(position(stage, form, extent, within))
    if not isinstance(component, ArrayValue):
        refuse_unread((component,))
        stage.refuse(
            f"A value of type '{type_name(component)}' is used as an index.",
            "Use integers, slices or arrays of them.",
        )
    if component.dtype.kind not in "iu":
        stage.refuse(f"An array of dtype '{component.dtype}' is used as an index.", "Use integers.")
    if component.ndim:
        return Gathered(component, extent, within)
    return Fixed(wrapped(stage, index_of(component.element(())), extent, within))


def ends_with_an_array(stage: Stage, value: ArrayValue, own: int) -> bool:
    """Whether an index outside of the axis is outside of an array, too, that is read or written for it."""
    if is_masked((value.shape[own],)):
        return True
    if isinstance(value, View):
        places = [(value.base, value.index)]
    elif isinstance(value, Lazy) and not any(isinstance(n, Op) and n.name == "where" for n in nodes(value.expr)):
        places = [(load.array, load.index) for load in loads(value.expr)]
    else:
        return False
    extent, variable = value.shape[own], Affine.of(axis(own))
    ways = (variable, extent - 1 - variable)
    pairs = ((i, size) for array, index in places for i, size in zip(index, stage.arrays[array].shape, strict=True))
    return any(i in ways and Affine(size) == extent for i, size in pairs)


def position(stage: Stage, form: Affine, extent: Affine, within: bool = True) -> Index:
    """An affine index, counted from the front."""
    if form.is_const and extent.is_const:
        if not -extent.const <= form.const < extent.const:
            sentence = f"Index {form.const} is out of bounds for an axis of size {extent.const}."
            stage.refuse(sentence, "Check the shapes of the arguments.", IndexError(sentence))
        return Affine(form.const % extent.const)
    stage.pin(extent)
    if form.is_const and form.const < 0:
        return extent + form.const
    if not (stage.provable(form) and stage.provable(extent - form - 1)):
        stage.pin_related(form)
    for inside in (form, form + extent):
        if stage.provable(inside) and stage.provable(extent - inside - 1):
            return inside
    counted = _from_the_end_if_negative(expr_of(form), extent)
    if not within:
        return _far_if_outside(stage, counted, extent)
    # A value that is no affine form: such indices are checked when they are used.
    return Op("minimum", (counted, expr_of(extent)), "int64")


def wrapped(stage: Stage, index: Index, extent: Affine, within: bool) -> Index:
    """A run-time index, counted from the front where it is negative; `within`: see `ends_with_an_array`."""
    if isinstance(index, Affine) and (index.is_const or stage.provable(index)):
        return position(stage, index, extent, within)
    is_counted = isinstance(index, Expr) and is_not_negative(stage, index)
    counted = expr_of(index) if is_counted else _from_the_end_if_negative(expr_of(index), extent)
    return counted if within else _far_if_outside(stage, counted, extent)


def _far_if_outside(stage: Stage, counted: Expr, extent: Affine) -> Expr:
    """The index, behind every array where it does not fit the axis: it might fit what lies beside a part of one."""
    low, high = interval_of(stage, counted)
    if low >= 0 and extent.is_const and high < extent.const:
        return counted
    at_least = Op("greater_equal", (counted, Const(0, "int64")), "bool")
    inside = Op("logical_and", (at_least, Op("less", (counted, expr_of(extent)), "bool")), "bool")
    return Op("where", (inside, counted, Op("add", (counted, Const(FAR, "int64")), "int64")), "int64")


def _from_the_end_if_negative(expr: Expr, extent: Affine) -> Expr:
    negative = Op("less", (expr, Const(0, expr.dtype)), "bool")
    return Op("where", (negative, Op("add", (expr, expr_of(extent)), "int64"), expr), "int64")


def place(stage: Stage, value: ArrayValue, parts: Sequence[Part]) -> View:
    """The place that a subscript names, for writing."""
    if not isinstance(value, View):
        stage.refuse(
            "A value that is no array in memory is written.", "Make an array of it first, such as with 'np.copy'."
        )
    view = select(stage, value, parts)
    assert isinstance(view, View), "basic indexing of a place gives a place"
    return view
