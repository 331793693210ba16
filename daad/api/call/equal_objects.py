"""Objects that calls bring anew: what has been read for others that hold the same serves them, too.

A program that changes objects of its caller's does so in copies, so nobody sees which of two equal ones it was given,
unless it finds them elsewhere as well: in another argument, or around itself.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.frontend import structures
from daad.frontend.python.reading.guards import CONTAINERS, NUMBERS, PLAIN, Computed, Named, State, held, is_written

MOST_CALLS = 4
MOST_ARRAYS = 64
HEAP_TYPE = 1 << 9
"""The flag of classes that are written in Python, by `Py_TPFLAGS_HEAPTYPE`."""

Bound = Mapping[str, Any]


@dataclass
class _Comparison:
    """Which part of one object stands for which of the other, with the arrays of each."""

    there: dict[int, Any] = field(default_factory=dict)
    here: dict[int, Any] = field(default_factory=dict)
    arrays: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def are_equal(self, one: Any, other: Any) -> bool:
        """Whether both hold the same, and are held by their parts in the same places; what holds more than is seen
        must be one and the same."""
        if isinstance(one, NUMBERS) or type(one) is not type(other):
            return type(one) is type(other) and _bits(one) == _bits(other)
        if id(one) in self.there or id(other) in self.here:
            return self.there.get(id(one)) is other and self.here.get(id(other)) is one
        self.there[id(one)], self.here[id(other)] = other, one
        if type(one) is np.ndarray:
            self.arrays.append((one, other))
            return one is other or _are_arrays_equal(one, other)
        if type(one) is types.MethodType:
            return one.__func__ is other.__func__ and self.are_equal(one.__self__, other.__self__)
        parts, others = _parts(one), _parts(other)
        if parts is None or others is None:
            return one is other
        return len(parts) == len(others) and all(map(self.are_equal, parts, others))

    def is_apart(self, others: Iterable[Any]) -> bool:
        """Whether no array of these shares memory with another one, nor with one of the `others`."""
        if len(self.arrays) > MOST_ARRAYS:
            return False
        for arrays in zip(*self.arrays, strict=True):
            outside = [other for other in others if isinstance(other, np.ndarray)]
            pairs = [*combinations(arrays, 2), *((one, other) for one in arrays for other in outside)]
            if any(np.may_share_memory(one, other) for one, other in pairs):
                return False
        return True


def _bits(number: Any) -> Any:
    """What tells it from others of its type; NaN equals itself, and the zeros differ."""
    return number.tobytes() if isinstance(number, np.generic) else repr(number)


def _are_arrays_equal(one: np.ndarray, other: np.ndarray) -> bool:
    forms = [(a.dtype, a.shape, a.strides, a.flags.writeable, a.flags.aligned) for a in (one, other)]
    return forms[0] == forms[1] and not one.dtype.hasobject and one.tobytes() == other.tobytes()


def _parts(value: Any) -> list[Any] | None:
    """What a container or an object of a class in Python holds, names and keys among it; None: more than that."""
    if type(value) in (list, tuple):
        return list(value)
    if type(value) is deque:
        return [value.maxlen, *value]
    if type(value) is dict:
        return [part for item in value.items() for part in item]
    if _is_object(value):
        return [part for item in held(value) for part in item]
    return None


def _is_object(value: Any) -> bool:
    """Whether it is an object of a class that is written in Python, as are all those that this is derived from."""
    cls = type(value)
    if isinstance(value, PLAIN) or not is_written(cls):
        return False
    return all(base in (object, types.SimpleNamespace) or base.__flags__ & HEAP_TYPE for base in cls.__mro__)


@dataclass(frozen=True)
class _Equal:
    """Arguments with other objects, and the `parts` of these that are their own, by identity."""

    bound: dict[str, Any]
    parts: frozenset[int]


@dataclass
class KnownObjects:
    """The objects that the last calls have been read for, by the names of the leaves of their arguments."""

    calls: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_CALLS))

    def note(self, bound: Bound) -> None:
        """The program is read for this call."""
        objects = _known_by_identity(bound)
        is_new = all([*map(id, objects.values())] != [*map(id, known.values())] for known in self.calls)
        if is_new and any(map(_is_object, objects.values())):
            self.calls.append(objects)

    def instead(self, bound: Bound, fitting: Callable[[Bound, list[Any]], Any]) -> dict[str, Any] | None:
        """The arguments with objects of an earlier call in the place of equal ones, if `fitting` gives what is
        compiled for these and their leaves."""
        equal = self._equal(bound)
        found = None if equal is None else fitting(equal.bound, [leaf for _, leaf in calls.leaves(equal.bound)])
        return None if equal is None or found is None or _looked_up(found.witnesses, equal.parts) else equal.bound

    def _equal(self, bound: Bound) -> _Equal | None:
        objects = _known_by_identity(bound)
        if not any(map(_is_object, objects.values())):
            return None
        met = calls.containers(bound)
        leaves = [leaf for _, leaf in calls.leaves(bound)]
        for known in self.calls:
            found = _Comparison()
            if known.keys() != objects.keys() or not all(map(found.are_equal, known.values(), objects.values())):
                continue
            if found.is_apart(leaves) and met.isdisjoint(found.there) and met.isdisjoint(found.here):
                exchanged = {name: _exchanged(name, value, known) for name, value in bound.items()}
                return _Equal(exchanged, frozenset(one for one, other in found.there.items() if id(other) != one))
        return None


def _known_by_identity(bound: Bound) -> dict[str, Any]:
    return {name: leaf for name, leaf in calls.leaves(bound) if calls.is_known_by_identity(leaf)}


def _exchanged(name: str, value: Any, others: Mapping[str, Any]) -> Any:
    """An argument with other leaves of these names."""
    if structures.parts(value) is None:
        return others.get(name, value)
    if not any(other.startswith(name) for other in others):
        return value
    return structures.rebuilt(value, lambda step, item: _exchanged(name + step, item, others))


def _looked_up(witnesses: Sequence[Any], parts: frozenset[int]) -> bool:
    """Whether a program has found one of these parts of objects elsewhere than in another one of them."""
    return any(map(parts.__contains__, _found_outside(witnesses, parts)))


def _found_outside(witnesses: Sequence[Any], parts: frozenset[int]) -> Iterator[int]:
    for witness in witnesses:
        if isinstance(witness, Named | Computed) and id(witness.owner) not in parts:
            yield from _within(witness.seen, parts)
        elif isinstance(witness, State) and id(witness.value) not in parts:
            yield from _within([value for _, value in held(witness.value)], parts)


def _within(value: Any, parts: frozenset[int], depth: int = 0) -> Iterator[int]:
    """What a container holds, by identity, and itself; of one that holds too much that it is looked through, something
    that is among the parts."""
    yield id(value)
    if depth > len(CONTAINERS):
        yield from parts
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _within(item, parts, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset | deque):
        for item in value:
            yield from _within(item, parts, depth + 1)
