"""`scipy.spatial.distance` between all rows of arrays, and what `scipy.cluster` makes of such distances."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from daad.errors import Unsupported
from daad.frontend.custom_derivatives import CustomRule
from daad.frontend.library.anchored import by_python, held, python_function
from daad.frontend.library.special import rel_entr

Array = Any  # staged while the program is read


def _weighted(terms: Array, w: Array) -> Array:
    return terms if w is None else w * terms


def _euclidean(p: Array, q: Array, w: Array = None) -> Array:
    return np.sqrt(_squared(p, q, w))


def _squared(p: Array, q: Array, w: Array = None) -> Array:
    return np.sum(_weighted((p - q) * (p - q), w), axis=-1)


def _cityblock(p: Array, q: Array, w: Array = None) -> Array:
    return np.sum(_weighted(np.abs(p - q), w), axis=-1)


def _chebyshev(p: Array, q: Array, w: Array = None) -> Array:
    return np.max(np.abs(p - q) if w is None else np.where(w > 0, np.abs(p - q), 0.0), axis=-1)


def _minkowski(p: Array, q: Array, order: Any, w: Array = None) -> Array:
    return np.sum(_weighted(np.abs(p - q) ** order, w), axis=-1) ** (1.0 / order)


def _cosine(p: Array, q: Array, w: Array = None) -> Array:
    sizes = [np.sqrt(np.sum(_weighted(x * x, w), axis=-1)) for x in (p, q)]
    return 1.0 - np.sum(_weighted(p * q, w), axis=-1) / (sizes[0] * sizes[1])


def _correlation(p: Array, q: Array, w: Array = None) -> Array:
    means = [
        np.mean(x, axis=-1, keepdims=True) if w is None else np.sum(w * x, axis=-1, keepdims=True) / np.sum(w)
        for x in (p, q)
    ]
    return _cosine(p - means[0], q - means[1], w)


def _canberra(p: Array, q: Array, w: Array = None) -> Array:
    whole = np.abs(p) + np.abs(q)
    return np.sum(_weighted(np.abs(p - q) / np.where(whole == 0.0, 1.0, whole), w), axis=-1)


def _braycurtis(p: Array, q: Array, w: Array = None) -> Array:
    return np.sum(_weighted(np.abs(p - q), w), axis=-1) / np.sum(_weighted(np.abs(p + q), w), axis=-1)


def _hamming(p: Array, q: Array, w: Array = None) -> Array:
    return np.mean(p != q, axis=-1) if w is None else np.sum(w * (p != q), axis=-1) / np.sum(w)


def _jensenshannon(p: Array, q: Array) -> Array:
    shares = [x / np.sum(x, axis=-1, keepdims=True) for x in (p, q)]
    middle = (shares[0] + shares[1]) / 2.0
    left, right = (np.sum(rel_entr(share, middle), axis=-1) for share in shares)
    return np.sqrt((left + right) / 2.0)


def _mahalanobis(p: Array, q: Array, inverse: Array) -> Array:
    return np.sqrt(np.sum((p - q) * ((p - q) @ np.asarray(inverse).T), axis=-1))


def _seuclidean(p: Array, q: Array, variances: Array) -> Array:
    return np.sqrt(np.sum((p - q) * (p - q) / variances, axis=-1))


def _dice(p: Array, q: Array) -> Array:
    """Numbers count as they are."""
    other = np.sum(p * (1.0 - q) + (1.0 - p) * q, axis=-1)
    return other / (2.0 * np.sum(p * q, axis=-1) + other)


METRICS: dict[str, Callable[..., Array]] = {
    "euclidean": _euclidean,
    "sqeuclidean": _squared,
    "cityblock": _cityblock,
    "chebyshev": _chebyshev,
    "cosine": _cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": _braycurtis,
    "jensenshannon": _jensenshannon,
    "hamming": _hamming,
    "dice": _dice,
}
"""Of pairs of rows along the last axis; further arguments are SciPy's keywords."""
OTHER_NAMES = {"cosine": ("cos",), "cityblock": ("cblock", "cb", "c"), "euclidean": ("euclid", "eu", "e"),
               "sqeuclidean": ("sqe", "sqeuclid"), "chebyshev": ("chebychev", "cheby", "cheb", "ch"),
               "correlation": ("co",), "jensenshannon": ("js",), "minkowski": ("mi", "m", "pnorm"),
               "mahalanobis": ("mahal", "mah"), "seuclidean": ("se", "s")}  # fmt: skip


