"""Scattered points: nearest neighbours, triangles around places, radial functions. Which points count comes from SciPy
and has no derivative; distances and values between them have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, held, python_function
from daad.frontend.library.solvers.piecewise import kept, places_of
from daad.frontend.library.solvers.surfaces import clough_tocher

Array = Any  # staged while the program is read


class Tree:
    """Points among which the nearest ones are looked for, with how SciPy divides them."""

    def __init__(self, data: Array, division: tuple[int, bool, bool]) -> None:
        self.data, self.division = np.asarray(data) * 1.0, division
        self.n, self.m = self.data.shape

    def query(
        self,
        x: Array,
        k: Any = 1,
        eps: float = 0,
        p: float = 2,
        distance_upper_bound: Any = np.inf,
        workers: int = 1,
    ) -> tuple[Array, Array]:
        """Distances and numbers; none nearer than the bound is infinitely far."""
        x, points = np.asarray(x) * 1.0, self.data
        at, among, division = held(x), held(points), self.division
        flat = x.reshape((-1, self.m))
        count = k if isinstance(k, int) else len(k)

        def run() -> Array:
            tree = _of_scipy(np.asarray(among), division)
            _, found = tree.query(np.asarray(at), k, eps, p, distance_upper_bound)
            return np.reshape(found, (-1, count)).astype(np.int64)

        found = by_python(run, np.zeros((flat.shape[0], count), np.int64))
        is_there = found < self.n
        apart = np.abs(flat[:, np.newaxis] - points[np.where(is_there, found, 0)])
        distance = np.where(is_there, _length(apart, p), np.inf)
        shape = (*x.shape[:-1], count) if not isinstance(k, int) or k > 1 else x.shape[:-1]
        return distance.reshape(shape)[()], found.reshape(shape)[()]

    def query_ball_point(
        self,
        x: Array,
        r: Any,
        p: float = 2,
        eps: float = 0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> Any:
        """The points that are no further away from a place, in SciPy's order; a list for each of several places."""
        x = np.asarray(x) * 1.0
        if eps:
            raise ValueError("'query_ball_point' is supported with 'eps=0'")
        flat, shape = x.reshape((-1, self.m)), x.shape[:-1]
        far = np.broadcast_to(np.asarray(r) * 1.0, shape).reshape(-1)
        if return_length:
            every = _length(np.abs(self.data - flat[:, np.newaxis]), p) <= far[:, np.newaxis]
            return np.sum(every, axis=1).reshape(shape)[()]
        in_order = x.ndim > 1 if return_sorted is None else return_sorted
        found = np.empty(len(flat), dtype=object)
        if x.ndim > 2:
            raise ValueError("'query_ball_point' is supported for a row of places")
        for k in range(len(flat)):
            inside = _length(np.abs(self.data - flat[k]), p) <= far[k]
            order = np.arange(self.n) if in_order else self._first(self.n, _within_reach, flat[k], far[k], p)
            found[k] = order[inside[order]].tolist()
        return found if shape else found[0]

    def query_pairs(self, r: float, p: float = 2, eps: float = 0, output_type: str = "set") -> Array:
        """The pairs of points that are no further apart, in SciPy's order."""
        if eps or output_type != "ndarray":
            raise ValueError("'query_pairs' is supported with 'eps=0' and 'output_type=\"ndarray\"'")
        n = self.n
        first, second = np.triu_indices(n, 1)
        near = _length(np.abs(self.data[first] - self.data[second]), p) <= r

        def numbers(tree: Any, r: Array, p: Array) -> Array:
            i, j = tree.query_pairs(r, p, output_type="ndarray").T
            return i * n - i * (i + 1) // 2 + j - i - 1

        order = self._first(len(first), numbers, r, p)
        which = order[near[order]]
        return np.stack((first[which], second[which]), axis=1)

    def _first(self, count: int, met: Callable[..., Array], *args: Any) -> Array:
        """All numbers below `count`, first those that SciPy meets, in its order."""
        among, given, division = held(self.data), [held(np.asarray(one)) for one in args], self.division

        def run() -> Array:
            tree = _of_scipy(np.asarray(among), division)
            found = np.asarray(met(tree, *[np.asarray(one)[()] for one in given]), dtype=np.int64)
            return np.concatenate((found, np.setdiff1d(np.arange(count), found)))

        return by_python(run, np.zeros(count, np.int64))

    def query_ball_tree(self, *_: Any, **__: Any) -> Any:
        raise ValueError("Neighbours in another tree are not supported: take 'query', or distances of all")

    count_neighbors = sparse_distance_matrix = query_ball_tree


