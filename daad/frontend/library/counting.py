"""Histograms as NumPy programs: counts have no derivative, weights and the edges of bins have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None) -> Array:
    if isinstance(bins, str):
        raise ValueError("Bins whose number data decide are not supported: give their number or their edges")
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if np.any(edges[1:] < edges[:-1]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    values = np.ravel(a)
    low, high = (values.min() * 1.0, values.max() * 1.0) if range is None else range
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueError("The range of the bins is not finite, or does not begin at its smaller end")
    middle = low == high
    return np.linspace(low - 0.5 * middle, high + 0.5 * middle, bins + 1)


def histogram(a: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Array = None) -> Array:
    edges = histogram_bin_edges(a, bins, range)
    places = _places(np.ravel(a), edges)
    counts = _counted(places, len(edges) - 1, weights)
    if density:
        counts = counts / np.diff(edges) / counts.sum()
    return counts, edges


def histogram2d(
    x: Array, y: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Array = None
) -> Array:
    kinds = (bins, bins) if np.ndim(bins) == 0 or len(bins) != 2 else bins
    ends = (None, None) if range is None else range
    first, second = histogram_bin_edges(x, kinds[0], ends[0]), histogram_bin_edges(y, kinds[1], ends[1])
    rows, columns = _places(np.asarray(x), first), _places(np.asarray(y), second)
    width = len(second) - 1
    places = np.where((rows >= 0) & (columns >= 0), rows * width + columns, -1)
    counts = _counted(places, (len(first) - 1) * width, weights).reshape((len(first) - 1, width)) * 1.0
    if density:
        counts = counts / np.diff(first)[:, None] / np.diff(second) / counts.sum()
    return counts, first, second


def _places(values: Array, edges: Array) -> Array:
    """The bin of each value, which has its lower edge, the last one both; -1 where there is none."""
    last = len(edges) - 1
    above = np.searchsorted(edges, values, side="right") - 1
    place = np.where(values == edges[-1], last - 1, above)
    return np.where((place >= 0) & (place < last), place, -1)


def _counted(places: Array, bins: int, weights: Array) -> Array:
    if weights is None:
        counts, given = np.zeros(bins, np.int64), np.ones(len(places), np.int64)
    else:
        given = np.ravel(weights)
        if len(given) != len(places):
            raise ValueError("weights should have the same shape as a.")
        counts = np.zeros(bins, given.dtype)
    for k in range(len(places)):
        if places[k] >= 0:
            counts[places[k]] += given[k]
    return counts


NUMPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (histogram, histogram2d, histogram_bin_edges)
}