def _metric(name: str) -> str:
    name = name.lower()
    return next((known for known, others in OTHER_NAMES.items() if name in others), name)


def _between(p: Array, q: Array, rows: Array, metric: Any, options: dict[str, Any]) -> Array:
    """The distances of pairs of rows; `rows` are all that there are."""
    name = _metric(metric)
    if name == "minkowski":
        return _minkowski(p, q, options.get("p", 2.0), options.get("w"))
    if name == "seuclidean":
        variances = options.get("V")
        return _seuclidean(p, q, np.var(rows, axis=0, ddof=1) if variances is None else np.asarray(variances))
    if name == "mahalanobis":
        inverse = options.get("VI")
        return _mahalanobis(p, q, np.linalg.inv(np.atleast_2d(np.cov(rows.T))).T if inverse is None else inverse)
    if name in OF_TRUTHS:
        return _of_truths(OF_TRUTHS[name], p != 0.0, q != 0.0, **options)
    if name not in METRICS:
        raise ValueError(f"Distances by '{name}' are not supported")
    return METRICS[name](p, q, **options)


class Counts(NamedTuple):
    """How often two truth values both hold, how often one of them does, and of how many."""

    both: Array
    one: Array
    whole: Array


def _of_truths(formula: Callable[..., Array], p: Array, q: Array, w: Array = None) -> Array:
    both, one = (np.sum(_weighted(mask * 1.0, w), axis=-1) for mask in (p & q, p ^ q))
    return formula(Counts(both, one, p.shape[-1] if w is None else np.sum(w)))


OF_TRUTHS: dict[str, Callable[[Counts], Array]] = {
    "rogerstanimoto": lambda c: 2.0 * c.one / (c.whole + c.one),
    "russellrao": lambda c: (c.whole - c.both) / c.whole,
    "sokalsneath": lambda c: 2.0 * c.one / (c.both + 2.0 * c.one),
}
"""Measures of truth values, which numbers are made."""


def _rows(x: Array) -> Array:
    rows = np.asarray(x) * 1.0
    if rows.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    return rows


def _stored(found: Array, out: Any) -> Array:
    if out is None:
        return found
    out[...] = found
    return out