def _within_reach(tree: Any, x: Array, r: Array, p: Array) -> Array:
    return tree.query_ball_point(x, r, p)


def _of_scipy(data: Array, division: tuple[int, bool, bool]) -> Any:
    leafsize, compact_nodes, balanced_tree = division
    return python_function("scipy.spatial", "cKDTree")(
        data, leafsize, compact_nodes=compact_nodes, balanced_tree=balanced_tree
    )


def _length(apart: Array, p: float) -> Array:
    if p == 2:
        return np.sqrt(np.sum(apart * apart, axis=-1))
    if p == math.inf:
        return np.max(apart, axis=-1)
    return np.sum(apart, axis=-1) if p == 1 else np.sum(apart**p, axis=-1) ** (1.0 / p)


def _tree(leafsize: int) -> Callable[..., Tree]:
    """The constructor, where as many points are not divided further."""

    def tree(
        data: Array,
        leafsize: int = leafsize,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
    ) -> Tree:
        if boxsize is not None:
            raise ValueError("Trees of periodic boxes are not supported: take distances of all points")
        return Tree(np.array(data) if copy_data else data, (leafsize, compact_nodes, balanced_tree))

    return tree


def _scaled(points: Array, at: Array, rescale: bool) -> tuple[Array, Array]:
    """Both without units, if asked."""
    points, at = np.asarray(points), np.asarray(at)
    if not rescale:
        return points, at
    size = np.ptp(points, axis=0)
    size = np.where(size > 0, size, 1.0)
    return points / size, at / size


class Linear:
    """Values at the corners of triangles, or of simplices of more dimensions."""

    def __init__(self, points: Any, values: Array, fill_value: Any = np.nan, rescale: bool = False) -> None:
        self.points = points.points if hasattr(points, "simplices") else places_of(points)
        self.values, self.fill_value, self.rescale = kept(values), fill_value, rescale

    def __call__(self, *args: Any) -> Array:
        points, values, d = self.points, self.values, self.points.shape[1]
        at = places_of(args, d)
        flat = at.reshape((-1, d))
        among, where, rescale = held(points), held(flat), self.rescale

        def run() -> tuple[Array, Array]:
            scaled, places = _scaled(among, where, rescale)
            made = python_function("scipy.spatial", "Delaunay")(scaled)
            inside = made.find_simplex(places)
            return made.simplices[inside].astype(np.int64), inside >= 0

        corners, inside = by_python(run, (np.zeros((len(flat), d + 1), np.int64), np.zeros(len(flat), bool)))
        apart = np.swapaxes(points[corners[:, :d]] - points[corners[:, d:]], 1, 2)
        first = np.linalg.solve(apart, (flat - points[corners[:, d]])[:, :, np.newaxis])[:, :, 0]
        shares = np.concatenate((first, 1.0 - np.sum(first, axis=1)[:, np.newaxis]), axis=1)
        found = np.sum(np.reshape(shares, (*shares.shape, *[1] * (values.ndim - 1))) * values[corners], axis=1)
        found = np.where(np.reshape(inside, (-1, *[1] * (values.ndim - 1))), found, self.fill_value)
        return found.reshape((*at.shape[:-1], *values.shape[1:]))


