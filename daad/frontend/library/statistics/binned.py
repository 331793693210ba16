"""Statistics of numbers in bins, of `scipy.stats`: which number lies in which bin has no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any  # staged while the program is read
KNOWN = {np.mean: "mean", np.median: "median", np.sum: "sum", np.std: "std", np.min: "min", np.max: "max"}


class Binned(NamedTuple):
    """As SciPy's."""

    statistic: Array
    bin_edges: Any
    binnumber: Array


def _edges(line: Array, bins: Any, ends: Any) -> Array:
    if np.ndim(bins):
        return np.asarray(bins) * 1.0
    low, high = (np.min(line), np.max(line)) if ends is None else ends
    margin = np.where(low == high, 0.5, 0.0)
    return np.linspace(low - margin, high + margin, int(bins) + 1)


def _numbers(line: Array, edges: Array) -> Array:
    """From 1 on; what lies on the last edge is in the last bin."""
    found = np.digitize(line, edges)
    unit = 10.0 ** (np.trunc(-np.log10(np.min(np.diff(edges)))) + 6.0)
    is_last = (line >= edges[-1]) & (np.rint(line * unit) == np.rint(edges[-1] * unit))
    return found - np.where(is_last, 1, 0)


def binned_statistic_dd(
    sample: Any,
    values: Array,
    statistic: Any = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
) -> Binned:
    kind = statistic if isinstance(statistic, str) else KNOWN.get(statistic)
    if kind not in STATISTICS:
        raise ValueError("Statistics in bins by this function are not supported: the bins' sizes depend on data")
    if hasattr(sample, "shape"):
        table = sample if sample.ndim == 2 else np.asarray(sample)[:, np.newaxis]
        sample = [table[:, k] for k in np.arange(table.shape[1])]
    lines = [np.asarray(line) * 1.0 for line in sample]
    each = list(bins) if np.ndim(bins) or isinstance(bins, list | tuple) else [bins] * len(lines)
    if len(each) != len(lines):
        raise AttributeError("The dimension of bins must be equal to the dimension of the sample x.")
    ends = [None] * len(lines) if range is None else list(range)
    edges = [_edges(*one) for one in zip(lines, each, ends, strict=True)]
    numbers = [_numbers(*one) for one in zip(lines, edges, strict=True)]
    counts = [len(one) - 1 for one in edges]
    is_inside = np.ones((1, len(lines[0])), bool)
    for number, count in zip(numbers, counts, strict=True):
        own = number == np.arange(1, count + 1)[:, np.newaxis]
        is_inside = (is_inside[:, np.newaxis] & own).reshape((-1, len(lines[0])))
    values = np.asarray(values) * 1.0
    rows = values if values.ndim == 2 else values[np.newaxis]
    found = np.stack([STATISTICS[kind](is_inside, row) for row in rows]).reshape((len(rows), *counts))
    return Binned(found if values.ndim == 2 else found[0], edges, _of_all(numbers, counts, expand_binnumbers))


def _of_all(numbers: Any, counts: Any, expand: bool) -> Array:
    if expand and len(numbers) > 1:
        return np.stack(numbers)
    found = numbers[0]
    for number, count in zip(numbers[1:], counts[1:], strict=True):
        found = found * (count + 2) + number
    return found


def _sum(is_inside: Array, row: Array) -> Array:
    return np.where(is_inside, 1.0, 0.0) @ row


def _count(is_inside: Array, row: Array) -> Array:
    return np.sum(is_inside, axis=1) * 1.0 + 0.0 * row[0]


def _mean(is_inside: Array, row: Array) -> Array:
    count = np.sum(is_inside, axis=1)
    return np.where(count > 0, _sum(is_inside, row) / np.maximum(count, 1), np.nan)


def _std(is_inside: Array, row: Array) -> Array:
    count = np.sum(is_inside, axis=1)
    middle = _sum(is_inside, row) / np.maximum(count, 1)
    squares = np.sum(np.where(is_inside, (row - middle[:, np.newaxis]) ** 2, 0.0), axis=1) / np.maximum(count, 1)
    spread = np.where(squares > 0.0, np.sqrt(np.where(squares > 0.0, squares, 1.0)), 0.0)
    return np.where(count > 0, spread, np.nan)


def _median(is_inside: Array, row: Array) -> Array:
    return np.nanmedian(np.where(is_inside, row, np.nan), axis=1)


def _extreme(least: bool) -> Callable[[Array, Array], Array]:
    def of(is_inside: Array, row: Array) -> Array:
        found = np.where(is_inside, row, np.inf if least else -np.inf)
        found = np.min(found, axis=1) if least else np.max(found, axis=1)
        return np.where(np.any(is_inside, axis=1), found, np.nan)

    return of


STATISTICS: dict[str, Callable[[Array, Array], Array]] = {
    "mean": _mean,
    "median": _median,
    "count": _count,
    "sum": _sum,
    "std": _std,
    "min": _extreme(True),
    "max": _extreme(False),
}
BINNED: dict[str, Callable[..., Any]] = {"binned_statistic_dd": binned_statistic_dd}
