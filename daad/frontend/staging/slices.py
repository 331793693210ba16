"""What a slice selects: from where, in which steps, how many."""

from __future__ import annotations

from dataclasses import dataclass

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.integer_bounds import is_below, is_not_negative
from daad.frontend.staging.integer_sums import gap
from daad.frontend.staging.values import ZERO, ArrayValue, affine_of, count_of, expr_of, index_of
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Index, Load, Op
from daad.ir.walk import loads

CHANGES = "The shape of a slice changes from iteration to iteration."


@dataclass(frozen=True)
class Span:
    """A slice: `start + step * k` for k below `extent`; data may decide the start."""

    start: Index
    step: int
    extent: Affine

    def at(self, position: Affine) -> Index:
        """The index of the element at a position."""
        if isinstance(self.start, Affine):
            return self.start + position * self.step
        return Op("add", (self.start, expr_of(position * self.step)), "int64")


def span(stage: Stage, component: slice, extent: Affine) -> Span:
    """A slice, clipped to the axis."""
    step = 1 if component.step is None else stage.known(_form(stage, component.step))
    if step == 0:
        stage.refuse("The step of a slice is zero.", "Use another step.")
    moving = _moving(stage, component, step, extent)
    return moving or _clipped_span(stage, component, step, extent)


def _clipped_span(stage: Stage, component: slice, step: int, extent: Affine) -> Span:
    forms = [None if bound is None else _form(stage, bound) for bound in (component.start, component.stop)]
    if extent.is_const and all(f is None or f.is_const for f in forms):
        low_high = [None if f is None else f.const for f in forms]
        start, stop, _ = slice(low_high[0], low_high[1], step).indices(extent.const)
        return Span(Affine(start), step, Affine(len(range(start, stop, step))))
    stage.pin(extent)
    low, high = (ZERO, extent) if step > 0 else (Affine(-1), extent - 1)
    default = (low, high) if step > 0 else (high, low)
    first, last = (
        d if f is None else _clipped(stage, f, extent, low, high) for f, d in zip(forms, default, strict=True)
    )
    return Span(first, step, _count(stage, (last - first) * (1 if step > 0 else -1), abs(step)))


def _moving(stage: Stage, component: slice, step: int, extent: Affine) -> Span | None:
    """`a[i - 1 : i + 3]` for an `i` from data: where both ends are a known number apart, only the start moves.

    An end beyond the axis is found when elements are read or written, as NumPy has fewer of them then.
    """
    start, stop = (_from_data(bound) for bound in (component.start, component.stop))
    if start is None or stop is None or step < 0 or isinstance(start, Affine) or isinstance(stop, Affine):
        return None
    count = gap(stop, start)
    if count is None or not (any(loads(start)) and any(loads(stop))) or stage.provable(-count - 1):
        return None
    count = _count(stage, count, step)
    return (
        Span(ZERO, step, ZERO) if count == ZERO else Span(_counted_from_front(stage, start, stop, extent), step, count)
    )


def _from_data(bound: object) -> Index | None:
    """An integer; None for what is none."""
    form = affine_of(bound)
    if form is not None:
        return form
    if isinstance(bound, ArrayValue) and not bound.shape and bound.dtype.kind in "iu":
        return index_of(bound.element(()))
    return None


def _counted_from_front(stage: Stage, start: Expr, stop: Expr, extent: Affine) -> Expr:
    """A start that may be negative, as `stop` may be: both are counted from the end then, or they select something
    else, and the start stays outside of the axis."""
    if is_not_negative(stage, stop):
        return start
    negative = Op("less", (stop, Const(0, "int64")), "bool")
    wrapped = Op("where", (negative, Op("add", (start, expr_of(extent)), "int64"), start), "int64")
    place = stage.copy(stage.lazy((), "int64", lambda _: wrapped), "start")
    return Load(place.base, (), "int64")


def _form(stage: Stage, bound: object) -> Affine:
    form = count_of(bound)
    if form is not None:
        return form
    number = stage.settled(bound, "The bound of a slice")
    if number is None:
        stage.refuse(
            "The bounds of a slice depend on data, so its shape does.",
            "Use bounds from shapes, ints and loop variables, or two that are a known number apart ('x[i : i + 3]').",
        )
    return Affine(number)


def _clipped(stage: Stage, form: Affine, extent: Affine, low: Affine, high: Affine) -> Affine:
    """A bound of a slice: counted from the front, and moved into the axis."""
    if form.is_const:
        form = form if form.const >= 0 else form + extent
    elif is_below(stage, form, ZERO):
        form = form + extent
    elif not stage.provable(form):
        _decide(stage, form)
    for bound, outside in ((low, low - form), (high, form - high)):
        if stage.provable(outside):
            return bound
        if not stage.provable(-outside):
            _decide(stage, outside)
    return form


def _count(stage: Stage, gap: Affine, step: int) -> Affine:
    if stage.provable(-gap):
        return ZERO
    if not stage.provable(gap):
        _decide(stage, gap)
    if step == 1:
        return gap
    if not gap.is_const:
        _decide(stage, gap)
    return Affine(-(-gap.const // step))


def _decide(stage: Stage, form: Affine) -> None:
    """Nothing is known about the sign of the form: the loops or parameters in it must become numbers."""
    stage.pin_related(form)
    raise stage.unroll(form, CHANGES)
