"""Shapes as NumPy has them where masks have selected elements: one axis for each mask, whose length data decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.frontend.staging.boolean_masks import Places, is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Shape
from daad.ir.affine import Affine
from daad.ir.nodes import Const
from daad.ir.pinning import NeedsPlaces


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
    if is_masked(shape) and stage.speculation.is_on:
        stage.refuse_mask(shape)
    return count(stage, shape)


def total(extents: Sequence[Affine]) -> Affine | None:
    """The product of extents, where it is affine."""
    product = Affine(1)
    for extent in extents:
        if not (product.is_const or extent.is_const):
            return None
        product = extent * product.const if product.is_const else product * extent.const
    return product
