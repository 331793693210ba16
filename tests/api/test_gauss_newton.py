"""Gauss-Newton products: a tangent pushed forward, and pulled back, on programs of the corpus."""

from __future__ import annotations

import numpy as np
import pytest

from daad.api.products import GaussNewton, Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from tests.api.test_products import interpreted
from tests.corpus.case import Case
from tests.corpus.selection import one_in
from tests.oracle import positions
from tests.paired import drawn, numbers

X = np.array([0.3, -0.7, 1.1, 2.0])


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize("case", one_in(40, "gauss newton"))
def test_it_is_the_pullback_of_the_tangent(case: Case) -> None:
    arguments = case.arguments()
    v = drawn(tuple(arguments[k] for k in positions(case.numpy_function, case.wrt)), np.random.default_rng(7))
    _, found = interpreted(GaussNewton, case, Product.GAUSS_NEWTON)(*arguments, tangent=v)
    _, dy = interpreted(Tangent, case, Product.TANGENT)(*case.arguments(), tangent=v)
    _, pull = interpreted(Vjp, case, Product.PULLBACK)(*case.arguments())
    for one, other in zip(numbers(found), numbers(pull(dy)), strict=True):
        rtol = 1e-4 if np.asarray(one).real.dtype == np.float32 else 1e-10
        finite = np.abs(other)[np.isfinite(other)]
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * finite.max(initial=0.0))


def residuals(x, steps):
    y = x * 1.0
    for _ in range(steps):
        y[1:] = y[1:] * y[:-1] + np.sin(x[1:])
    return y[1:], np.sum(y)


def asked(**options) -> GaussNewton:
    return GaussNewton(residuals, Request(product=Product.GAUSS_NEWTON, **options), compiler=Interpreted)


def jacobian_of_differences() -> np.ndarray:
    def flat(x):
        rows, total = residuals(x, 3)
        return np.append(rows, total)

    return np.stack([(flat(X + 1e-6 * e) - flat(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)], axis=1)


def test_it_is_the_square_of_the_jacobian() -> None:
    jacobian = jacobian_of_differences()
    found = np.stack([asked()(X, 3, tangent=e) for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(found, jacobian.T @ jacobian, rtol=1e-7)


def test_many_tangents_go_at_once() -> None:
    tangents = np.random.default_rng(2).normal(size=(3, 4))
    found = asked().many(X, 3, tangents=tangents)
    np.testing.assert_allclose(found, [asked()(X, 3, tangent=v) for v in tangents], rtol=1e-13)


def test_a_memory_limit_counts_tangents_too() -> None:
    x = np.linspace(-1.0, 1.0, 500)
    free, limited = asked(), asked(memory_limit=100_000)
    np.testing.assert_allclose(limited(x, 50, tangent=x), free(x, 50, tangent=x), rtol=1e-13)
    assert limited.memory.modelled <= 100_000 < free.memory.modelled
