"""What a program took from its surroundings while it was read: the code that was made holds as long as that stays."""

from __future__ import annotations

import builtins
import hashlib
import types
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from daad.frontend.python.scope import MISSING

NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic)
CONTAINERS = (list, tuple, dict, set)
FEW_BYTES = 2**12
CONSTANT_MODULES = frozenset({"numpy", "scipy", "math", "cmath", "builtins"})


@dataclass(frozen=True)
class Range:
    """The least and the largest element of an array: bounds of indices, or one number that stands for all."""

    array: np.ndarray
    least: Any
    largest: Any

    def holds(self) -> bool:
        return bool(self.array.min() == self.least and self.array.max() == self.largest)


@dataclass(frozen=True)
class Content:
    """All elements of an array: an operation that ran while the program was read, or the places that a mask selects."""

    array: np.ndarray
    seen: bytes

    def holds(self) -> bool:
        return _fingerprint(self.array) == self.seen


class Witness(Protocol):
    """One thing that was seen."""

    def holds(self) -> bool:
        """Whether it would be seen again."""


@dataclass(frozen=True)
class Named:
    """The value of a global, of a variable around the function, or of an attribute; containers with what they hold."""

    place: Mapping[str, Any]
    name: str
    seen: Any
    content: Hashable

    def holds(self) -> bool:
        now = self.place.get(self.name, MISSING)
        if now is not self.seen and not _equal(now, self.seen):
            return False
        return self.content is None or content(now) == self.content


@dataclass(frozen=True)
class Element:
    """An element of an array that the program read as a number."""

    array: np.ndarray
    index: Any
    seen: bytes

    def holds(self) -> bool:
        return self.array[self.index].tobytes() == self.seen


@dataclass(eq=False)
class Same:
    """Equal to what stands for the same object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    __hash__ = None  # type: ignore[assignment]


class Witnesses:
    """All that was seen, each once; `arrays` are those that the program found outside."""

    def __init__(self) -> None:
        self.arrays: dict[int, np.ndarray] = {}
        self._seen: dict[Hashable, Witness] = {}

    def name(self, place: Mapping[str, Any], name: str, value: Any) -> None:
        """A name has been looked up; what Python calls its own stays."""
        if place is vars(builtins):
            return
        held = content(value) if isinstance(value, CONTAINERS) else None
        self._seen.setdefault((id(place), name), Named(place, name, value, held))

    def attribute(self, owner: Any, name: str) -> None:
        """A plain attribute has been read; what properties compute is not known."""
        if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in CONSTANT_MODULES:
            return
        for place in (owner, *type(owner).__mro__):
            held = getattr(place, "__dict__", {})
            self.name(held, name, held.get(name, MISSING))
            if name in held:
                break

    def element(self, array: np.ndarray, index: Any, found: Any) -> None:
        """An element of an array has been read as a number."""
        if id(array) not in self.arrays:
            return
        key = (id(array), repr(index))
        self._seen.setdefault(key, Element(array, index, np.asarray(found).tobytes()))

    def range(self, array: np.ndarray) -> None:
        """The least and the largest element have been relied on; only arrays from outside may change."""
        if id(array) in self.arrays:
            self._seen.setdefault((id(array), "range"), Range(array, array.min(), array.max()))

    def content(self, array: np.ndarray) -> None:
        """All elements have been relied on; only arrays from outside, and views of them, may change."""
        base: Any = array
        while isinstance(base, np.ndarray):
            if id(base) in self.arrays:
                self._seen.setdefault((id(base), "content"), Content(base, _fingerprint(base)))
                return
            base = base.base

    def all(self) -> tuple[Witness, ...]:
        """In the order in which they were seen."""
        return tuple(self._seen.values())


def _fingerprint(array: np.ndarray) -> bytes:
    """What tells its elements from others, small for large arrays too."""
    if array.nbytes <= FEW_BYTES:
        return array.tobytes()
    return hashlib.blake2b(np.ascontiguousarray(array).data).digest()


def content(value: Any) -> Any:
    """What containers hold, down to numbers and objects, in a form that a change does not reach."""
    if isinstance(value, list | tuple):
        return type(value), tuple(map(content, value))
    if isinstance(value, dict):
        return type(value), tuple((key, content(item)) for key, item in value.items())
    if isinstance(value, set):
        return type(value), frozenset(value)
    return (type(value), value) if isinstance(value, NUMBERS) else Same(value)


def _equal(now: Any, seen: Any) -> bool:
    if isinstance(seen, CONTAINERS):
        return type(now) is type(seen)  # what they hold is compared anyway
    return type(now) is type(seen) and isinstance(seen, NUMBERS) and bool(now == seen)
