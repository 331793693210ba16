"""Memory limits: plans from the largest to the smallest give the same gradient and hold what they say."""

from __future__ import annotations

from contextlib import suppress
from unittest.mock import Mock

import numpy as np
import pytest

import daad
from daad import pipeline
from daad.api.gradient import Gradient
from daad.api.products import GaussNewton, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from tests import programs
from tests.corpus.case import Case, normal, row
from tests.corpus.selection import PLAIN, one_in


def limited(case: Case, limit: int | None) -> Gradient:
    request = programs.request_of(case, memory_limit=limit)
    return Gradient(case.function, request, compiler=Interpreted)  # type: ignore[arg-type]


def state_that_no_iteration_reads(x, w):
    """Each iteration starts with another exponent: what the last one left is state, and nobody's input."""
    out, exponent = np.zeros((5, 40), dtype=complex), np.zeros(40)
    for k in range(5):
        exponent = x * w[k]
        out[k] = np.fft.ifft(np.fft.fft(x) * np.exp(exponent))
    return np.sum(np.abs(out) ** 2) * np.sum(exponent)


UNREAD = row(state_that_no_iteration_reads, lambda: (normal(1, 40), normal(2, 5)), "x, w")


@pytest.mark.parametrize("case", [*one_in(40, "limits", PLAIN), pytest.param(UNREAD, id=UNREAD.name)])
def test_every_plan_gives_the_gradient_within_its_limit(case: Case) -> None:
    free = limited(case, None)
    wanted = free(*case.arguments())
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        limited(case, 1).compile(*case.arguments())
    least, most = refusal.value.minimum, free.plan.nbytes
    for limit in {least, (least + most) // 2}:
        gradient = limited(case, limit)
        for one, other in zip(gradient(*case.arguments()), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.max(np.abs(other), initial=0.0))
        assert gradient.memory.modelled <= limit


def several_waves(x, w):
    for _ in range(9):
        x = x + 0.1 * np.sin(w * x) * np.cumsum(x)
    return np.sum(x * x)


@pytest.mark.parametrize("product", [Product.PULLBACK, Product.GAUSS_NEWTON], ids=["vjp", "gauss-newton"])
def test_a_product_keeps_to_the_smallest_limit_that_it_names(product: Product) -> None:
    x, w = normal(1, 20), normal(2, 20)
    kind = Vjp if product is Product.PULLBACK else GaussNewton

    def called(limit: int) -> np.ndarray:
        request = Request(product=product, memory_limit=limit, value=product is Product.PULLBACK)
        derivative = kind(several_waves, request, compiler=Interpreted)  # type: ignore[arg-type]
        if product is Product.GAUSS_NEWTON:
            return derivative(x, w, tangent=np.ones(20))
        return derivative(x, w)[1](1.0)

    wanted = called(1 << 20)
    with pytest.raises(daad.MemoryLimitTooSmall, match="keeps the product to 1 B:") as refusal:
        called(1)
    np.testing.assert_allclose(called(refusal.value.minimum), wanted, rtol=1e-12)


def test_another_limit_builds_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = normal(1, 20), normal(2, 20)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        Gradient(several_waves, Request(wrt=("x",), memory_limit=1), compiler=Interpreted)(x, w)
    built = Mock(wraps=pipeline.derive_stored)
    monkeypatch.setattr(pipeline, "derive_stored", built)
    for least in (refusal.value.minimum, refusal.value.minimum - 1):
        with suppress(daad.MemoryLimitTooSmall):
            Gradient(several_waves, Request(wrt=("x",), memory_limit=least), compiler=Interpreted)(x, w)
        assert not built.called
    Gradient(several_waves, Request(wrt=("w",), memory_limit=refusal.value.minimum), compiler=Interpreted)(x, w)
    assert built.called
    built.reset_mock()
    monkeypatch.setattr(pipeline, "threads", lambda: 3)
    Gradient(several_waves, Request(wrt=("w",), memory_limit=2**20), compiler=Interpreted)(x, w)
    assert built.called
