"""Medians and quantiles as NumPy programs, of all numbers or of those that are not NaN: elements amid others.

Methods differ in where they look (R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages, 1996), and in what
they make of the two elements there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.ordering.sorting import sort

Array = Any  # staged while the program is read
Position = Callable[[Array, Array], Array]
Part = Callable[[Array], Array]


def median(a: Array, axis: Any = None, out: Array = None, keepdims: bool = False) -> Array:
    return _median(a, axis, out, keepdims, False)


def percentile(
    a: Array, q: Array, axis: Any = None, out: Array = None, method: str = "linear", keepdims: bool = False
) -> Array:
    return quantile(a, _hundredths(q), axis, out, method, keepdims)


def quantile(
    a: Array, q: Array, axis: Any = None, out: Array = None, method: str = "linear", keepdims: bool = False
) -> Array:
    found = _quantile(a, q, axis, _known(method), keepdims)
    if method in ELEMENTS and np.asarray(a).dtype.kind in "biu":
        found = found.astype(np.asarray(a).dtype)
    return _given(found, out)


def nanmedian(a: Array, axis: Any = None, out: Array = None, keepdims: bool = False) -> Array:
    return _median(a, axis, out, keepdims, True)


def nanpercentile(
    a: Array, q: Array, axis: Any = None, out: Array = None, method: str = "linear", keepdims: bool = False
) -> Array:
    return nanquantile(a, _hundredths(q), axis, out, method, keepdims)


def nanquantile(
    a: Array, q: Array, axis: Any = None, out: Array = None, method: str = "linear", keepdims: bool = False
) -> Array:
    if np.asarray(a).dtype.kind != "f":
        return quantile(a, q, axis, out, method, keepdims)
    return _given(_quantile(a, q, axis, _known(method), keepdims, True), out)


def _median(a: Array, axis: Any, out: Array, keepdims: bool, leaves_out: bool) -> Array:
    wide = a if out is None else np.asarray(a).astype(np.result_type(a, out))  # the mean of the two in the middle
    return _given(_quantile(wide, 0.5, axis, "median", keepdims, leaves_out), out)


def _hundredths(q: Array) -> Array:
    return q / 100 if isinstance(q, int | float) else np.asarray(q) / 100


def _known(method: str) -> str:
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method")
    return method


def _given(found: Array, out: Array) -> Array:
    if out is None:
        return found
    fits = out.dtype == found.dtype or out.dtype.kind == found.dtype.kind == "f"
    if np.shape(out) != np.shape(found) or not fits:
        raise ValueError("The argument 'out' has another shape or dtype than the result")
    out[...] = found
    return out


def _quantile(a: Array, q: Array, axis: Any, method: str, keepdims: bool, leaves_out: bool = False) -> Array:
    """`leaves_out`: NaN does not count."""
    a = np.asarray(a) * 1.0
    a = np.where(np.isnan(a), np.nan, a) if leaves_out else a
    q = np.asarray(q, a.dtype) if type(q) in (int, float) else np.asarray(q)
    if not np.all((q >= 0.0) & (q <= 1.0)):
        raise ValueError("Quantiles must be in the range [0, 1], percentiles in the range [0, 100]")
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    moved = np.moveaxis(a, axes, tuple(range(len(axes))))
    lines = sort(moved.reshape((-1, *moved.shape[len(axes) :])), 0)
    if leaves_out and q.ndim > 1:
        raise ValueError("Quantiles without NaN are supported for a number or a vector of parts")
    if leaves_out:
        results = _of_known(lines, q, method)
    else:
        results = np.where(np.isnan(lines[-1]), np.nan, _between(lines, q, method))
    if not keepdims:
        return results
    return np.expand_dims(results, tuple(q.ndim + k % a.ndim for k in axes))


def _between(lines: Array, q: Array, method: str) -> Array:
    """Of sorted lines, an element or what lies between two."""
    place, part = METHODS[method]
    position, last = place(len(lines), q), len(lines) - 1
    floor = np.clip(np.floor(position), -1, last)
    below, above = (np.clip(floor + k, 0, last).astype(np.int64) for k in (0, 1))
    share = np.reshape(part(position), q.shape + (1,) * (lines.ndim - 1))
    return _mixed(lines[below], lines[above], share, method)


def _of_known(lines: Array, q: Array, method: str) -> Array:
    """The same of the elements in front of NaN, in each line as many as there are."""
    flat = lines.reshape((len(lines), -1))
    last = np.sum(~np.isnan(flat), axis=0) - 1
    place, part = METHODS[method]
    position = place((last + 1).astype(q.dtype), np.reshape(q, (-1, 1)))
    floor = np.clip(np.floor(position), -1, last)
    below, above = (np.clip(floor + k, 0, np.maximum(last, 0)).astype(np.int64) for k in (0, 1))
    pair = np.take_along_axis(flat, below, 0), np.take_along_axis(flat, above, 0)
    return np.reshape(_mixed(*pair, part(position), method), (*q.shape, *lines.shape[1:]))


def _mixed(low: Array, high: Array, share: Array, method: str) -> Array:
    if method in CONTINUOUS:
        apart = high - low  # as NumPy: from the nearer of both
        return np.where(share >= 0.5, high - apart * (1.0 - share), low + apart * share)
    middle = 0.5 * low + 0.5 * high if method in HALVES else high
    return np.where(share == 0.0, low, np.where(share == 1.0, high, middle))


def _virtual(alpha: float, beta: float) -> Position:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _of_gaps(n: Array, q: Array) -> Array:
    return q * (n - 1)


def _of_elements(n: Array, q: Array) -> Array:
    return n * q - 1


def _rest(position: Array) -> Array:
    return position - np.floor(position)


def _of_rest(none: float, some: float) -> Part:
    """What is taken where a place is an element, and where it lies between two."""
    return lambda position: np.where(position > np.floor(position), some, none)


CONTINUOUS: dict[str, Position] = {
    "linear": _of_gaps,
    "interpolated_inverted_cdf": _virtual(0, 1),
    "hazen": _virtual(0.5, 0.5),
    "weibull": _virtual(0, 0),
    "median_unbiased": _virtual(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _virtual(3 / 8.0, 3 / 8.0),
}
METHODS: dict[str, tuple[Position, Part]] = {
    **{name: (place, _rest) for name, place in CONTINUOUS.items()},
    "lower": (_of_gaps, _of_rest(0.0, 0.0)),
    "higher": (_of_gaps, _of_rest(0.0, 1.0)),
    "nearest": (_of_gaps, lambda position: np.rint(position) - np.floor(position)),
    "midpoint": (_of_gaps, _of_rest(0.0, 0.5)),
    "median": (_of_gaps, _of_rest(0.0, 0.5)),
    "inverted_cdf": (_of_elements, _of_rest(0.0, 1.0)),
    "averaged_inverted_cdf": (_of_elements, _of_rest(0.5, 1.0)),
    "closest_observation": (
        lambda n, q: n * q - 1 - 0.5,
        lambda position: np.where((_rest(position) > 0.0) | (np.floor(position) % 2 != 1), 1.0, 0.0),
    ),
}
"""Where methods look, and which part of the way between two elements they go."""
HALVES = ("midpoint", "median", "averaged_inverted_cdf")
ELEMENTS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")

NUMPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (median, percentile, quantile, nanmedian, nanpercentile, nanquantile)
}
