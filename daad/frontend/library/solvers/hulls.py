"""Convex hulls of `scipy.spatial`: SciPy finds which points are corners; what is inside has the derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers.primitives import opaque

Array = Any  # staged while the program is read


def _measures(points: Array) -> Array:
    """Volume and area."""
    hull = python_function("scipy.spatial", "ConvexHull")(points)
    return np.array([hull.volume, hull.area])


def _measures_bars(args: Any, _: Array, bar: Array) -> tuple[Array]:
    """By the parts of the surface, and the pyramids between them and a point inside."""
    (points,) = args
    found, d = np.zeros_like(points), points.shape[1]
    middle = np.mean(points, axis=0)
    for corners in python_function("scipy.spatial", "ConvexHull")(points).simplices:
        at = points[corners]
        spokes, edges = at - middle, at[1:] - at[0]
        volume = np.linalg.det(spokes) / math.factorial(d)
        found[corners] += bar[0] * abs(volume) * np.linalg.inv(spokes).T
        gram = edges @ edges.T
        turned = bar[1] * math.sqrt(np.linalg.det(gram)) / math.factorial(d - 1) * np.linalg.solve(gram, edges)
        found[corners[1:]] += turned
        found[corners[0]] -= turned.sum(axis=0)
    return (found,)


class Hull:
    """Of points; only its measures are known."""

    def __init__(self, points: Array) -> None:
        self.points = np.asarray(points) * 1.0
        self.measures = opaque(_measures, _measures_bars, np.zeros(2), self.points)

    @property
    def volume(self) -> Array:
        return float(self.measures[0])

    @property
    def area(self) -> Array:
        return float(self.measures[1])


def convex_hull(points: Array, incremental: bool = False, qhull_options: Any = None) -> Hull:
    if incremental or qhull_options is not None:
        raise ValueError("'ConvexHull' is supported without options")
    return Hull(points)
