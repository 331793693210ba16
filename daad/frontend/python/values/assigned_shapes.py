"""`array.shape = shape` and `array.resize(shape)`: the name stands for the array in another shape from then on."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from daad.frontend.numpy import FUNCTIONS, METHODS
from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values import objects
from daad.frontend.staging import indexing
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View
from daad.ir.pinning import NeedsOwn

NAMES = ("An array that has other names gets another shape.", "Use 'reshape', and give the result a name.")
MASKED: Any = np.ma.MaskedArray.__dict__["shape"].fset
PLACES = ("An array whose elements do not lie in a row gets another shape.", "Use 'reshape'.")


def reshaped(reader: Reader, array: ArrayValue | Complex, shape: Any) -> Any:
    """The array in the other shape, in the same memory; refused where other names stand for it, too."""
    made = METHODS["reshape"](reader.stage, (array, shape), {})
    if made.shape == array.shape:
        return array
    for part, other in zip(_parts(array), _parts(made), strict=True):
        if sum(_is_same(part, held) for held in _held(reader)) > 1:
            reader.stage.refuse(*NAMES)
        _require_place(reader, part, other)
    return made


def require_shape(reader: Reader, array: np.ndarray, shape: Any) -> None:
    """A known array that gets another shape than it has is from now on one of the program's own."""
    sizes, value = static(reader.stage, shape, "shape"), reader.stage.array(array)
    if METHODS["reshape"](reader.stage, (value, sizes), {}).shape != value.shape:
        raise NeedsOwn(array)


def resized(reader: Reader, array: ArrayValue | Complex, *shape: Any, refcheck: bool = True) -> Any:
    """The array with as many of its elements as the shape has, and zeros after them; refused where others see it."""
    stage = reader.stage
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    bases = {part.base for part in _parts(array) if isinstance(part, View) and stage.is_whole(part)}
    seen = sum(isinstance(held, View) and held.base in bases for held in _held(reader))
    if not bases or bases & {*stage.parameters, *stage.constants} or seen > len(bases):
        stage.refuse("An array that has other names, or parts that have, is resized.", "Use 'np.zeros', and copy.")
    flat = METHODS["ravel"](stage, (array,), {})
    old, new = (stage.known(flat.shape[0]), prod(map(int, static(stage, sizes, "shape"))))
    rest = FUNCTIONS[np.zeros](stage, (max(new - old, 0), flat.dtype), {})
    part = indexing.item(stage, flat, (slice(None, min(new, old)),))
    return METHODS["reshape"](stage, (FUNCTIONS[np.concatenate](stage, ((part, rest),), {}), tuple(sizes)), {})


def subarray_reshaped(reader: Reader, value: Subarray, shape: Any) -> Subarray:
    """The same of an array of a class of its own; a masked one's mask gets the shape, too."""
    setter = objects.setter_of(value, "shape", False)
    if setter is not None and setter[0] is not MASKED:
        reader.stage.refuse("The class of an array says itself what 'shape' does.", "Use 'reshape'.")
    made = METHODS["reshape"](reader.stage, (value.array, shape), {})
    if made.shape == value.array.shape:
        return value
    if sum(isinstance(held, Subarray) and held.state is value.state for held in _held(reader)) > 1:
        reader.stage.refuse(*NAMES)
    value.state.shape = shape
    for part, other in zip(_parts(value.array), _parts(made), strict=True):
        _require_place(reader, part, other)
    mask = vars(value.state).get("_mask") if setter is not None else None
    if isinstance(mask, np.ndarray):
        require_shape(reader, mask, shape)
    if isinstance(mask, ArrayValue):
        reader.assign(vars(value.state), "_mask", reshaped(reader, mask, shape), "_mask")
    return Subarray(made, value.state)


def _require_place(reader: Reader, part: Any, other: Any) -> None:
    if isinstance(part, View) and not (isinstance(other, View) and other.base == part.base):
        reader.stage.refuse(*PLACES)


def _parts(value: Any) -> tuple[Any, ...]:
    return value.parts if isinstance(value, Complex) else (value,)


def _held(reader: Reader) -> Iterator[Any]:
    """All values that variables hold."""
    for _, holder in reader.holders():
        for value in holder.values() if isinstance(holder, dict) else holder:
            yield from _parts(value)


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, View) and isinstance(other, View):
        return (value.base, value.index, value.shape) == (other.base, other.index, other.shape)
    return value is other
