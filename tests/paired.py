"""Pairs of values of one structure: random ones like others, and their inner products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from daad.frontend import structures


def drawn(like: Any, random: np.random.Generator) -> Any:
    """Random numbers in the structure of a value; None for what has no derivative."""
    if structures.parts(like) is not None:
        return structures.rebuilt(like, lambda _, item: drawn(item, random))
    array = np.asarray(like)
    if array.dtype.kind not in "fc":
        return None
    found = random.normal(size=array.shape)
    found = found + 1j * random.normal(size=array.shape) if array.dtype.kind == "c" else found
    return np.asarray(found, array.dtype)[()]


def inner(a: Any, b: Any) -> complex:
    """The sum of products of all numbers in two structures."""
    return sum(np.sum(np.conj(x) * np.asarray(y)) for x, y in zip(numbers(a), numbers(b), strict=True))


def numbers(value: Any) -> Iterator[Any]:
    for _, leaf in structures.leaves("", structures.opened(value, [()], "value")):
        if leaf is not None and np.asarray(leaf).dtype.kind in "fc":
            yield leaf


def size(a: Any, b: Any) -> float:
    """The sum of the sizes of these products."""
    pairs = zip(numbers(a), numbers(b), strict=True)
    return float(sum(np.sum(np.abs(np.asarray(x) * np.asarray(y))) for x, y in pairs))
