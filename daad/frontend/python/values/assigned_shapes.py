"""`array.shape = shape`: the name stands for the same elements in another shape from then on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daad.frontend.numpy import METHODS
from daad.frontend.python.reading.environment import holders
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View

NAMES = ("An array that has other names gets another shape.", "Use 'reshape', and give the result a name.")
PLACES = ("An array whose elements do not lie in a row gets another shape.", "Use 'reshape'.")


def reshaped(reader: Reader, array: ArrayValue | Complex, shape: Any) -> Any:
    """The array in the other shape, in the same memory; refused where other names stand for it, too."""
    made = METHODS["reshape"](reader.stage, (array, shape), {})
    for part, other in zip(_parts(array), _parts(made), strict=True):
        if sum(_is_same(part, held) for held in _held(reader)) > 1:
            reader.stage.refuse(*NAMES)
        _require_place(reader, part, other)
    return made


def subarray_reshaped(reader: Reader, value: Subarray, shape: Any) -> Subarray:
    """The same of an array of a class of its own."""
    if sum(isinstance(held, Subarray) and held.state is value.state for held in _held(reader)) > 1:
        reader.stage.refuse(*NAMES)
    value.state.shape = shape
    made = METHODS["reshape"](reader.stage, (value.array, shape), {})
    for part, other in zip(_parts(value.array), _parts(made), strict=True):
        _require_place(reader, part, other)
    return Subarray(made, value.state)


def _require_place(reader: Reader, part: Any, other: Any) -> None:
    if isinstance(part, View) and not (isinstance(other, View) and other.base == part.base):
        reader.stage.refuse(*PLACES)


def _parts(value: Any) -> tuple[Any, ...]:
    return value.parts if isinstance(value, Complex) else (value,)


def _held(reader: Reader) -> Iterator[Any]:
    """All values that variables hold."""
    for _, holder in holders(reader.frames, reader.objects):
        for value in holder.values() if isinstance(holder, dict) else holder:
            yield from _parts(value)


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, View) and isinstance(other, View):
        return (value.base, value.index, value.shape) == (other.base, other.index, other.shape)
    return value is other
