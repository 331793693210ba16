"""Scattered points: neighbours, triangles, radial functions; made in the program or outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, spatial

import daad
from tests.corpus.case import Case
from tests.programs import interpreted

RANDOM = np.random.default_rng(0)
POINTS, VALUES = RANDOM.normal(size=(20, 2)), RANDOM.normal(size=20)
TREE, OTHER = spatial.cKDTree(POINTS), spatial.KDTree(POINTS)
LINEAR, NEAREST = interpolate.LinearNDInterpolator(POINTS, VALUES), interpolate.NearestNDInterpolator(POINTS, VALUES)
RADIAL = interpolate.RBFInterpolator(POINTS, VALUES)
WEIGHTS = np.array([1.0, -2.0, 0.5, 0.7])


def places(p):
    return np.stack((p, 2 * p), 1)


def between(p):
    distances, which = TREE.query(places(p), k=2)
    return np.sum(distances * VALUES[which])


def within_reach(p):
    distances, which = spatial.KDTree(places(p)).query(POINTS, k=3, p=1, distance_upper_bound=0.9)
    return np.sum(np.where(which < 4, distances, 0.0))


def around_one(p):
    near = spatial.KDTree(POINTS * p[0], leafsize=3).query_ball_point(0.1 * p[:2], 1.2 + 0.1 * p[2])
    total = np.sum(p[0] * POINTS[near, 0] * np.arange(len(near)))
    near += [1]
    return total + len(near)


def around_each(p):
    tree, total = spatial.cKDTree(p[0] * POINTS, leafsize=5, copy_data=True), 0.0
    for a, near in enumerate(tree.query_ball_point(places(p), [0.5, 0.9, 0.7, 0.0], workers=1)):
        if not near:
            continue
        total = total + np.sum(tree.data[np.array(near), 0] * VALUES[: len(near)]) * p[a]
    counts = OTHER.query_ball_point(places(p), 0.8, return_length=True)
    return total * TREE.query_ball_point(places(p)[0], 1.0, return_length=True) + np.sum(counts * p)


def pairs(p):
    points = p[0] * POINTS + p[1] * POINTS[::-1]
    found = spatial.KDTree(points, 4).query_pairs(0.9, output_type="ndarray")
    apart = np.sum((points[found[:, 0]] - points[found[:, 1]]) ** 2, axis=1)
    return np.sum(apart * np.arange(len(apart)))


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "neighbours": between,
    "the nearest one": lambda p: np.sum(OTHER.query(places(p))[0] * WEIGHTS),
    "a tree of data": within_reach,
    "all around a place": around_one,
    "all around places": around_each,
    "pairs": pairs,
    "linear": lambda p: np.sum(LINEAR(0.3 * p, 0.2 * p) * WEIGHTS),
    "nearest": lambda p: np.sum(NEAREST(p, p) * p),
    "griddata": lambda p: np.sum(
        interpolate.griddata(POINTS * p[0], VALUES * p[1], (0.2 * p, np.array([0.1, 0.3, 0.2, 0.0]))) * WEIGHTS
    ),
    "griddata, nearest": lambda p: np.sum(interpolate.griddata(POINTS, VALUES * p[0], places(p), "nearest") * WEIGHTS),
    "griddata, a line": lambda p: np.sum(interpolate.griddata(p, p**2, [0.0, 0.4], fill_value=0.3)),
    "linear, of data": lambda p: np.sum(
        interpolate.LinearNDInterpolator(POINTS, np.outer(VALUES, p), rescale=True)(0.1 * p, 0.1)
    ),
    "cubic": lambda p: np.sum(
        interpolate.griddata(POINTS, VALUES * np.exp(p[0] * VALUES), 0.3 * places(p), "cubic", 0.2) * WEIGHTS
    ),
    "CloughTocher": lambda p: np.sum(
        interpolate.CloughTocher2DInterpolator(POINTS, np.outer(VALUES, p), tol=1e-10, rescale=True)(0.1 * p, 0.1)
    ),
    "radial": lambda p: np.sum(RADIAL(places(p)) * WEIGHTS),
    "radial, of data": lambda p: np.sum(
        interpolate.RBFInterpolator(places(p + 0.1 * p**2), p, kernel="gaussian", epsilon=p[0])(POINTS[:3])
    ),
    "smooth": lambda p: np.sum(
        interpolate.RBFInterpolator(POINTS[:4], p, smoothing=p[0], kernel="linear")(places(p)) * WEIGHTS
    ),
    "Rbf": lambda p: np.sum(interpolate.Rbf(POINTS[:4, 0], POINTS[:4, 1], p)(0.3 * p, 0.2 * p) * WEIGHTS),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_matches_differences(name: str) -> None:
    function, p = PROGRAMS[name], np.array([0.3, 0.2, -0.1, 0.7])
    (gradient,) = interpreted(Case(name=name, function=function, arguments=lambda: (p,), wrt=("p",)))(p.copy())
    expected = [(function(p + h) - function(p - h)) / 2e-5 for h in 1e-5 * np.eye(4)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["neighbours", "griddata"])
def test_values_are_scipys(name: str) -> None:
    p = np.array([0.3, 0.2, -0.1, 0.7])
    np.testing.assert_allclose(daad.value_and_grad(PROGRAMS[name])(p)[0], PROGRAMS[name](p), rtol=1e-12)
