"""Integers as sums of products of what is not known, so that how far two of them are apart may be known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daad.frontend.staging.values import form_of
from daad.ir.affine import Affine
from daad.ir.nodes import Expr, Index, Load, Op

Factor = str | Expr
Sum = Mapping[tuple[Factor, ...], int]
"""Products, with how often each is added; names stand for loop variables and int parameters."""

WIDE = frozenset(("int32", "int64", "uint32", "uint64"))
"""No place in an array is so large that these cannot hold it."""


def gap(high: Index, low: Index) -> Affine | None:
    """`high - low`; None where it is no affine form of variables, such as where data decide it."""
    found = _plus(_sum_of(high), _sum_of(low), -1)
    if any(len(product) > 1 or isinstance(factor, Expr) for product in found for factor in product):
        return None
    return Affine.build(found.get((), 0), {str(product[0]): count for product, count in found.items() if product})


def _sum_of(index: Index) -> Sum:
    form = form_of(index)
    if form is not None:
        return _plus({(): form.const}, {(name,): count for name, count in form.terms}, 1)
    assert isinstance(index, Expr), "what is not affine is an expression"
    is_sum = isinstance(index, Op) and {index.dtype, *(arg.dtype for arg in index.args)} <= WIDE
    combine = COMBINED.get(index.name) if is_sum and isinstance(index, Op) else None
    return combine(*map(_sum_of, index.args)) if combine and isinstance(index, Op) else {(index,): 1}


def _plus(a: Sum, b: Sum, sign: int) -> Sum:
    found = dict(a)
    for product, count in b.items():
        found[product] = found.get(product, 0) + sign * count
    return {product: count for product, count in found.items() if count}


def _times(a: Sum, b: Sum) -> Sum:
    found: Sum = {}
    for one, count in a.items():
        for other, factor in b.items():
            product = (*one, *other)
            found = _plus(found, {tuple(sorted(product, key=repr)) if len(product) > 1 else product: count * factor}, 1)
    return found


COMBINED: Mapping[str, Callable[..., Sum]] = {
    "add": lambda a, b: _plus(a, b, 1),
    "subtract": lambda a, b: _plus(a, b, -1),
    "negative": lambda a: _plus({}, a, -1),
    "multiply": _times,
    "cast": lambda a: a,
}


def is_shifted(expr: Expr) -> bool:
    """Whether the value is that of an integer variable and something that data do not decide, as ends of slices are."""
    products = [product for product in _sum_of(expr) if any(isinstance(factor, Expr) for factor in product)]
    return isinstance(expr, Op) and len(products) == 1 and all(map(_is_variable, products[0]))


def _is_variable(factor: Factor) -> bool:
    return isinstance(factor, str) or (isinstance(factor, Load) and not factor.index)
