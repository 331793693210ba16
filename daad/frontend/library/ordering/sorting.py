"""Sorting as NumPy programs: an order that has no derivative, and elements in that order; NaN comes last.

Equal elements stay in their order where NumPy keeps it. What its other methods leave open, they do on every machine in
their own way: the order is asked of NumPy at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, held

Array = Any  # staged while the program is read


def argsort(a: Array, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Array:
    a, axis = _along(a, axis)
    order = _stable(a, axis)
    if stable or kind in ("stable", "mergesort"):
        return order
    parts = [held(a.real), held(a.imag)] if np.iscomplexobj(a) else [held(a)]
    is_open: Any = True
    for part in parts:
        lines = np.moveaxis(np.take_along_axis(part, order, axis), axis, 0)
        is_open = is_open & ((lines[1:] == lines[:-1]) | (np.isnan(lines[:-1]) if lines.dtype.kind == "f" else False))

    def run() -> Array:
        keys = np.asarray(parts[0]) if len(parts) == 1 else np.stack(parts, -1).view(complex)[..., 0]
        return np.argsort(keys, axis, kind)

    if np.any(is_open):
        order = by_python(run, np.zeros(order.shape, np.int64))
    return order


def _along(a: Array, axis: Any) -> tuple[Array, Any]:
    """What is sorted along an axis: all elements in a row if there is none."""
    return (np.asarray(a).ravel(), -1) if axis is None else (np.asarray(a), axis)


def _stable(a: Array, axis: Any) -> Array:
    if np.iscomplexobj(a):
        return lexsort((a.imag, a.real), axis)
    if a.ndim == 1:
        return _order(a)
    moved = np.moveaxis(a, axis, -1)
    lines = moved.reshape((-1, moved.shape[-1]))
    orders = np.empty(lines.shape, np.int64)
    for k in range(len(lines)):
        orders[k] = _order(lines[k])
    return np.moveaxis(orders.reshape(moved.shape), -1, axis)


def lexsort(keys: Any, axis: Any = -1) -> Array:
    """By the last key, where that is equal by the one before it, and so on."""
    if any(np.shape(key) != np.shape(keys[0]) for key in keys):
        raise ValueError("all keys need to be the same shape")
    order = _stable(np.asarray(keys[0]), axis)
    for key in keys[1:]:
        order = np.take_along_axis(order, _stable(np.take_along_axis(np.asarray(key), order, axis), axis), axis)
    return order


def sort(a: Array, axis: Any = -1) -> Array:
    a, axis = _along(a, axis)
    return np.take_along_axis(a, _stable(a, axis), axis)


def partition(a: Array, kth: Any, axis: Any = -1) -> Array:
    """The elements in the order that NumPy gives their values."""
    a, axis = _along(a, axis)
    _require_place(a, kth, axis)
    keys = held(a)

    def run() -> Array:
        values = np.asarray(keys)
        order = np.argsort(values, axis, "stable")
        places = np.argsort(np.partition(values, kth, axis), axis, "stable")
        found = np.empty_like(order)
        np.put_along_axis(found, places, order, axis)
        return found

    return np.take_along_axis(a, by_python(run, np.zeros(a.shape, np.int64)), axis)


def argpartition(a: Array, kth: Any, axis: Any = -1) -> Array:
    a, axis = _along(a, axis)
    _require_place(a, kth, axis)
    keys = held(a)

    def run() -> Array:
        return np.argpartition(np.asarray(keys), kth, axis)

    return by_python(run, np.zeros(a.shape, np.int64))


def partition_in_place(a: Array, kth: Any, axis: Any = -1) -> None:
    a[...] = partition(a, kth, axis)


def _require_place(a: Array, kth: Any, axis: Any) -> None:
    size = np.shape(a)[axis]
    for place in kth if isinstance(kth, (list, tuple)) else [kth]:
        if not -size <= place < size:
            raise ValueError(f"kth(={place}) out of bounds ({size})")


def sort_in_place(a: Array, axis: Any = -1) -> None:
    a[...] = sort(a, axis)


def sorted_numbers(numbers: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """Python's `sorted` of a list of numbers, by keys that are numbers."""
    order = _order(-np.array(keys) if reverse else np.array(keys))
    return list(np.array(numbers)[order])


def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """What differs from the one before it in the order of all."""
    whole = np.asarray(ar)
    if axis is not None and whole.ndim > 1:
        raise ValueError("'np.unique' along an axis is supported of known numbers only")
    flat = whole.ravel()
    order = np.argsort(flat, kind="stable")
    lines = flat[order]
    is_same = lines[1:] == lines[:-1]
    if equal_nan and flat.dtype.kind == "f":
        is_same = is_same | (np.isnan(lines[1:]) & np.isnan(lines[:-1]))
    is_first = np.concatenate((np.ones(min(len(flat), 1), bool), ~is_same))
    found = [lines[is_first]]
    if return_index:
        found.append(order[is_first])
    if return_inverse:
        inverse = np.zeros(len(flat), np.int64)
        inverse[order] = np.cumsum(is_first) - 1
        found.append(inverse.reshape(whole.shape))
    if return_counts:
        is_last = np.concatenate((is_first[1:], np.ones(min(len(flat), 1), bool)))
        places = np.arange(len(flat))
        found.append(places[is_last] - places[is_first] + 1)
    return found[0] if len(found) == 1 else tuple(found)


def _order(keys: Array) -> Array:
    """The stable order of a vector: sorted runs of 1, 2, 4, … elements are merged in pairs."""
    n = len(keys)
    order, merged = np.arange(n), np.zeros(n, np.int64)
    for level in range(max(n - 1, 0).bit_length()):
        width = 1 << level
        for pair in range((n - 1) // (2 * width) + 1):
            i = 2 * width * pair
            j = middle = min(i + width, n)
            end = min(i + 2 * width, n)
            for place in range(i, end):
                one, other = order[min(i, n - 1)], order[min(j, n - 1)]
                is_first = (keys[one] <= keys[other]) | np.isnan(keys[other])
                stays = (j >= end) | ((i < middle) & is_first)
                merged[place] = np.where(stays, one, other)
                i += stays
                j += 1 - stays
        order[:] = merged
    return order


NUMPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (argsort, lexsort, sort, partition, argpartition, unique)
}
METHODS: dict[str, Callable[..., Any]] = {
    "sort": sort_in_place,
    "argsort": argsort,
    "partition": partition_in_place,
    "argpartition": argpartition,
}