def cdist(XA: Array, XB: Array, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Array:
    p, q = _rows(XA), _rows(XB)
    if p.shape[1] != q.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    if callable(metric):
        found = np.empty((len(p), len(q)))
        for i, j in itertools.product(range(len(p)), range(len(q))):
            found[i, j] = metric(p[i], q[j], **kwargs)
        return _stored(found, out)
    every = np.concatenate((p, q)) if _metric(metric) in ("seuclidean", "mahalanobis") else p
    return _stored(_between(p[:, np.newaxis], q[np.newaxis], every, metric, kwargs), out)


def pdist(X: Array, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Array:
    rows = _rows(X)
    first, second = np.triu_indices(len(rows), 1)
    if callable(metric):
        found = np.empty(len(first))
        for k, (i, j) in enumerate(zip(first, second, strict=True)):
            found[k] = metric(rows[i], rows[j], **kwargs)
        return _stored(found, out)
    return _stored(_between(rows[first], rows[second], rows, metric, kwargs), out)


def squareform(X: Array, force: str = "no", checks: bool = True) -> Array:
    """A vector of the distances of all pairs as a matrix, or the other way round."""
    x = np.asarray(X)
    if x.ndim == 1:
        count = int(np.ceil(np.sqrt(2.0 * len(x)))) if len(x) else 1
        if count * (count - 1) != 2 * len(x) or force == "tovector":
            raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2")
        first, second = np.triu_indices(count, 1)
        matrix = np.zeros((count, count), x.dtype)
        matrix[first, second] = x
        matrix[second, first] = x
        return matrix
    if x.ndim != 2 or x.shape[0] != x.shape[1] or force == "tomatrix":
        raise ValueError("The matrix argument must be square.")
    if checks and not np.allclose(x, x.T, rtol=0.0, atol=1e-8):
        raise ValueError("Distance matrix must be symmetric.")
    return x[np.triu_indices(len(x), 1)]


def directed_hausdorff(u: Array, v: Array) -> Any:
    found = cdist(u, v)
    nearest = np.min(found, axis=1)
    first = np.argmax(nearest)
    return float(np.max(nearest)), int(first), int(np.argmin(found[first]))


def _merges(method: str, distances: Array) -> Array:
    return import_module("scipy.cluster.hierarchy").linkage(distances, method)


def _held(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Python computes, whose results change in steps."""
    value = CustomRule(function, opaque=True)

    def program(x: Array) -> Array:
        return value(x)

    def tangent(primals: Any, tangents: Any) -> Any:
        result = rule(*primals)
        return result, tangents[0] if tangents[0] is None else np.zeros_like(result)

    rule = CustomRule(program)
    rule.defjvp(tangent)
    return rule


METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
MERGES = {method: _held(partial(_merges, method)) for method in METHODS}


def _updated(method: str, x: Array, y: Array, xy: Array, sizes: tuple[Array, Array, Array]) -> Array:
    """The distance of a cluster from two that are merged, by Lance and Williams."""
    a, b, c = sizes
    if method == "single":
        return np.minimum(x, y)
    if method == "complete":
        return np.maximum(x, y)
    if method == "average":
        return (a * x + b * y) / (a + b)
    if method == "weighted":
        return 0.5 * (x + y)
    if method == "ward":
        return np.sqrt(((a + c) * x * x + (b + c) * y * y - c * xy * xy) / (a + b + c))
    a, b = (a / (a + b), b / (a + b)) if method == "centroid" else (0.5, 0.5)
    return np.sqrt(a * x * x + b * y * y - a * b * xy * xy)


def linkage(y: Array, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False) -> Array:
    """SciPy says which clusters are merged; their distances are computed again."""
    if optimal_ordering:
        raise ValueError("Optimal ordering is not supported")
    distances = pdist(y, metric) if np.ndim(y) == 2 else np.asarray(y) * 1.0
    merges = MERGES[method](distances)
    matrix = squareform(distances, checks=False)
    count = len(matrix)
    every, sizes = np.zeros((2 * count - 1, 2 * count - 1)), np.ones(2 * count - 1)
    every[:count, :count] = matrix
    heights = np.zeros(count - 1)
    for k in range(count - 1):
        i, j = int(merges[k, 0]), int(merges[k, 1])
        heights[k] = every[i, j]
        for other in range(count + k):
            size = (sizes[i], sizes[j], sizes[other])
            is_left = (other != i) & (other != j)
            new = _updated(method, every[i, other], every[j, other], every[i, j], size)
            every[count + k, other] = np.where(is_left, new, 0.0)
            every[other, count + k] = np.where(is_left, new, 0.0)
        sizes[count + k] = sizes[i] + sizes[j]
    return np.stack((merges[:, 0], merges[:, 1], heights, merges[:, 3]), axis=1)


def vq(obs: Array, code_book: Array) -> Any:
    kind = np.promote_types(obs.dtype, code_book.dtype)
    kind = kind if kind.kind == "f" else np.dtype(float)
    found = cdist(obs, code_book)
    return np.argmin(found, axis=1).astype(np.int32), np.min(found, axis=1).astype(kind)


def kmeans2(data: Array, k: Any, iter: int = 10, thresh: float = 1e-5, minit: str = "random", **rest: Any) -> Any:
    """The means of what SciPy has sorted into clusters."""
    data = np.asarray(data) * 1.0
    if data.ndim != 2:
        raise ValueError("'kmeans2' is supported for a matrix of observations")
    count = k if isinstance(k, int) else len(k)
    known, first = held(data), k if isinstance(k, int) else held(np.asarray(k) * 1.0)

    def run() -> Array:
        found = python_function("scipy.cluster.vq", "kmeans2")(known, first, iter, thresh, minit, **rest)[1]
        if len(np.unique(found)) < count:
            raise Unsupported("A cluster is empty.", hint="Ask for fewer, or begin elsewhere.")
        return np.asarray(found, np.int32)

    labels = by_python(run, np.zeros(len(data), np.int32))
    is_inside = np.where(labels == np.arange(count)[:, np.newaxis], 1.0, 0.0)
    return is_inside @ data / np.sum(is_inside, axis=1)[:, np.newaxis], labels


DISTANCE: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (cdist, pdist, squareform, directed_hausdorff)
}
HIERARCHY: dict[str, Callable[..., Any]] = {"linkage": linkage}
QUANTIZATION: dict[str, Callable[..., Any]] = {"vq": vq, "kmeans2": kmeans2}
