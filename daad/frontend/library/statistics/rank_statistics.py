"""Statistics of `scipy.stats` that only know which numbers are larger than others: SciPy computes them, and they are
constant around the data. Beside them, lines by medians and distributions that SciPy computes number by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import by_python, fixed, held, python_function
from daad.frontend.library.solvers.primitives import opaque
from daad.runtime.package_versions import is_at_least

Array = Any  # staged while the program is read


class Significance(NamedTuple):
    """As SciPy's."""

    statistic: Array
    pvalue: Array


class Line(NamedTuple):
    """As SciPy's."""

    slope: Array
    intercept: Array


def _of_ranks(name: str) -> Callable[..., Significance]:
    def program(x: Array, y: Array, **options: Any) -> Significance:
        x, y = held(np.asarray(x) * 1.0), held(np.asarray(y) * 1.0)
        if x.ndim != 1 or y.ndim != 1:
            raise ValueError(f"'{name}' is supported for vectors")
        if options.get("keepdims"):
            raise ValueError(f"'keepdims' of '{name}' is not supported")

        def run() -> tuple[float, float]:
            found = python_function("scipy.stats", name)(x, y, **options)
            return float(found.statistic), float(found.pvalue)

        statistic, pvalue = by_python(run, (0.0, 0.0))
        return Significance(np.float64(statistic), np.float64(pvalue))

    return program


def _of_both(data1: Array, data2: Array, **options: Any) -> Significance:
    return _of_ranks("ks_2samp")(data1, data2, **options)


def percentileofscore(a: Array, score: Array, kind: str = "rank", nan_policy: str = "propagate") -> Array:
    a, score = held(np.asarray(a) * 1.0), held(np.asarray(score) * 1.0)

    def run() -> Array:
        return np.asarray(python_function("scipy.stats", "percentileofscore")(a, score, kind, nan_policy), float)

    return by_python(run, np.zeros(score.shape))[()]


LEAST = 3
"""Numbers of which Shapiro's and Wilk's statistic is."""


