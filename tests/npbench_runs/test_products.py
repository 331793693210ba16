"""Products with the Jacobians and Hessians of the suite's kernels: against each other, and against JAX's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from npbench_runs import kernel as suite
from tests.corpus.case import Case
from tests.npbench_runs.test_kernels import active_only, case_of, is_single, with_float64
from tests.oracle import positions
from tests.paired import drawn, inner, size

FEW = frozenset({"jacobi_1d", "gesummv", "softmax", "durbin"})
ONLY_REVERSE = frozenset({"vadv"})
"""Kernels whose program in JAX has a rule of its own, for reverse mode alone."""
each_kernel = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in suite.names()]
)


def request(case: Case, product: Product) -> Request:
    return Request(wrt=case.wrt, of=case.of, value=True, product=product)


def gradient(case: Case) -> Gradient:
    return Gradient(case.function, Request(wrt=case.wrt, of=case.of, seed=case.seed), compiler=Interpreted)


def hvp(case: Case) -> Tangent:
    return Tangent(gradient(case), Request(wrt=case.wrt, product=Product.TANGENT), compiler=Interpreted)


def chosen(case: Case) -> tuple[Any, ...]:
    arguments = case.arguments()
    return tuple(arguments[k] for k in positions(case.numpy_function, case.wrt))


def is_near(found: Any, expected: Any, rtol: float) -> bool:
    """Whether all numbers are, beside the largest."""
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(found, expected, strict=True)]
    scale = max(float(np.abs(b).max(initial=0.0)) for _, b in pairs)
    return all(bool(np.all(np.abs(a - b) <= rtol * max(scale, 1e-300))) for a, b in pairs)


@each_kernel
def test_products_are_those_of_jax(name: str) -> None:
    kernel = suite.load(name)
    case, random = case_of(kernel), np.random.default_rng(5)
    v = drawn(chosen(case), random)
    y, dy = Tangent(case.function, request(case, Product.TANGENT), compiler=Interpreted)(*case.arguments(), tangent=v)
    _, pull = Vjp(case.function, request(case, Product.PULLBACK), compiler=Interpreted)(*case.arguments())
    w = drawn(y, random)
    single = is_single(case.arguments())
    assert abs(inner(dy, w) - inner(v, pull(w))) <= (1e-4 if single else 1e-10) * size(dy, w)
    if name in ONLY_REVERSE:
        return
    jax = with_float64()
    function, active = active_only(kernel, case)
    held = tuple(map(jax.numpy.asarray, active))
    _, expected = jax.jit(lambda *tangents: jax.jvp(function, held, tangents))(*map(jax.numpy.asarray, v))
    assert is_near([dy], [np.reshape(expected, np.shape(dy))], 1e-4 if single else 1e-10)


@each_kernel
def test_second_derivatives_are_symmetric_and_those_of_jax(name: str) -> None:
    kernel = suite.load(name)
    case, random = case_of(kernel), np.random.default_rng(6)
    v, w = (drawn(chosen(case), random) for _ in range(2))
    product = hvp(case)
    hv, hw = (product(*case.arguments(), tangent=tangent) for tangent in (v, w))
    single = is_single(case.arguments())
    assert abs(inner(hv, w) - inner(hw, v)) <= (1e-3 if single else 1e-8) * max(size(hv, w), size(hw, v))
    jax = with_float64()
    function, active = active_only(kernel, case)
    held = tuple(map(jax.numpy.asarray, active))
    slope = jax.grad(lambda *values: (function(*values) * case.seed).sum(), argnums=tuple(range(len(active))))
    _, expected = jax.jit(lambda *tangents: jax.jvp(slope, held, tangents))(*map(jax.numpy.asarray, v))
    assert is_near(hv, expected, 1e-3 if single else 1e-8)
