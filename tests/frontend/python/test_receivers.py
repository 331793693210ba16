"""Bound methods and objects that are called: the object is read, not differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.array([0.3, 1.2, 0.7])


class Model:
    """Weights and a power, in ways that classes have them."""

    scale = 3.0

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def loss(self, x, n=2):
        return self.scale * np.sum(self.weights * x**n)

    def __call__(self, x):
        return self.loss(x, n=3)

    @classmethod
    def scaled(cls, x):
        return cls.scale * np.sum(x)

    @staticmethod
    def plain(x):
        return np.sum(x)


class Child(Model):
    """A method that calls the parent's."""

    def loss(self, x, n=2):
        return 2.0 * super().loss(x, n)


MODEL, CHILD = Model(np.arange(3.0)), Child(np.arange(3.0))
W = np.arange(3.0)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], np.ndarray]] = [
    (MODEL.loss, (X,), {}, 6 * W * X),
    (MODEL.loss, (X, 3), {}, 9 * W * X**2),
    (MODEL.loss, (X,), {"n": 3}, 9 * W * X**2),
    (CHILD.loss, (X,), {}, 12 * W * X),
    (MODEL, (X,), {}, 9 * W * X**2),
    (MODEL.scaled, (X,), {}, np.full(3, 3.0)),
    (Model.scaled, (X,), {}, np.full(3, 3.0)),
    (MODEL.plain, (X,), {}, np.ones(3)),
]


@pytest.mark.parametrize(("function", "args", "kwargs", "expected"), CASES)
def test_gradient_of_a_method(function: Any, args: Any, kwargs: Any, expected: np.ndarray) -> None:
    gradient = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
    np.testing.assert_allclose(gradient(*args, **kwargs), expected)