def shapiro(x: Array) -> Significance:
    """The square of a weighted sum of sorted numbers by that of all."""
    x = np.ravel(np.asarray(x)).astype(float)
    n = len(x)
    if n < LEAST:
        return Significance(np.float64(np.nan), np.float64(np.nan))
    known = held(x)

    def run() -> tuple[Array, float]:
        weights, y = np.zeros(n // 2), np.sort(known) - known[n // 2]
        if is_at_least("scipy", 1, 18):
            compute = python_function("scipy.stats._morestats", "_swilk")
            # Of a unit vector it is a weight squared by n / (n - 1).
            parts, _ = compute(np.eye(n)[::-1][: n // 2], xp=np)
            return np.sqrt(parts * (1.0 - 1.0 / n)), float(compute(y, xp=np)[1])
        _, pvalue, _ = python_function("scipy.stats._ansari_swilk_statistics", "swilk")(y, weights, 0)
        return weights, pvalue

    weights, pvalue = by_python(run, (np.zeros(n // 2), 0.0))
    y = np.sort(x)
    across = np.sum(weights * (y[::-1][: n // 2] - y[: n // 2]))
    statistic = across**2 / np.sum((y - np.mean(y)) ** 2)
    return Significance(statistic, fixed(pvalue + 0.0 * statistic))


def siegelslopes(y: Array, x: Any = None, method: str = "hierarchical") -> Line:
    """Medians of the medians of the slopes to all other points."""
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    y = np.ravel(np.asarray(y) * 1.0)
    x = np.arange(len(y)) * 1.0 if x is None else np.ravel(np.asarray(x) * 1.0)
    apart = x[:, np.newaxis] - x
    is_apart = apart != 0.0
    over = np.where(is_apart, apart, 1.0)
    slope = np.median(np.nanmedian(np.where(is_apart, (y[:, np.newaxis] - y) / over, np.nan), axis=1))
    if method == "hierarchical":
        return Line(slope, np.median(y - slope * x))
    between = (np.outer(x, y) - np.outer(y, x)) / over
    return Line(slope, np.median(np.nanmedian(np.where(is_apart, between, np.nan), axis=1)))


def _kolmogorov(n: Array, x: Array, cdf: Any) -> Array:
    return np.asarray(python_function("scipy.stats._ksstats", "kolmogn")(n, x, cdf), float)


def _kolmogorov_bars(args: Any, _: Array, bar: Array) -> Any:
    n, x, cdf = args
    density = python_function("scipy.stats._ksstats", "kolmognp")(n, x)
    return None, bar * (density if cdf else -density), None


def kolmogn(n: Array, x: Array, cdf: Any = True) -> Array:
    x = np.asarray(x) * 1.0
    if np.ndim(cdf):
        raise ValueError("Several answers at once are not supported")
    n = np.broadcast_to(np.asarray(n), x.shape)
    return opaque(_kolmogorov, _kolmogorov_bars, np.zeros(x.shape), held(n * 1.0), x, bool(cdf))


def nunique(x: Array) -> Array:
    """How many different numbers there are."""
    flat = np.sort(np.ravel(x))
    return np.sum(flat[1:] != flat[:-1]) + min(len(flat), 1)


def _of_clusters(name: str) -> Any:
    """A function of SciPy's module in C, which is in one place or another."""
    return getattr(python_function("scipy.cluster.hierarchy", "_hierarchy"), name)


def cophenetic_distances(Z: Array, d: Array, n: int) -> None:
    """The height at which two points meet, for each pair."""
    known = held(Z)

    def run() -> Array:
        rows, found = np.array(known), np.zeros(len(d))
        rows[:, 2] = np.arange(len(rows))
        _of_clusters("cophenetic_distances")(rows, found, n)
        return found.astype(np.int64)

    d[...] = Z[by_python(run, np.zeros(len(d), np.int64)), 2]


def _largest_below(Z: Array, own: Array, found: Array, n: int) -> None:
    """Of each cluster the largest of what it and those that it is made of have."""
    first, second = (np.asarray(Z)[:, k].astype(np.int64) - n for k in (0, 1))
    for i in range(n - 1):
        best = own[i]
        for below in (first[i], second[i]):
            best = np.where(below >= 0, np.maximum(best, found[np.maximum(below, 0)]), best)
        found[i] = best


def get_max_dist_for_each_cluster(Z: Array, MD: Array, n: int) -> None:
    _largest_below(Z, Z[:, 2], MD, n)


def get_max_Rfield_for_each_cluster(Z: Array, R: Array, max_rfs: Array, n: int, rf: int) -> None:
    _largest_below(Z, R[:, rf], max_rfs, n)


def prelist(Z: Array, members: Array, n: int) -> None:
    """The leaves from left to right."""
    known = held(Z)

    def run() -> Array:
        found = np.zeros(len(members), "i")
        _of_clusters("prelist")(np.array(known), found, n)
        return found

    members[...] = by_python(run, np.zeros(len(members), "i"))


def _clusters(name: str, Z: Array, T: Array, *args: Any) -> None:
    """Fills a vector with the numbers of clusters."""
    known, others = held(Z), [held(one) if hasattr(one, "shape") else one for one in args]

    def run() -> Array:
        found = np.zeros(len(T), "i")
        _of_clusters(name)(np.array(known), found, *others)
        return found

    T[...] = by_python(run, np.zeros(len(T), "i"))


def cluster_dist(Z: Array, T: Array, cutoff: Any, n: int) -> None:
    _clusters("cluster_dist", Z, T, cutoff, n)


def cluster_maxclust_dist(Z: Array, T: Array, n: int, mc: int) -> None:
    _clusters("cluster_maxclust_dist", Z, T, n, mc)


class Lines(NamedTuple):
    """As SciPy's."""

    slope: Array
    intercept: Array
    low_slope: Array
    high_slope: Array


def theilslopes(y: Array, x: Any = None, alpha: float = 0.95, method: str = "separate") -> Lines:
    """The median of the slopes between points; SciPy says which of them are the limits."""
    if method not in ("joint", "separate"):
        raise ValueError("method must be either 'joint' or 'separate'.")
    y = np.ravel(np.asarray(y) * 1.0)
    x = np.arange(len(y)) * 1.0 if x is None else np.ravel(np.asarray(x) * 1.0)
    apart = x[:, np.newaxis] - x
    is_ahead = apart > 0.0
    slopes = np.where(is_ahead, (y[:, np.newaxis] - y) / np.where(is_ahead, apart, 1.0), np.nan)
    slopes, at, known = np.sort(np.ravel(slopes)), held(x), held(y)

    def run() -> Array:
        found = python_function("scipy.stats", "theilslopes")(known, at, alpha)
        ahead = at[:, np.newaxis] - at
        own = np.sort(((known[:, np.newaxis] - known)[ahead > 0.0]) / ahead[ahead > 0.0])
        own = own if own.size else np.full(1, np.nan)  # of equal points
        return np.array([np.argmin(np.abs(own - end)) for end in (found.low_slope, found.high_slope)])

    low, high = slopes[by_python(run, np.zeros(2, np.int64))]
    slope = np.nanmedian(slopes)
    intercept = np.median(y - slope * x) if method == "joint" else np.median(y) - slope * np.median(x)
    return Lines(slope, intercept, low, high)


STATS: dict[str, Callable[..., Any]] = {
    **{name: _of_ranks(name) for name in ("kendalltau", "weightedtau")},
    "ks_2samp": _of_both,
    "percentileofscore": percentileofscore,
}
MORE: dict[str, Callable[..., Any]] = {"shapiro": shapiro}
LINES: dict[str, Callable[..., Any]] = {"siegelslopes": siegelslopes, "theilslopes": theilslopes}
KOLMOGOROV: dict[str, Callable[..., Any]] = {"kolmogn": kolmogn}
EXTRA: dict[str, Callable[..., Any]] = {"nunique": nunique}
CLUSTERS: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(cophenetic_distances, cluster_dist, cluster_maxclust_dist),
        *(get_max_dist_for_each_cluster, get_max_Rfield_for_each_cluster, prelist),
    )
}
