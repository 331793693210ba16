"""The values of a loop's variable, in ascending order."""

from __future__ import annotations

from daad.ir.affine import Affine
from daad.ir.nodes import Index, Range


def range_of(variable: str, start: Index, stop: Index, step: int) -> Range | None:
    """The values of a loop's variable in ascending order, if its bounds are affine."""
    if not isinstance(start, Affine) or not isinstance(stop, Affine):
        return None
    return Range(variable, start, stop) if step > 0 else Range(variable, stop + 1, start + 1)
