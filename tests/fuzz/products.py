"""Products of a random program: numbers that are equal if tangents, pullbacks and second derivatives are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from daad.frontend import structures
from tests.corpus.case import Case
from tests.oracle import positions
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
    v = _drawn(_chosen(case), random)
    pushed = Tangent(case.function, _request(case, Product.TANGENT), compiler=Interpreted)
    pulled = Vjp(case.function, _request(case, Product.PULLBACK), compiler=Interpreted)
    y, dy = pushed(*case.arguments(), tangent=v)
    _, pull = pulled(*case.arguments())
    w = _drawn(y, random)
    found = pull(w)
    size = max(_size(dy, w), _size(found, v))
    return Products("products forward and reverse differ", _inner(dy, w), _inner(found, v), size)


def second_derivatives(case: Case) -> Products:
    """⟨w, H v⟩ and ⟨v, H w⟩."""
    random = np.random.default_rng(8)
    v, w = (_drawn(_chosen(case), random) for _ in range(2))
    gradient = Gradient(case.function, request_of(case), compiler=Interpreted)
    product = Tangent(gradient, Request(wrt=case.wrt, product=Product.TANGENT), compiler=Interpreted)
    hv, hw = (product(*case.arguments(), tangent=tangent) for tangent in (v, w))
    size = max(_size(hv, w), _size(hw, v), _size(hv, hv) ** 0.5, _size(hw, hw) ** 0.5)
    return Products("the second derivatives are not symmetric", _inner(hv, w), _inner(hw, v), size)


def _request(case: Case, product: Product) -> Request:
    return Request(wrt=case.wrt, of=case.of, value=True, product=product)


def _chosen(case: Case) -> tuple[Any, ...]:
    arguments = case.arguments()
    return tuple(arguments[k] for k in positions(case.function, case.wrt))


def _drawn(like: Any, random: np.random.Generator) -> Any:
    """Random numbers in the structure of a value; None for what has no derivative."""
    if structures.parts(like) is not None:
        return structures.rebuilt(like, lambda _, item: _drawn(item, random))
    array = np.asarray(like)
    return np.asarray(random.normal(size=array.shape), array.dtype)[()] if array.dtype.kind == "f" else None


def _pairs(a: Any, b: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return ((np.asarray(x), np.asarray(y)) for x, y in zip(_numbers(a), _numbers(b), strict=True))


def _inner(a: Any, b: Any) -> float:
    return float(sum(np.sum(x * y) for x, y in _pairs(a, b)))


def _size(a: Any, b: Any) -> float:
    return float(sum(np.sum(np.abs(x * y)) for x, y in _pairs(a, b)))


def _numbers(value: Any) -> Iterator[Any]:
    for _, leaf in structures.leaves("", structures.opened(value, [()], "value")):
        if leaf is not None and np.asarray(leaf).dtype.kind == "f":
            yield leaf
