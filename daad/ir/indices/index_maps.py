"""What passes do to the indices of accesses: move them, leave some of their axes out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from daad.ir.affine import Affine
from daad.ir.nodes import Index

Part = TypeVar("Part")


def shifted(index: Sequence[Index], by: Sequence[int]) -> tuple[Index, ...]:
    """So much further along each axis; what is not affine stays as it is."""
    return tuple(form + s if isinstance(form, Affine) else form for form, s in zip(index, by, strict=True))


def without(parts: Sequence[Part], axes: Collection[int]) -> tuple[Part, ...]:
    """The parts, one for each axis, of all other axes."""
    return tuple(part for axis, part in enumerate(parts) if axis not in axes)
