"""What is differentiated: entries of returned dicts and tuples, and what else a function returns beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

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


def traced(x, n):
    history, total = [], 0.0
    for k in range(3):
        total = total + np.sum(x**k)
        history.append(total)
    x *= 2.0
    return total, {"history": history, "x": x, "n": n, "mode": "fast", "largest": int(np.argmax(x)), "z": x[0] + 1j}


def traced_slope(x):
    return 1.0 + 2.0 * x


@pytest.mark.parametrize("on_inputs", ["keep", "primal"])
def test_what_is_returned_beside_the_value(on_inputs: str) -> None:
    given, expected = X.copy(), X.copy()
    total, data = traced(expected, 4)
    for value in (True, False):
        gradient = gradient_of(traced, has_aux=True, value=value, on_inputs=on_inputs)
        for _ in range(3):
            given[:] = X
            answer = gradient(given, 4)
            if value:
                (found, aux), slope = answer
                np.testing.assert_allclose(found, total)
            else:
                slope, aux = answer
            np.testing.assert_allclose(slope, traced_slope(X))
            np.testing.assert_equal({**aux, "history": np.array(aux["history"])}, {**data, "history": data["history"]})
            assert not any(np.shares_memory(aux["x"], array) for array in (given, slope))
        np.testing.assert_array_equal(given, X if on_inputs == "keep" else expected)


def alone(x):
    return np.sum(x)


def test_compiled_code_returns_more_than_the_value() -> None:
    (value, aux), slope = daad.value_and_grad(traced, has_aux=True)(X.copy(), 4)
    assert (value, aux["n"], aux["largest"], aux["mode"]) == (traced(X.copy(), 4)[0], 4, 2, "fast")
    np.testing.assert_allclose(slope, traced_slope(X))
    assert daad.check(traced, (X, 4), has_aux=True)
    assert daad.check(daad.grad(traced, has_aux=True), (X, 4))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "'alone' does not return a pair of a value and auxiliary data, as has_aux=True says."),
        ({"of": "x"}, "With has_aux=True, the first of the two returned values is differentiated."),
    ],
)
def test_has_aux_is_refused(options: Any, sentence: str) -> None:
    with pytest.raises(daad.BadArgument) as caught:
        gradient_of(alone, has_aux=True, **options)(X)
    assert caught.value.message == sentence


def several(x, z):
    return x * x, np.sum(z * z)


def scaled_by(x, seed):
    return np.sum(x * seed)


def scaled_by_any(x, **options):
    return np.sum(x * options["seed"])


def test_seeds_of_calls() -> None:
    z = np.array([1.0 + 2.0j, 0.5j])
    gradient = gradient_of(several, wrt=("x", "z"), seed=1.0)
    plain = gradient(X, z)
    np.testing.assert_allclose(plain[0], 2.0 * X)
    for number in (1.0, 3.0, [X, 2.0j], {0: X, 1: 1.0}):
        found = gradient(X, z, seed=number)
        np.testing.assert_equal(found, gradient_of(several, wrt=("x", "z"), seed=number)(X, z))
    assert sum(map(len, gradient._known.values())) == 2
    np.testing.assert_equal(gradient(X, z), plain)
    with pytest.raises(daad.BadArgument, match="its seed has shape"):
        gradient(X, z, seed=np.ones(4))
    with pytest.raises(daad.NotDifferentiable, match="and a gradient is that of one scalar"):
        gradient_of(several)(X, z)


def test_compiled_code_takes_the_seed_of_a_call() -> None:
    gradient = daad.grad(several, of=0)
    for number in (1.0, X, 2):
        np.testing.assert_allclose(gradient(X, np.ones(2), seed=number), 2.0 * X * number)
    assert sum(map(len, gradient._known.values())) == 1


@pytest.mark.parametrize("function", [scaled_by, scaled_by_any])
def test_an_argument_called_seed_is_the_programs_own(function: Any) -> None:
    np.testing.assert_array_equal(gradient_of(function)(X, seed=3.0), np.full(3, 3.0))
