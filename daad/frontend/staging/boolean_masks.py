"""Selections by boolean masks: arrays that keep the mask's own axes, of which only the masked points count.

The extents of such axes are symbols of the mask and the axis; nests run over the whole axes and do nothing where
the mask is False. A mask is known by its expression, until something that it reads is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from daad.errors import Location
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, Shape, axis, expr_of, own_axes, substitute
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Index, Op
from daad.ir.operations.updates import BY_SIGN, Sign
from daad.ir.symbols import Kind, form, parts_of
from daad.ir.walk import loads


@dataclass(frozen=True)
class Mask:
    """A boolean array by its element in own axes; `at` is where it selects something."""

    number: int
    element: Expr
    extents: Shape
    at: frozenset[Location | None] = frozenset()

    @cached_property
    def reads(self) -> frozenset[str]:
        """The arrays that it is made from."""
        return frozenset(load.array for load in loads(self.element))

    def holds(self, point: Sequence[Index]) -> Expr:
        return substitute(self.element, {axis(k): i for k, i in enumerate(point)})

    @property
    def axes(self) -> Shape:
        return tuple(form(Kind.SELECTED, self.number, k) for k in range(len(self.extents)))


class Places(Lazy):
    """Where a mask is True, along its axis `own`, as `np.nonzero` gives it: the points of the mask's axes."""

    __slots__ = ("mask", "own")

    def __init__(self, mask: Mask, own: int) -> None:
        super().__init__(mask.axes, np.dtype(np.int64), expr_of(Affine.of(axis(own))), False)
        self.mask, self.own = mask, own


class Masks:
    """The masks that have been used so far; those still valid are recognised again."""

    def __init__(self, masks: tuple[Mask, ...] = (), valid: tuple[int, ...] = ()) -> None:
        self.masks, self.valid = masks, valid

    def of(self, mask: ArrayValue, at: Location | None) -> Mask:
        """The mask with this element, the same as before if nothing has changed since."""
        own, extents = own_axes(mask.ndim), self.full(mask.shape)
        element, selected = mask.element(own), self.condition(mask.shape, own)
        if selected is not None:  # a mask of what another one has selected
            element = Op("where", (selected, element, Const(False, "bool")), "bool")
        for known in self.masks:
            if known.number in self.valid and (known.element, known.extents) == (element, extents):
                return known if at in known.at else self._replaced(replace(known, at=known.at | {at}))
        made = Mask(len(self.masks), element, extents, frozenset((at,)))
        self.masks, self.valid = (*self.masks, made), (*self.valid, made.number)
        return made

    def written(self, base: str) -> None:
        """Forgets the masks that read an array."""
        self.valid = tuple(n for n in self.valid if base not in self.masks[n].reads)

    def reading(self, base: str) -> list[Mask]:
        """The masks that read an array."""
        return [mask for mask in self.masks if base in mask.reads]

    def used(self, shape: Sequence[Affine]) -> list[Mask]:
        """The masks of a shape."""
        return [self.masks[n] for n in dict.fromkeys(n for n, _ in _masked(shape))]

    def settle(self, mask: Mask, element: Expr) -> None:
        """The mask has been computed; its element is this from now on."""
        self._replaced(replace(mask, element=element))
        self.valid = tuple(n for n in self.valid if n != mask.number)

    def _replaced(self, mask: Mask) -> Mask:
        self.masks = tuple(mask if m.number == mask.number else m for m in self.masks)
        return mask

    def forget(self) -> None:
        """No mask of before is recognised from here on."""
        self.valid = ()

    def copy(self) -> Masks:
        return Masks(self.masks, self.valid)

    def as_numpy(self, shape: Sequence[Affine]) -> list[Shape] | None:
        """The axes that NumPy's array has: those of a mask are one; None where they are not all side by side."""
        found: list[Shape] = []
        rest = tuple(shape)
        while rest:
            parsed = _selected(rest[0])
            size = 1 if parsed is None else len(self.masks[parsed[0]].extents)
            if parsed is not None and rest[:size] != self.masks[parsed[0]].axes:
                return None
            found.append(rest[:size])
            rest = rest[size:]
        return found

    def full(self, shape: Sequence[Affine]) -> Shape:
        """The shape with whole axes."""
        return tuple(self._whole(extent) for extent in shape)

    def _whole(self, extent: Affine) -> Affine:
        found = _selected(extent)
        return extent if found is None else self.masks[found[0]].extents[found[1]]

    def condition(self, shape: Sequence[Affine], point: Sequence[Index]) -> Expr | None:
        """Whether a point of a shape with masked axes counts; None if all of them do."""
        result: Expr | None = None
        for number in dict.fromkeys(n for n, _ in _masked(shape)):
            mask = self.masks[number]
            found = [[point[k] for k, extent in enumerate(shape) if extent == own] for own in mask.axes]
            for indices in zip(*found, strict=True):  # the axes stand there twice in an outer product
                holds = substitute(mask.element, {axis(k): i for k, i in enumerate(indices)})
                result = holds if result is None else Op("logical_and", (result, holds), "bool")
        return result


def is_masked(shape: Sequence[Affine]) -> bool:
    """Whether an axis holds the points of a mask."""
    return any(True for _ in _masked(shape))


def masked_shapes(values: Iterable[Any]) -> Iterator[Shape]:
    """The shapes of selections among values, and in lists of them."""
    for value in values:
        if isinstance(value, ArrayValue) and is_masked(value.shape):
            yield value.shape
        elif isinstance(value, Complex):
            yield from masked_shapes(value.parts)
        elif isinstance(value, list | tuple):
            yield from masked_shapes(value)


def _masked(shape: Sequence[Affine]) -> Iterator[tuple[int, int]]:
    for extent in shape:
        found = _selected(extent)
        if found is not None:
            yield found


def _selected(extent: Affine) -> tuple[int, int] | None:
    if len(extent.terms) != 1:
        return None
    [(name, _)] = extent.terms
    return parts_of(Kind.SELECTED, name)


def guarded(condition: Expr, value: Expr, op: Sign, otherwise: Expr) -> Expr:
    """The value where the condition holds, and what changes nothing elsewhere."""
    if op != "=":
        otherwise = Const(BY_SIGN[op].neutral(value.dtype), value.dtype)
    return Op("where", (condition, value, otherwise), value.dtype)
