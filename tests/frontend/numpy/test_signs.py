"""Eigenvectors and singular vectors have the signs that NumPy's have, also where rounding errors decide about them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

_random = np.random.default_rng(3)
_columns = _random.normal(size=(5, 3))
_links = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
_any = _random.normal(size=(5, 5))

MATRICES = {
    "as any": _any + _any.T,
    "of single precision": (_any + _any.T).astype(np.float32),
    "second differences, single": (2.0 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1)).astype(np.float32),
    "of a graph": np.diag(_links.sum(axis=0)) - _links,
    "with negative zeros": np.array([[1.0, -0.0, 4.0], [-0.0, -2.0, 3.0], [4.0, 3.0, -3.0]]),
    "two axes alike": np.array([[0.0, 3.0, 3.0], [3.0, -1.0, -7.0], [3.0, -7.0, -1.0]]),
    "two that do not meet": np.array([[6.0, 0.0, -2.0], [0.0, -2.0, 0.0], [-2.0, 0.0, 4.0]]),
    "of low rank": _columns @ _columns.T,
    "all alike": np.eye(4),
}


def eigenvectors(scale, a):
    v = np.linalg.eigh(a)[1]
    return scale * np.sum(v[0] * np.cos(np.arange(len(a))))


def eigenvectors_of_the_upper_triangle(scale, a):
    return scale * np.sum(np.linalg.eigh(a, "U")[1] @ np.cos(np.arange(len(a))))


def left_vectors(scale, a):
    u, s, _ = np.linalg.svd(a)
    return scale * np.sum(u @ np.cos(np.arange(len(a)))) + scale * s[0]


def right_vectors(scale, a):
    return scale * np.sum(np.linalg.svd(a[:, :2], full_matrices=False)[2] @ np.array([0.3, 0.9]))


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("f", [eigenvectors, eigenvectors_of_the_upper_triangle, left_vectors, right_vectors])
def test_signs_are_numpys(f: Callable[..., float], name: str) -> None:
    gradient = Gradient(f, Request(wrt=("scale",)), compiler=Interpreted)
    tolerance = 1e-4 if MATRICES[name].dtype == np.float32 else 1e-9
    np.testing.assert_allclose(gradient(1.0, MATRICES[name])[0], f(1.0, MATRICES[name]), rtol=tolerance, atol=tolerance)
