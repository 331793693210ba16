"""Copies of a call's arguments in which arrays share memory as they did before, so that sharing can be judged."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from daad.api.subject.arguments import flatten
from daad.frontend.array_classes import PLAIN

ALIGNMENT = 64
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def own_copies(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """Arguments that nobody else can change; what cannot be copied stays the caller's own."""
    memo: dict[int, Any] = {}
    for group in _sharing(list(_arrays(args, kwargs))):
        memo.update(_copied(group))
    return tuple(_copy(a, memo) for a in args), {name: _copy(a, memo) for name, a in kwargs.items()}


def _arrays(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[np.ndarray]:
    seen: set[int] = set()
    for _, value in flatten("", [args, kwargs]):
        if type(value) in PLAIN and value.size and not value.dtype.hasobject and id(value) not in seen:
            seen.add(id(value))
            yield value


def _sharing(arrays: list[np.ndarray]) -> Iterator[list[np.ndarray]]:
    """Groups of several arrays whose memory touches."""
    group: list[np.ndarray] = []
    end = 0
    for array in sorted(arrays, key=bounds):
        low, high = bounds(array)
        if low >= end:
            yield from [group] if len(group) > 1 else []
            group = []
        group.append(array)
        end = max(end, high)
    yield from [group] if len(group) > 1 else []


def bounds(array: np.ndarray) -> tuple[int, int]:
    """The first address of an array, and the one after its last."""
    reaches = [stride * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True)]
    low = array.ctypes.data + sum(reach for reach in reaches if reach < 0)
    return low, array.ctypes.data + sum(reach for reach in reaches if reach > 0) + array.itemsize


def _copied(group: Sequence[np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """By the identity of each array, the same view of a copy of the memory of all."""
    low, high = bounds(group[0])[0], max(bounds(array)[1] for array in group)
    memory = np.empty(high - low + ALIGNMENT, np.uint8)
    shift = (low - memory.ctypes.data) % ALIGNMENT
    ctypes.memmove(memory.ctypes.data + shift, low, high - low)
    for array in group:
        place = array.ctypes.data - low + shift
        view: np.ndarray = np.ndarray(array.shape, array.dtype, memory, place, array.strides)
        view.flags.writeable = array.flags.writeable
        yield id(array), view


def _copy(value: Any, memo: dict[int, Any]) -> Any:
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # a module, an open file, a generator: stays the script's own
        return value