class Nearest:
    """The value of the nearest point."""

    def __init__(self, x: Any, y: Array, rescale: bool = False) -> None:
        self.points, self.values, self.rescale = places_of(x), np.asarray(y), rescale

    def __call__(self, *args: Any) -> Array:
        at = places_of(args, self.points.shape[1])
        flat = at.reshape((-1, self.points.shape[1]))
        among, where, rescale = held(self.points), held(flat), self.rescale

        def run() -> Array:
            scaled, places = _scaled(among, where, rescale)
            return python_function("scipy.spatial", "cKDTree")(scaled).query(places)[1].astype(np.int64)

        found = self.values[by_python(run, np.zeros(len(flat), np.int64))]
        return found.reshape((*at.shape[:-1], *self.values.shape[1:])) * 1.0


def linear(points: Any, values: Array, fill_value: Any = np.nan, rescale: bool = False) -> Linear:
    return Linear(points, values, fill_value, rescale)


def nearest(x: Any, y: Array, rescale: bool = False) -> Nearest:
    return Nearest(x, y, rescale)


def griddata(
    points: Any, values: Array, xi: Any, method: str = "linear", fill_value: Any = np.nan, rescale: bool = False
) -> Array:
    points = places_of(points)
    if points.ndim < 2 or points.shape[-1] == 1:
        line, at = points.ravel(), xi[0] if isinstance(xi, tuple) else xi
        order = np.argsort(line, kind="stable")
        beyond = "extrapolate" if method == "nearest" else fill_value
        made = python_function("scipy.interpolate", "interp1d")
        return made(line[order], np.asarray(values)[order], method, 0, bounds_error=False, fill_value=beyond)(at)
    if method not in ("linear", "nearest", "cubic"):
        raise ValueError(f"Unknown interpolation method {method!r} for 2 dimensional data")
    if method == "cubic":
        return clough_tocher(points, values, fill_value, rescale=rescale)(xi)
    if method == "nearest":
        return Nearest(points, values, rescale)(xi)
    return Linear(points, values, fill_value, rescale)(xi)


def _in_python(name: str) -> Callable[..., Any]:
    return python_function("scipy.interpolate._rbfinterp_xp", name)


def build_and_solve(y: Array, d: Array, smoothing: Any, kernel: str, epsilon: Any, powers: Any, xp: Any) -> Any:
    """A system for the weights of radial functions, in SciPy's Python for arrays of other packages."""
    matrix, right, shift, scale = _in_python("_build_system")(y, d, smoothing, kernel, epsilon, powers, xp)
    return shift, scale, np.linalg.solve(matrix, right)


def compute(
    x: Array, y: Array, kernel: str, epsilon: Any, powers: Any, shift: Array, scale: Array, coeffs: Array, xp: Any
) -> Array:
    return _in_python("compute_interpolation")(x, y, kernel, epsilon, powers, shift, scale, coeffs, xp)


def stands_for(value: Any) -> tuple[type, dict[str, Any]] | None:
    """The class and the attributes of what stands for a tree or an interpolator of SciPy's own; None for others."""
    kinds = {cls.__name__ for cls in type(value).__mro__}
    if "cKDTree" in kinds and value.boxsize is None:
        data, division = np.asarray(value.data), (value.leafsize, True, True)
        if not np.array_equal(_of_scipy(data, division).indices, value.indices):
            return None
        return Tree, {"data": data, "division": division, "n": value.n, "m": value.m}
    if not kinds & {"LinearNDInterpolator", "NearestNDInterpolator"} or value.scale is not None or value.is_complex:
        return None
    values = np.reshape(value.values, (len(value.values), *value.values_shape))
    if "NearestNDInterpolator" in kinds:
        return Nearest, {"points": value.points, "values": value.values, "rescale": False}
    return Linear, {"points": value.points, "values": values, "fill_value": value.fill_value, "rescale": False}


SCATTERED: dict[str, Callable[..., Any]] = {
    "griddata": griddata,
    "LinearNDInterpolator": linear,
    "CloughTocher2DInterpolator": clough_tocher,
    "NearestNDInterpolator": nearest,
}
TREES: dict[str, Callable[..., Any]] = {"cKDTree": _tree(16), "KDTree": _tree(10)}
RADIAL: dict[str, Callable[..., Any]] = {"_build_and_solve_system": build_and_solve, "compute_interpolation": compute}
