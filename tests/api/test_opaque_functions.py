"""Functions that compiled code calls Python for: `custom_vjp(opaque=True)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import daad
from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

X, W = np.array([0.3, -0.9, 1.1]), 0.7
PRODUCTS = {Gradient: Product.GRADIENT, Tangent: Product.TANGENT, Vjp: Product.PULLBACK}


def interpreted(function: Any, kind: Any = Gradient, **options: Any) -> Any:
    product = PRODUCTS[kind]
    request = Request(**{"wrt": "x", "value": product is not Product.GRADIENT, "product": product, **options})
    return kind(function, request, compiler=Interpreted)


class Residuals:
    """No array, and no structure of arrays."""

    def __init__(self, x: Any, w: float) -> None:
        self.x, self.w = x.tolist(), w


@daad.custom_vjp(opaque=True)
def scaled(x, w):
    return np.array([each**2 for each in x.tolist()]) * w


def scaled_backward(r, bar):
    return np.array([2.0 * r.w * each for each in r.x]) * bar, float(np.dot(np.square(r.x), bar))


scaled.defvjp(lambda x, w: (scaled(x, w), Residuals(x, w)), scaled_backward)


def scaled_by_numpy(x, w):
    return x * x * w


@daad.custom_vjp(opaque=True)
def spread(pair, places, scale=2.0):
    return {"sum": pair[0] * scale + pair[1][places], "phase": np.exp(1j * pair[0]), "count": len(places), "name": "s"}


def spread_backward(r, bar):
    (first, second), places = r
    moved = np.zeros_like(second)
    np.add.at(moved, places, bar["sum"])
    return (2.0 * bar["sum"] + np.real(np.conj(1j * np.exp(1j * first)) * bar["phase"]), moved), None, None


spread.defvjp(lambda pair, places, scale: (spread(pair, places, scale), (pair, places)), spread_backward)


def spread_by_numpy(pair, places, scale=2.0):
    return {"sum": pair[0] * scale + pair[1][places], "phase": np.exp(1j * pair[0]), "count": 3, "name": "s"}


def in_a_loop(function):
    def program(x, w):
        for t in range(4):
            x = np.sin(function(x, w)) + 0.1 * t * x
        return np.sum(x * x)

    return program


def on_a_side(function):
    def program(x, w):
        y = np.zeros((2, 3))
        y[0] = function(x, w)
        if x[0] > 0.0:
            y[1] = function(y[0], w + x[1])
        y[0] *= 2.0
        return np.sum(y * y)

    return program


def of_structures(function):
    def program(x, w):
        found = function([x * w, np.cos(x)], np.array([2, 0, 0]))
        total = np.sum(np.real(found["phase"] * found["phase"])) / found["count"]
        return total + np.sum(found["sum"] ** 2) if found["name"] == "s" else w

    return program


PROGRAMS = [
    (in_a_loop, scaled, scaled_by_numpy),
    (on_a_side, scaled, scaled_by_numpy),
    (of_structures, spread, spread_by_numpy),
]


@pytest.mark.parametrize(("make", "opaque", "plain"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_gradients_are_those_of_numpy(make: Callable[..., Any], opaque: Any, plain: Any) -> None:
    asked, wanted = ({"wrt": ("x", "w"), "value": True} for _ in range(2))
    for x in (X, -2.0 * X):
        expected = interpreted(make(plain), **wanted)(x, W)
        for plan in ("auto", "recompute"):
            value, gradients = interpreted(make(opaque), plan=plan, **asked)(x, W)
            assert value == pytest.approx(expected[0], rel=1e-14)
            for found, one in zip(gradients, expected[1], strict=True):
                np.testing.assert_allclose(found, one, rtol=1e-13)


def test_compiled_code_calls_python() -> None:
    gradient, plain = daad.grad(in_a_loop(scaled), wrt=("x", "w")), interpreted(in_a_loop(scaled_by_numpy))
    for x in (X, 2.0 * X):
        np.testing.assert_allclose(gradient(x, W)[0], plain(x, W), rtol=1e-13)
    rows = np.random.default_rng(1).normal(size=(50, 3))
    both = [daad.grad(of_rows(function))(rows) for function in (scaled, scaled_by_numpy)]
    np.testing.assert_allclose(*both, rtol=1e-13)


def of_rows(function):
    def program(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sum(np.sin(function(x[i], 0.5)))
        return total

    return program


@pytest.mark.parametrize("compiler", ["interpreted", "compiled"])
def test_pullbacks_keep_what_python_has_left_for_them(compiler: str) -> None:
    program = in_a_loop(scaled)
    vjp = daad.vjp(program) if compiler == "compiled" else interpreted(program, Vjp)
    pulls = [vjp(k * X, W)[1] for k in (1, 2, 3)]
    plain = interpreted(in_a_loop(scaled_by_numpy))
    for _ in range(2):
        for k, pull in zip((1, 2, 3), pulls, strict=True):
            np.testing.assert_allclose(pull(1.0), plain(k * X, W), rtol=1e-13)
    many = pulls[1].many(np.array([1.0, 2.0]))
    np.testing.assert_allclose(many, [plain(2 * X, W), 2 * plain(2 * X, W)], rtol=1e-13)


def test_with_a_rule_for_tangents_there_are_all_derivatives() -> None:
    function = daad.custom_vjp(opaque=True)(scaled.function)
    function.defvjp(scaled.forward, scaled.backward)

    @function.defjvp
    def _(primals, tangents):
        (x, w), (x_dot, w_dot) = primals, tangents
        return function(x, w), 2.0 * x * w * x_dot + x * x * w_dot

    program, plain = in_a_loop(function), in_a_loop(scaled_by_numpy)
    found, expected = (interpreted(p, Tangent)(X, W, tangent=X) for p in (program, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    found, expected = (interpreted(interpreted(p), Tangent, value=False)(X, W, tangent=X) for p in (program, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def squared_rows(x, w):
    return {"first": x[:, 1:] ** 2 * w, "second": x.sum(axis=1)}


def squared_rows_backward(r, bar):
    x, w = r
    x_bar = np.zeros_like(x)
    x_bar[:, 1:] = 2.0 * x[:, 1:] * w * bar["first"]
    return x_bar + bar["second"][:, None], float(np.sum(x[:, 1:] ** 2 * bar["first"]))


PLACES = np.arange(12).reshape(3, 4)
ROWS = np.zeros((9 + 3, 12 + 1))
ROWS[np.arange(9), PLACES[:, 1:].ravel()] = 1.0
ROWS[:9, 12] = 1.0
ROWS[9 + PLACES // 4, PLACES] = 1.0


def in_rows(function):
    def program(x, w):
        y = np.zeros((5, 4))
        y[1:4] = np.cos(x)
        for _ in range(2):
            found = function(y[1:4], w[0])
            y[1:4, 1:] = found["first"]
            y[2:, 0] += found["second"]
        return y[1:]

    return program


def sparse_of(function: Any, pattern: Any = None) -> Any:
    made = daad.custom_vjp(opaque=True, pattern=pattern)(function)
    made.defvjp(lambda x, w: (function(x, w), (x, w)), squared_rows_backward)
    return daad.jacobian(in_rows(made), wrt=("x", "w"), sparse=True)


@pytest.mark.parametrize("pattern", [ROWS, csr_array(ROWS), lambda *shape: csr_array(ROWS, shape=shape)])
def test_the_pattern_is_the_declared_one(pattern: Any) -> None:
    x, w = np.linspace(0.2, 0.9, 12).reshape(3, 4), np.array([0.7])
    jacobian = sparse_of(squared_rows, pattern)
    plain = daad.jacobian(in_rows(squared_rows), wrt=("x", "w"), sparse=True)
    np.testing.assert_allclose(jacobian(x, w).toarray(), plain(x, w).toarray(), rtol=1e-13)
    np.testing.assert_array_equal(jacobian.pattern.toarray(), plain.pattern.toarray())


def test_without_a_declaration_all_results_depend_on_all_arguments() -> None:
    x, w = np.linspace(0.2, 0.9, 12).reshape(3, 4), np.array([0.7])
    jacobian = sparse_of(squared_rows)
    plain = daad.jacobian(in_rows(squared_rows), wrt=("x", "w"), sparse=True)
    np.testing.assert_allclose(jacobian(x, w).toarray(), plain(x, w).toarray(), rtol=1e-13)
    assert jacobian.pattern.nnz == 12 * 13 + 1, "but for one element that is a cosine, and three zeros"
    dense = daad.jacobian(in_a_vector(scaled), mode="auto")(X)
    np.testing.assert_allclose(dense, np.diag(2.0 * X), rtol=1e-14)


def in_a_vector(function):
    return lambda x: function(x, 1.0)


def test_a_pattern_of_another_shape_is_refused() -> None:
    with pytest.raises(daad.Unsupported, match=r"shape \(2, 2\), and the function is one from 13 to 12 elements"):
        sparse_of(squared_rows, np.eye(2))(np.ones((3, 4)), np.ones(1))
    with pytest.raises(daad.BadArgument, match="A pattern is declared of a function whose program daad reads"):
        daad.custom_vjp(pattern=np.eye(2))


def failing(x):
    if x[0] != 1.0:
        raise ArithmeticError("not one")
    return x


@pytest.mark.parametrize("compiler", ["interpreted", "compiled"])
def test_what_python_raises_comes_out_of_the_call(compiler: str) -> None:
    function = daad.custom_vjp(opaque=True)(failing)
    function.defvjp(lambda x: (failing(x), None), lambda _, bar: (bar,))
    program = lambda x: np.sum(function(x))
    gradient = daad.grad(program) if compiler == "compiled" else interpreted(program)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="not one"):
            gradient(X)
    np.testing.assert_array_equal(gradient(np.ones(3)), np.ones(3))


unruled = daad.custom_vjp(opaque=True)(failing)


def ruled(function: Any, backward: Any = lambda _, bar: (bar,), forward: Any = None) -> Any:
    made = daad.custom_vjp(opaque=True)(function)
    made.defvjp(forward or (lambda x: (function(x), None)), backward)
    return lambda x: np.sum(made(x))


REFUSED = {
    "no pair": (ruled(lambda x: x, forward=lambda x: x), "has a rule whose 'fwd' returns no pair"),
    "number": (ruled(lambda x: x, lambda _, bar: (bar, bar)), "has 1 argument, and its 'bwd' returns 2 adjoints"),
    "shape": (ruled(lambda x: x, lambda _, bar: (bar[:2],)), r"an adjoint of shape \(2\) for an argument of shape \(3"),
    "dtype": (ruled(lambda x: x, lambda _, bar: (bar.astype("f4"),)), "an adjoint of dtype 'float32' for an argument"),
    "raises": (ruled(lambda x: x[:, 0]), "raises IndexError for arguments full of ones"),
    "never given": (lambda x: np.sum(unruled(x)), "was never given its rule"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_rule_is_refused_in_a_sentence(name: str) -> None:
    program, sentence = REFUSED[name]
    with pytest.raises(daad.Unsupported, match=sentence):
        interpreted(program)(X)


def test_results_look_alike_whatever_the_numbers_are() -> None:
    with pytest.raises(daad.BadArgument, match=r"something else than for arguments full of ones: float64\[1\], not"):
        interpreted(ruled(lambda x: x[x > 0.5]))(X)


def test_derivatives_that_python_does_not_give_are_refused() -> None:
    with pytest.raises(daad.Unsupported, match="is one that Python is called for, so that it has no tangent"):
        interpreted(in_a_loop(scaled), Tangent)(X, W, tangent=X)
    with pytest.raises(daad.Unsupported, match="is one that Python is called for, and has no second derivative"):
        interpreted(interpreted(in_a_loop(scaled)), Tangent, value=False)(X, W, tangent=X)
    with pytest.raises(daad.Unsupported, match="A program that calls Python has no SDFG"):
        daad.grad(in_a_loop(scaled)).compile(X, W).to_sdfg()


def test_known_arguments_are_known_results() -> None:
    found = interpreted(lambda x: np.sum(x * scaled(np.arange(3.0), 2.0)))(X)
    np.testing.assert_array_equal(found, [0.0, 2.0, 8.0])
