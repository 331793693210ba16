"""Shapes as NumPy has them where masks have selected elements: one axis for each mask, whose length data decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.frontend.staging.boolean_masks import Places, is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Lazy, Order, Shape
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr
from daad.ir.pinning import NeedsPlaces


class Count(Lazy):
    """How many elements `selection` has, which knows the axes that a new array of that length may have, too; `expr` is
    None where the number is not known before it is asked for: it is refused then, or all is read again."""

    __slots__ = ("number", "selection", "stage")

    def __init__(self, stage: Stage, selection: Lazy, expr: Expr | None) -> None:
        self.stage, self.selection, self.number = stage, selection, expr
        self.shape, self.dtype, self.weak = (), np.dtype(np.int64), True
        self.order, self.fixed, self.boxed, self.mixed = Order.CONTIGUOUS, False, False, frozenset()

    def __copy__(self) -> Count:
        made = Count(self.stage, self.selection, self.number)
        made.serial, made.origin, made.depth = self.serial, self.origin, self.depth
        return made

    @property
    def expr(self) -> Expr:
        if self.number is None:
            self.stage.refuse_mask(self.selection.shape)
        assert self.number is not None, "it has been counted, or is refused"
        return self.number

    @expr.setter
    def expr(self, number: Expr) -> None:
        self.number = number

    def reads(self) -> set[str]:
        return set() if self.number is None else super().reads()


def numpy_axes(stage: Stage, shape: Shape) -> list[Shape]:
    """For each axis of NumPy's array the own axes that it stands for."""
    found = stage.masks.as_numpy(shape)
    if found is None:
        stage.refuse_mask(shape)
    assert found is not None, "only axes of masks are apart"
    return found


def count(stage: Stage, shape: Shape) -> Any:
    """How many elements there are: a Python int when it is known, otherwise staged; those of masks are counted."""
    if not is_masked(shape):
        whole = total(shape)
        assert whole is not None, "one extent, or a product that is affine"
        return stage.affine(whole)
    if stage.places is False:
        raise NeedsPlaces
    result = stage.allocate((), np.int64)
    stage.store(result, 0)
    stage.nest(shape, lambda _: [(result, (), "+=", Const(1, "int64"))])
    return stage.lazy((), np.int64, lambda _: result.element(()), weak=True)


def places_of(stage: Stage, mask: ArrayValue) -> tuple[Places, ...]:
    """Where a mask is True: for each axis an array of places."""
    known = stage.masks.of(mask, stage.at)
    found = [Places(known, own) for own in range(mask.ndim)]
    for place in found:
        stage.register(place)
    return tuple(found)


def counted(stage: Stage, shape: Shape) -> Any:
    """The same where the program asks for it: with a number that it knows, it may do more than compute."""
    if not is_masked(shape):
        return count(stage, shape)
    is_known = not stage.speculation.is_on
    result = Count(stage, _selection(stage, shape), count(stage, shape).expr if is_known else None)
    stage.register(result)
    return result


def _selection(stage: Stage, shape: Shape) -> Lazy:
    """What has the shape, and reads nothing."""
    return stage.lazy(shape, bool, lambda _: Const(True, "bool"))


def axes_of_count(stage: Stage, number: Any) -> Shape | None:
    """The axes that an array has whose length is a number, where that is of a selection along one of its axes."""
    shape = number.selection.shape if isinstance(number, Count) else ()
    return shape if shape and len(numpy_axes(stage, shape)) == 1 else None


def total(extents: Sequence[Affine]) -> Affine | None:
    """The product of extents, where it is affine."""
    product = Affine(1)
    for extent in extents:
        if not (product.is_const or extent.is_const):
            return None
        product = extent * product.const if product.is_const else product * extent.const
    return product
