"""`daad.stop_gradient`: the derivative is that of the program with the stopped values as constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

X = np.array([1.2, 0.7, -0.4, 2.1])


def weighted(x):
    return np.sum(x * x * daad.stop_gradient(np.sin(x)))


def weighted_by(x, w):
    return np.sum(x * x * w)


def in_a_loop(x):
    y = x * 1.0
    for _ in range(3):
        y[1:] = y[1:] * daad.stop_gradient(x[:-1]) + y[:-1] * x[1:]
    return np.sum(y * y)


def in_a_loop_by(x, w):
    y = x * 1.0
    for _ in range(3):
        y[1:] = y[1:] * w[:-1] + y[:-1] * x[1:]
    return np.sum(y * y)


def straight_through(x):
    return np.sum((daad.stop_gradient(np.round(x) - x) + x) ** 2)


def straight_through_by(x, w):
    return np.sum((w + x) ** 2)


def structured(x):
    held = daad.stop_gradient({"a": x, "b": (x[0], 3, "name")})
    return np.sum(x * held["a"]) * held["b"][0] * x[1] ** held["b"][1]


def structured_by(x, w):
    return np.sum(x * w) * w[0] * x[1] ** 3


def complex_numbers(x):
    z = x[:2] + 1j * x[2:]
    return np.sum(np.abs(z * daad.stop_gradient(z)) ** 2)


def complex_numbers_by(x, w):
    return np.sum((x[:2] ** 2 + x[2:] ** 2) * (w[:2] ** 2 + w[2:] ** 2))


def products(x):
    return daad.stop_gradient(np.outer(x, x)) @ x @ x


def products_by(x, w):
    return np.outer(w, w) @ x @ x


def selected(x):
    held = daad.stop_gradient(x)
    return np.sum(np.where(held > 0.5, x * held, -x * x))


def selected_by(x, w):
    return np.sum(np.where(w > 0.5, x * w, -x * x))


@dataclass(frozen=True)
class Pair:
    """A program, and the same with what is stopped as an argument; `values` are those of that argument."""

    program: object
    by: object
    values: np.ndarray


PAIRS = {
    p.program.__name__: p
    for p in (
        Pair(weighted, weighted_by, np.sin(X)),
        Pair(in_a_loop, in_a_loop_by, X),
        Pair(straight_through, straight_through_by, np.round(X) - X),
        Pair(structured, structured_by, X),
        Pair(complex_numbers, complex_numbers_by, X),
        Pair(products, products_by, X),
        Pair(selected, selected_by, X),
    )
}


def differences(function, x, step=1e-6):
    rows = np.eye(len(x)) * step
    return np.array([(function(x + row) - function(x - row)) / (2 * step) for row in rows])


@pytest.mark.parametrize("name", PAIRS)
def test_stopped_values_are_constants_in_every_mode(name: str) -> None:
    pair = PAIRS[name]
    expected = differences(lambda x: pair.by(x, pair.values), X)
    value, found = Gradient(pair.program, Request(value=True), compiler=Interpreted)(X)
    assert value == pytest.approx(pair.program(X))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
    push = Tangent(pair.program, Request(value=True, product=Product.TANGENT), compiler=Interpreted)
    np.testing.assert_allclose([push(X, tangent=row)[1] for row in np.eye(4)], found, rtol=1e-12, atol=1e-14)
    _, pull = Vjp(pair.program, Request(value=True, product=Product.PULLBACK), compiler=Interpreted)(X)
    np.testing.assert_allclose(pull(1.0), found, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_stopped_values_are_constants_in_second_derivatives(name: str) -> None:
    pair = PAIRS[name]
    inner = Gradient(pair.by, Request(wrt="x"), compiler=Interpreted)
    expected = differences(lambda x: inner(x, pair.values), X)
    gradient = Gradient(pair.program, Request(), compiler=Interpreted)
    product = Tangent(gradient, Request(product=Product.TANGENT), compiler=Interpreted)
    found = [product(X, tangent=row) for row in np.eye(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_a_gradient_that_is_stopped_everywhere_is_zero() -> None:
    with pytest.warns(UserWarning, match="does not depend on 'x'"):
        found = Gradient(lambda x: np.sum(daad.stop_gradient(x * x)), Request(), compiler=Interpreted)(X)
    np.testing.assert_array_equal(found, np.zeros(4))


def test_numpy_sees_the_value_itself() -> None:
    assert daad.stop_gradient(X) is X
    assert daad.stop_gradient([X, 3])[0] is X


def stops_what_it_changes(x):
    y = x * 2.0
    held = daad.stop_gradient(y)
    y += 1.0
    return np.sum(held * y)


def changes_what_it_stopped(x):
    y = x * 2.0
    held = daad.stop_gradient(y)
    held += 1.0
    return np.sum(held * y)


@pytest.mark.parametrize("program", [stops_what_it_changes, changes_what_it_stopped], ids=lambda f: f.__name__)
def test_writing_an_array_that_is_stopped_elsewhere_is_refused(program) -> None:
    with pytest.raises(daad.Unsupported, match="may stand for one of several arrays is written in place"):
        Gradient(program, Request(), compiler=Interpreted)(X)


def in_place_of_the_array(x):
    y = x * 2.0
    y = daad.stop_gradient(y)
    y += x
    return np.sum(y * y)


def test_a_stopped_array_that_nobody_else_holds_may_be_written() -> None:
    found = Gradient(in_place_of_the_array, Request(), compiler=Interpreted)(X)
    np.testing.assert_allclose(found, 6.0 * X)
