"""What is differentiated: entries of returned dicts and tuples, and what else a function returns beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.gradient import Gradient
from daad.program.interpreted import Interpreted
from daad.request import Request

X = np.array([0.5, -1.0, 2.0])


def results(x):
    total = np.sum(x * x)
    cube = np.sum(x**3)
    return {"total": total, "parts": (x * 2.0, {"cube": cube}), 3: np.sum(x) * 4.0, "mode": "fast"}


def renamed(x):
    total = np.sum(x)
    return {"total": total * 3.0}


def nested(x):
    return np.sum(x), (np.sum(x * x), [x * x, x**3])


ROWS = [
    (results, "total", None, 2 * X),
    (results, "['total']", None, 2 * X),
    (results, "['parts'][1]['cube']", None, 3 * X * X),
    (results, "['parts'][0]", X, 2 * X),
    (results, "[3]", None, np.full(3, 4.0)),
    (results, "cube", None, 3 * X * X),
    (results, ("total", "['parts'][0]"), {"total": 2.0, "['parts'][0]": X}, 6 * X),
    (renamed, "['total']", None, np.full(3, 3.0)),
    (nested, "[1][0]", None, 2 * X),
    (nested, "[1][1][-1]", X, 3 * X**3),
]


def gradient_of(function: Any, **options: Any) -> Gradient:
    return Gradient(function, Request(**options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize(("function", "of", "seed", "expected"), ROWS)
def test_part_of_a_result(function: Any, of: Any, seed: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(gradient_of(function, of=of, seed=seed)(X), expected)
    assert daad.check(function, (X,), of=of, seed=seed)


REFUSED = [
    (results, "parts", "The result has no array \"['parts']\"."),
    (results, "['sum']", "The result has no array \"['sum']\"."),
    (results, "['mode']", "The result has no array \"['mode']\"."),
    (results, "['total", "The option 'of' is \"result['total\", which names nothing."),
    (renamed, "total", "Both a variable and an entry of the returned dict are called 'total'."),
]


@pytest.mark.parametrize(("function", "of", "sentence"), REFUSED)
def test_refused_part(function: Any, of: Any, sentence: str) -> None:
    with pytest.raises(daad.BadArgument) as caught:
        gradient_of(function, of=of)(X)
    assert caught.value.message == sentence
