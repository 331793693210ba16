"""Products of a random program: numbers that are equal if tangents, pullbacks and second derivatives are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import Case
from tests.oracle import positions
from tests.paired import drawn, inner, size
from tests.programs import request_of


@dataclass(frozen=True)
class Products:
    """Two numbers that ought to be equal, and the size of the terms that they are sums of."""

    what: str
    one: float
    other: float
    size: float

    def differ(self, tolerance: float) -> bool:
        return not abs(self.one - self.other) <= tolerance * self.size + 1e-14


def tangents_and_pullbacks(case: Case) -> Products:
    """⟨J v, w⟩ and ⟨v, Jᵀ w⟩."""
    random = np.random.default_rng(7)
    v = drawn(_chosen(case), random)
    pushed = Tangent(case.function, _request(case, Product.TANGENT), compiler=Interpreted)
    pulled = Vjp(case.function, _request(case, Product.PULLBACK), compiler=Interpreted)
    y, dy = pushed(*case.arguments(), tangent=v)
    _, pull = pulled(*case.arguments())
    w = drawn(y, random)
    found = pull(w)
    largest = max(size(dy, w), size(v, found))
    return Products("products forward and reverse differ", _inner(dy, w), _inner(v, found), largest)


def second_derivatives(case: Case) -> Products:
    """⟨w, H v⟩ and ⟨v, H w⟩."""
    random = np.random.default_rng(8)
    v, w = (drawn(_chosen(case), random) for _ in range(2))
    gradient = Gradient(case.function, request_of(case), compiler=Interpreted)
    product = Tangent(gradient, Request(wrt=case.wrt, product=Product.TANGENT), compiler=Interpreted)
    hv, hw = (product(*case.arguments(), tangent=tangent) for tangent in (v, w))
    largest = max(size(hv, w), size(hw, v), size(hv, hv) ** 0.5, size(hw, hw) ** 0.5)
    return Products("the second derivatives are not symmetric", _inner(hv, w), _inner(hw, v), largest)


def _request(case: Case, product: Product) -> Request:
    return Request(wrt=case.wrt, of=case.of, value=True, product=product)


def _chosen(case: Case) -> tuple[Any, ...]:
    arguments = case.arguments()
    return tuple(arguments[k] for k in positions(case.function, case.wrt))


def _inner(a: Any, b: Any) -> float:
    return float(np.real(inner(a, b)))
