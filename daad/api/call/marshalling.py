"""From the arguments of a call to what compiled code takes: plain arrays in C order that it may overwrite, and ints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.subject import complex_views
from daad.errors import BadArgument
from daad.ir.nodes import Array
from daad.runtime.gpu.device_array import DeviceArray

LIMIT = 2**63
EFFORT = 100_000
"""Candidates that are tried to tell whether two strided arrays share an element; beyond, they count as sharing."""

Copies = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, kw_only=True)
class Slot:
    """An array parameter of the compiled code: which leaf of the call it is, or (-1) the array that it always is.

    `written`: whether compiled code changes it; `overwritten`: whether the program itself does. `native`: whether the
    argument has this machine's byte order. `paired`: whether it is complex. `brought`: a call brings it beside the
    program's arguments, as it does with tangents and seeds.
    """

    leaf: int
    name: str
    array: Array
    written: bool
    overwritten: bool
    native: bool = True
    paired: bool = False
    brought: bool = False
    fixed: np.ndarray | None = None


def take(slots: Sequence[Slot], leaves: Sequence[Any]) -> tuple[list[np.ndarray], Copies]:
    """The arrays for the slots, and those among them that are copies of arguments which the program overwrites."""
    given: list[Any] = []
    arrays: list[np.ndarray] = []
    copies: Copies = []
    for slot in slots:
        value = leaves[slot.leaf] if slot.fixed is None else slot.fixed
        value = complex_views.parts(value) if slot.paired else value
        is_plain = type(value) is np.ndarray and slot.native and value.flags.carray
        arrays.append(value if is_plain else _converted(value, slot, copies))
        given.append(value)
    return (apart(arrays, given, slots), copies) if may_overlap(slots) else (arrays, copies)


def may_overlap(slots: Sequence[Slot]) -> bool:
    """Whether the program would see that two of its arguments share memory."""
    return len(slots) > 1 and any(slot.overwritten for slot in slots)


def _converted(value: Any, slot: Slot, copies: Copies) -> np.ndarray:
    if isinstance(value, DeviceArray):
        _require_written_places(slot, value.is_writable)
        return value  # type: ignore[return-value]  # compiled code takes it as it is
    if not isinstance(value, np.ndarray):
        return np.array(value, dtype=slot.array.dtype)
    if slot.overwritten:
        _require_own_places(value, slot)
    if slot.native and value.flags.c_contiguous and value.flags.aligned:
        return np.asarray(value)
    copy = np.array(value, dtype=slot.array.dtype, order="C")
    if slot.written:
        copies.append((value, copy))
    return copy


def _require_own_places(array: np.ndarray, slot: Slot) -> None:
    _require_written_places(slot, array.flags.writeable)
    if array.flags.writeable and overlaps_itself(array):
        raise BadArgument(
            f"The array '{slot.name}' has several elements in one place, and the program overwrites it.",
            hint="Pass a copy.",
        )


def _require_written_places(slot: Slot, is_writable: bool) -> None:
    if slot.written and not is_writable:
        raise BadArgument(
            f"The array '{slot.name}' is read-only, and the program overwrites it.",
            hint="Pass a copy, or use on_inputs='keep'.",
        )


def apart(arrays: Sequence[Any], given: Sequence[Any], slots: Sequence[Slot]) -> list[Any]:
    """The arrays, of which what is brought is copied where it shares memory with an argument that compiled code writes.

    Raises BadArgument where an argument that the program overwrites shares memory with another one.
    """
    found = [*arrays]
    for slot, array in zip(slots, given, strict=True):
        if not slot.overwritten:
            continue
        for number, other in enumerate(slots):
            if other is slot or (other.brought and not slot.written) or not share(array, given[number]):
                continue
            if other.brought:
                found[number] = found[number].copy()
            else:
                raise BadArgument(
                    f"The arguments '{slot.name}' and '{other.name}' share memory, and the program "
                    f"overwrites '{slot.name}'.",
                    hint="Pass a copy of one of them.",
                )
    return found


def constant(value: Any, array: Array, outside: Collection[int] = ()) -> np.ndarray:
    """An array that is no argument: itself where it can stand for one, so that what changes in it is seen.

    One with gaps is copied, if neither it nor what it is a view of is one of `outside`, by its identity: nobody else
    has it.
    """
    same = isinstance(value, np.ndarray) and value.dtype.newbyteorder("=") == np.dtype(array.dtype)
    if not same or value.shape != array.shape:
        return np.array(value, dtype=array.dtype)
    return value if value.flags.c_contiguous or _is_held(value, outside) else np.array(value, order="C")


def _is_held(value: Any, outside: Collection[int]) -> bool:
    while isinstance(value, np.ndarray):
        if id(value) in outside:
            return True
        value = value.base
    return value is not None


def is_native(value: Any) -> bool:
    """Whether a value is anything but an array of another machine's byte order."""
    return not isinstance(value, np.ndarray) or value.dtype.isnative


def share(a: Any, b: Any) -> bool:
    """Whether two arguments are arrays with an element in common; yes where that would take too long to tell."""
    if isinstance(a, DeviceArray) and isinstance(b, DeviceArray):
        return a.overlaps(b)
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=EFFORT)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(array: np.ndarray) -> bool:
    """Whether two elements of an array may lie in one place, as strides of 0 make them."""
    if array.flags.c_contiguous or not array.size:
        return False
    reach = array.itemsize
    for stride, size in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False


def integer(value: Any) -> Any:
    """An int argument, which compiled code holds in 64 bits."""
    if -LIMIT <= value < LIMIT:
        return value
    raise BadArgument(f"The integer {value} does not fit in 64 bits.", hint="Pass it as float.")
