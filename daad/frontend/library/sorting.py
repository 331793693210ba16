"""Sorting, medians and quantiles as NumPy programs: an order that has no derivative, and elements in that order.

Equal elements stay in their order, whatever `kind` says; NaN comes last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def argsort(a: Array, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a = np.asarray(a)
    if axis is None or a.ndim == 1:
        return _order(a.ravel())
    moved = np.moveaxis(a, axis, -1)
    lines = moved.reshape((-1, moved.shape[-1]))
    orders = np.empty(lines.shape, np.int64)
    for k in range(len(lines)):
        orders[k] = _order(lines[k])
    return np.moveaxis(orders.reshape(moved.shape), -1, axis)


def sort(a: Array, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a = np.asarray(a).ravel() if axis is None else np.asarray(a)
    return np.take_along_axis(a, argsort(a, axis), -1 if axis is None else axis)


def partition(a: Array, kth: Any, axis: Any = -1, kind: Any = "introselect", order: None = None) -> Array:
    """Sorted on both sides, too."""
    return sort(a, axis)


def argpartition(a: Array, kth: Any, axis: Any = -1, kind: Any = "introselect", order: None = None) -> Array:
    return argsort(a, axis)


def sort_in_place(a: Array, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> None:
    a[...] = sort(a, axis)


def sorted_numbers(numbers: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """Python's `sorted` of a list of numbers, by keys that are numbers."""
    order = _order(-np.array(keys) if reverse else np.array(keys))
    return list(np.array(numbers)[order])


def median(
    a: Array, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    return quantile(a, 0.5, axis, out, keepdims=keepdims)


def percentile(
    a: Array,
    q: Array,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    return quantile(
        a, q / 100 if isinstance(q, int | float) else np.asarray(q) / 100, axis, method=method, keepdims=keepdims
    )


def quantile(
    a: Array,
    q: Array,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    if out is not None or (method != "linear" and method not in ROUNDED):
        raise ValueError("Quantiles with 'out', or by this method, are not supported")
    a = np.asarray(a) * 1.0
    q = np.asarray(q, a.dtype) if isinstance(q, int | float) else np.asarray(q)
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    moved = np.moveaxis(a, axes, tuple(range(len(axes))))
    lines = sort(moved.reshape((-1, *moved.shape[len(axes) :])), 0)
    results = np.where(np.isnan(lines[-1]), np.nan, _between(lines, q, method))
    if not keepdims:
        return results
    return np.expand_dims(results, tuple(q.ndim + k % a.ndim for k in axes))


def _between(lines: Array, q: Array, method: str) -> Array:
    """Of sorted lines, an element or what lies between two."""
    position = q * (len(lines) - 1)
    if method != "linear":
        return ROUNDED[method](lines, position)
    floor = np.clip(np.floor(position), 0, len(lines) - 1)
    below = floor.astype(np.int64)
    above = np.minimum(below + 1, len(lines) - 1)
    part = (position - floor).reshape(q.shape + (1,) * (lines.ndim - 1))
    return lines[below] + (lines[above] - lines[below]) * part


def _element(lines: Array, place: Array) -> Array:
    return lines[np.asarray(place).astype(np.int64)]


ROUNDED: dict[str, Callable[[Array, Array], Array]] = {
    "lower": lambda lines, position: _element(lines, np.floor(position)),
    "higher": lambda lines, position: _element(lines, np.ceil(position)),
    "nearest": lambda lines, position: _element(lines, np.rint(position)),
    "midpoint": lambda lines, position: (
        0.5 * (_element(lines, np.floor(position)) + _element(lines, np.ceil(position)))
    ),
}


def _order(keys: Array) -> Array:
    """The stable order of a vector, by a bitonic network of comparisons (Batcher 1968)."""
    n = len(keys)
    bits = max(n - 1, 0).bit_length()
    if not bits:
        return np.arange(n)
    blocks = np.array([2 << k for k in range(bits) for _ in range(k + 1)])
    strides = np.array([1 << j for k in range(bits) for j in range(k, -1, -1)])
    position, order = np.arange(1 << bits), np.arange(1 << bits)
    key = np.zeros(1 << bits, keys.dtype)
    key[:n] = keys
    last = (order >= n) * 2 + np.isnan(key)  # what fills up comes after NaN
    for k in range(len(blocks)):
        other = position ^ strides[k]
        order_2, key_2, last_2 = order[other].copy(), key[other].copy(), last[other].copy()
        is_smaller = (key < key_2) | (~(key_2 < key) & (order < order_2))
        is_first = (last < last_2) | ((last == last_2) & is_smaller)
        stays = is_first == (((position & blocks[k]) == 0) == (position < other))
        order, key, last = np.where(stays, order, order_2), np.where(stays, key, key_2), np.where(stays, last, last_2)
    return order[:n]


NUMPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (argsort, sort, partition, argpartition, median, percentile, quantile)
}
METHODS: dict[str, Callable[..., Any]] = {
    "sort": sort_in_place,
    "argsort": argsort,
    "partition": lambda a, kth, axis=-1: sort_in_place(a, axis),
    "argpartition": argpartition,
}
