"""The tangents of a call, and the cotangents of a pullback: arrays in the structure of what they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject.request import Names
from daad.errors import BadArgument, Location
from daad.frontend import structures
from daad.frontend.array_classes import foreign_sentence, is_foreign_array
from daad.runtime.gpu.device_array import DeviceArray

HINT = "Give an array of that shape, or None where it is zero."

traits = attrgetter("dtype", "shape", "flags.carray")
AsGiven = Callable[[Any], list[np.ndarray] | None]
"""The arrays that are given, if compiled code takes all of them as they are."""


@dataclass(frozen=True, eq=False)
class Given:
    """What a call brings for its inputs or outputs; `count`: so many at once, along a leading axis."""

    value: Any
    count: int | None = None
    what: str = "tangent"
    at: Location | None = None

    def array(self, name: str, like: Any, found: Any) -> np.ndarray:
        """The array for one leaf; zeros where there is nothing."""
        whole = np.asarray(like)
        dtype = whole.dtype.newbyteorder("=")
        shape = whole.shape if self.count is None else (self.count, *whole.shape)
        if found is None:
            return np.zeros(shape, dtype)
        if isinstance(found, DeviceArray):
            if found.dtype == dtype and found.shape == shape:
                return found  # type: ignore[return-value]  # compiled code takes it as it is
            found = found.numpy()
        if is_foreign_array(found):
            sentence, hint = foreign_sentence(f"The {self.what} of '{name}'", found)
            raise BadArgument(sentence, at=self.at, hint=hint)
        array = self._as_array(name, found, shape)
        if array.dtype.kind not in "biufc" or (array.dtype.kind == "c" and dtype.kind != "c"):
            raise BadArgument(
                f"The {self.what} of '{name}' has dtype {array.dtype}, and '{name}' is of {dtype}.",
                at=self.at,
                hint=HINT,
            )
        if array.shape != shape:
            raise BadArgument(
                f"The {self.what} of '{name}' has shape {array.shape}, not {shape}.", at=self.at, hint=HINT
            )
        return np.ascontiguousarray(array, dtype).reshape(shape)

    def _as_array(self, name: str, found: Any, shape: tuple[int, ...]) -> np.ndarray:
        try:
            return np.asarray(found)
        except ValueError:
            raise BadArgument(
                f"The {self.what} of '{name}' holds items of several shapes, and is to have shape {shape}.",
                at=self.at,
                hint=HINT,
            ) from None


def as_given(likes: Iterable[Any], count: int | None, is_single: bool) -> AsGiven:
    """Of one array (`is_single`) or a tuple of them, of the shapes and dtypes of `likes`; `count` of each at once."""
    wholes, ahead = [*likes], () if count is None else (count,)
    if not all(isinstance(whole, np.ndarray) for whole in wholes):
        return lambda value: None
    wanted = [(whole.dtype.newbyteorder("="), (*ahead, *whole.shape), True) for whole in wholes]
    types = [np.ndarray] * len(wanted)

    def taken(value: Any) -> list[np.ndarray] | None:
        arrays = [value] if is_single else list(value) if type(value) is tuple else []
        is_plain = [*map(type, arrays)] == types and [*map(traits, arrays)] == wanted
        return arrays if is_plain else None

    return taken


def is_one(wrt: Names) -> bool:
    """Whether one thing is asked for, and not a tuple."""
    return wrt is None or isinstance(wrt, str | int)


def stand_in(value: Any) -> Any:
    """The same structure with arrays that hold no memory."""
    if isinstance(value, np.ndarray | DeviceArray):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value if structures.parts(value) is None else structures.rebuilt(value, lambda _, item: stand_in(item))


def tangents_of(chosen: Mapping[str, Any], given: Given, is_single: bool) -> list[np.ndarray]:
    """An array for each float leaf of what a derivative is asked with respect to."""
    return [given.array(name, leaf, found) for name, leaf, found in leaves_of(chosen, given, is_single)]


def leaves_of(chosen: Mapping[str, Any], given: Given, is_single: bool) -> Iterator[tuple[str, Any, Any]]:
    """Each float leaf of what a derivative is asked with respect to, with what is given for it (None: nothing)."""
    items = [given.value]
    if not is_single:
        items = list(given.value) if isinstance(given.value, list | tuple) else []
        if len(items) != len(chosen):
            what = f"{len(chosen)} {given.what}s are" if len(chosen) != 1 else f"one {given.what} is"
            raise BadArgument(
                f"A tuple of {what} asked for.", at=given.at, hint=f"It belongs to {', '.join(map(repr, chosen))}."
            )
    for (root, value), item in zip(chosen.items(), items, strict=True):
        yield from _pairs(root, value, item, given)


def _pairs(name: str, value: Any, item: Any, given: Given) -> Iterator[tuple[str, Any, Any]]:
    """The float leaves of a value, each with what stands at its place in the other structure."""
    found = structures.parts(value)
    if found is None:
        if calls.is_float(value):
            yield name, value, item
        return
    if item is None:
        inner = {}
    elif (parts := structures.inner(item)) is not None:
        inner = dict(parts)
    else:
        hint = "Give one of the same structure, with None where it is zero."
        raise BadArgument(f"The {given.what} of '{name}' is no structure as '{name}' is.", at=given.at, hint=hint)
    steps = {step for step, _ in found}
    unknown = next((step for step in inner if step not in steps), None)
    if unknown is not None:
        sentence = f"'{name}' holds no '{name}{unknown}', of which a {given.what} is given."
        raise BadArgument(sentence, at=given.at, hint=f"It holds {', '.join(name + step for step, _ in found)}.")
    for step, part in found:
        yield from _pairs(name + step, part, inner.get(step), given)


def leading(value: Any, what: str, at: Location | None) -> int:
    """How many there are along the leading axis of a structure of arrays, in which all else may stand, too."""
    leaves = [leaf for _, leaf in structures.leaves("", structures.all_opened(value))]
    found = [np.shape(leaf) for leaf in leaves if calls.is_float(leaf) or getattr(leaf, "shape", None)]
    counts = {shape[0] for shape in found if shape}
    if len(counts) != 1 or not all(found):
        raise BadArgument(f"The {what} have no leading axis of one length.", at=at, hint="Stack them with np.stack.")
    return int(counts.pop())
