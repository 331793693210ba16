"""Smooth surfaces of `scipy.interpolate`, through scattered points and through values on a grid: SciPy finds them. They
are linear in the values, so that surfaces of one value at a time are the derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.library.anchored import fixed, python_function
from daad.frontend.library.solvers.primitives import opaque

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]
DEGREES = {"cubic": 3}
STEP = 1e-5
"""Of the extent of points: third derivatives are constant in parts of triangles."""
EXACT = {"tol": 1e-12, "maxiter": 2000}
"""How slopes at points are looked for where derivatives are asked for."""


def _within(points: Array, values: Array, at: Array, ways: Any) -> Array:
    made = python_function("scipy.interpolate", "CloughTocher2DInterpolator")
    return np.asarray(made(points, values, **ways)(at))


def _within_bars(args: Any, found: Array, bar: Array) -> Bars:
    points, values, at, ways = args
    open_ways = {**ways, "fill_value": np.nan}
    shares = np.nan_to_num(_within(points, np.eye(len(points)), at, {**open_ways, **EXACT}))
    values_bar = np.tensordot(shares, bar, (0, 0))
    at_bar, here = np.zeros_like(at), _within(points, values, at, open_ways)
    for k in range(at.shape[1]):
        step = np.zeros(at.shape[1])
        step[k] = STEP * np.ptp(points[:, k])
        above, below = (_within(points, values, at + side * step, open_ways) for side in (1.0, -1.0))
        slope = np.where(np.isnan(above), here - below, np.where(np.isnan(below), above - here, 0.5 * (above - below)))
        at_bar[:, k] = np.sum(np.nan_to_num(slope / step[k] * bar).reshape(len(at), -1), axis=1)
    return None, values_bar, at_bar, None


class CloughTocher:
    """Cubics in three parts of each triangle between points of the plane."""

    def __init__(self, points: Any, values: Array, fill_value: Any, rescale: bool, ways: Any) -> None:
        self.points = points
        self.values, self.ways = np.asarray(values) * 1.0, {"fill_value": fill_value, "rescale": rescale, **ways}

    def __call__(self, *args: Any) -> Array:
        at = args[0] if len(args) == 1 else args
        if isinstance(at, tuple):
            at = np.stack(np.broadcast_arrays(*[np.asarray(one) * 1.0 for one in at]), axis=-1)
        at = np.asarray(at) * 1.0
        flat, like = at.reshape((-1, 2)), np.zeros((at.size // 2, *self.values.shape[1:]))
        found = opaque(_within, _within_bars, like, fixed(self.points), self.values, flat, self.ways)
        return found.reshape((*at.shape[:-1], *self.values.shape[1:]))


def clough_tocher(
    points: Any, values: Array, fill_value: Any = np.nan, tol: float = 1e-6, maxiter: int = 400, rescale: bool = False
) -> CloughTocher:
    points = points.points if hasattr(points, "simplices") else points
    if isinstance(points, tuple):
        points = np.stack(np.broadcast_arrays(*points), axis=-1)
    return CloughTocher(np.asarray(points) * 1.0, values, fill_value, rescale, {"tol": tol, "maxiter": maxiter})


def _on_grid(ways: Any, values: Array, at: Array, *lines: Array) -> Array:
    made = python_function("scipy.interpolate", "RegularGridInterpolator")
    return np.asarray(made(lines, values, **ways)(at))


def _on_grid_bars(args: Any, found: Array, bar: Array) -> Bars:
    """The spline through each value alone is a product of splines along the axes."""
    ways, values, at, *lines = args
    degree, outside = DEGREES[ways["method"]], np.zeros(len(at), bool)
    shares, slopes = [], []
    for k, line in enumerate(lines):
        spline = python_function("scipy.interpolate", "make_interp_spline")(line, np.eye(len(line)), degree)
        shares.append(spline(at[:, k]))
        slopes.append(spline(at[:, k], 1))
        outside |= (at[:, k] < line[0]) | (at[:, k] > line[-1])
    if ways["fill_value"] is not None:
        bar = np.where(outside.reshape((-1, *[1] * (bar.ndim - 1))), 0.0, bar)
    values_bar, at_bar = np.zeros_like(values), np.zeros_like(at)
    for place in range(len(at)):
        own = [rows[place] for rows in shares]
        values_bar += np.multiply.outer(_product(own), bar[place])
        for k in range(len(lines)):
            turned = [slopes[k][place] if j == k else row for j, row in enumerate(own)]
            at_bar[place, k] = np.sum(np.tensordot(_product(turned), values, len(lines)) * bar[place])
    return None, values_bar, at_bar, *[None] * len(lines)


def _product(rows: Any) -> Array:
    found = rows[0]
    for row in rows[1:]:
        found = np.multiply.outer(found, row)
    return found


def on_grid(lines: Any, values: Array, flat: Array, ways: Any) -> Array:
    """Splines through values on a grid, at places."""
    if any(len(line) <= DEGREES[ways["method"]] for line in lines):
        raise ValueError(f"'{ways['method']}' needs more points along each axis")
    like = np.zeros((len(flat), *values.shape[len(lines) :]))
    return opaque(_on_grid, _on_grid_bars, like, ways, values, flat, *[fixed(line) for line in lines])
