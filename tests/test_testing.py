"""`daad.testing.check_grads` and `daad.check(product=…)`: they find derivatives that are wrong by little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.check import asked_product, check_product
from daad.api.check.product_differences import PRODUCTS
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.rules.scalar import DERIVATIVES
from daad.testing import check_grads

X = np.array([0.4, 0.9, 1.3])


def vector(x, w):
    y = np.sin(x) * w
    for _ in range(2):
        y[1:] = y[1:] * y[:-1] + np.tanh(x[1:])
    return y


def structured(p, n):
    return {"sum": np.sum(np.sin(p["a"]) * p["b"]), "n": n, "square": np.sin(p["a"]) ** n}


def complex_values(z):
    return np.sin(z) * np.conj(z)


def scalar(x, w):
    return np.sum(np.sin(x * w) ** 2)


# A program, arguments, and the orders that are checked.
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "vector": (vector, (X, 0.7), 3),
    "structured": (structured, ({"a": X, "b": 0.3}, 2), 2),
    "scalar": (scalar, (X, X + 0.2), 3),
    "complex": (complex_values, (X + 0.5j,), 2),
}


def checked(function: Any, args: tuple[Any, ...], order: int, **options: Any) -> None:
    check_grads(function, args, order=order, compiler=Interpreted, **options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_derivatives_pass(name: str) -> None:
    function, args, order = PROGRAMS[name]
    checked(function, args, order)


@pytest.mark.parametrize("name", ["vector", "structured", "scalar"])
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_rule_that_is_wrong_by_little_fails(name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, args, _ = PROGRAMS[name]
    product = {"fwd": "jvp", "rev": "vjp"}[mode]
    monkeypatch.setitem(DERIVATIVES, "sin", ("1.001 * cos(a)",))
    with pytest.raises(AssertionError, match=f"Order 1, mode '{mode}':\nThe {product} is WRONG"):
        checked(function, args, 1, modes=(mode,))


def test_a_second_derivative_that_is_wrong_fails_at_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DERIVATIVES, "cos", ("-1.001 * sin(a)",))
    with pytest.raises(AssertionError, match="Order 2"):
        checked(scalar, (X, X + 0.2), 2)


def test_orders_and_modes_that_do_not_exist_are_refused() -> None:
    with pytest.raises(daad.BadArgument, match="no checks of order 0"):
        checked(scalar, (X, X), 0)
    with pytest.raises(daad.BadArgument, match="in modes"):
        checked(scalar, (X, X), 1, modes=("forward",))
    with pytest.raises(daad.BadArgument, match="No argument holds a float"):
        checked(lambda n: n * 2, (3,), 1)


def report_of(product: str) -> Any:
    function, args = (scalar, (X, X + 0.2)) if product == "hvp" else (vector, (X, 0.7))
    wrt = ("x", "w")
    return check_product(product, asked_product(product, function, Request(wrt=wrt), compiler=Interpreted), args, {})


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_check_of_a_product_is_a_report(product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_of(product)
    assert report
    assert str(report).startswith(f"The {product} is right: relative error ")
    monkeypatch.setitem(DERIVATIVES, "sin", ("1.001 * cos(a)",))
    assert str(report_of(product)).startswith(f"The {product} is WRONG: relative error ")


def test_an_unknown_product_is_refused() -> None:
    with pytest.raises(daad.BadArgument, match="The option 'product' is 'jpv'"):
        daad.check(scalar, (X, X), product="jpv")


def test_check_takes_the_product_and_arguments_by_name() -> None:
    assert daad.check(scalar, (X,), wrt="x", product="hvp", w=X)
    assert daad.testing.check_grads is check_grads
