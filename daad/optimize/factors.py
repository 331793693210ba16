"""Sums of guarded terms with common weights: `w * (a + b)` in place of `w * a + w * b`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from daad.program.nodes import Const, Expr, Op
from daad.program.walk import loads, variables
from daad.rules.build import add, const, is_value, multiply, negative, where

Guarded = tuple[Expr | None, Expr]
Linear = dict[Expr, float]
MAX_TERMS = 24


@dataclass(frozen=True)
class Product:
    """`weights` (what is the same at every point) times `rest`, negated or not, where `guard` holds."""

    guard: Expr | None
    negated: bool
    weights: tuple[Expr, ...]
    rest: Expr


def weighted_sum(terms: Sequence[Guarded], names: frozenset[str]) -> Expr:
    """The sum of the terms, each 0 where its guard does not hold; `names` vary from point to point."""
    dtype = terms[0][1].dtype
    groups: dict[tuple[Expr, ...], list[Product]] = {}
    for guard, linear in _collected(terms).items():
        for rest, factor in linear.items():
            product = _product(guard, factor, rest, names)
            groups.setdefault(product.weights, []).append(product)
    if not groups:
        return const(0, dtype)
    return _total([_weighted(weights, group, dtype) for weights, group in groups.items()], dtype)


def _collected(terms: Sequence[Guarded]) -> dict[Expr | None, Linear]:
    """For each guard the sum of constants times expressions."""
    sums: dict[Expr | None, Linear] = {}
    for guard, value in terms:
        known = sums.setdefault(guard, {})
        for rest, factor in _linear(value).items():
            known[rest] = known.get(rest, 0.0) + factor
    return {guard: {rest: f for rest, f in linear.items() if f} for guard, linear in sums.items()}


def _linear(value: Expr) -> Linear:
    if np.dtype(value.dtype).kind != "f":
        return {value: 1.0}
    linear: Linear = {}
    pending: list[tuple[Expr, float]] = [(value, 1.0)]
    while pending:
        node, factor = pending.pop()
        parts = _parts(node, factor)
        if parts is None:
            linear[node] = linear.get(node, 0.0) + factor
        else:
            pending.extend(reversed(parts))
        if len(linear) + len(pending) > MAX_TERMS:
            return {value: 1.0}
    return linear


def _parts(node: Expr, factor: float) -> list[tuple[Expr, float]] | None:
    """Terms with constant factors whose sum is `factor * node`; None for what is no sum, product or negation."""
    if not isinstance(node, Op) or any(a.dtype != node.dtype for a in node.args):
        return None
    a, b = node.args[0], node.args[-1]
    if node.name == "negative":
        return [(a, -factor)]
    if node.name in ("add", "subtract"):
        return [(a, factor), (b, factor if node.name == "add" else -factor)]
    if node.name == "multiply" and isinstance(a, Const):
        return [(b, factor * float(a.value))]
    if node.name == "multiply" and isinstance(b, Const):
        return [(a, factor * float(b.value))]
    if node.name == "divide" and isinstance(b, Const) and b.value:
        return [(a, factor / float(b.value))]
    return None


def _total(values: Iterable[Expr], dtype: str) -> Expr:
    return reduce(lambda a, b: add(a, b, dtype), values)


def _weighted(weights: tuple[Expr, ...], group: list[Product], dtype: str) -> Expr:
    negated = all(p.negated for p in group)
    parts = [_guarded(p, p.negated and not negated, dtype) for p in sorted(group, key=lambda p: p.negated)]
    product = reduce(lambda a, b: multiply(a, b, dtype), (*weights, _total(parts, dtype)))
    return negative(product, dtype) if negated else product


def _guarded(product: Product, negated: bool, dtype: str) -> Expr:
    value = product.rest
    value = value if product.guard is None else where(product.guard, value, const(0, dtype), dtype)
    return negative(value, dtype) if negated else value


def _product(guard: Expr | None, factor: float, value: Expr, names: frozenset[str]) -> Product:
    dtype = value.dtype
    if np.dtype(dtype).kind != "f":
        return Product(guard, False, (), multiply(const(factor, dtype), value, dtype))
    factors = _factors(value)
    number = const(abs(factor), dtype)
    same = sorted((f for f in factors if _is_same_everywhere(f, names)), key=repr)
    rest = [f for f in factors if f not in same]
    weights = same if is_value(number, 1) else [number, *same]
    product = reduce(lambda a, b: multiply(a, b, dtype), rest) if rest else const(1, dtype)
    return Product(guard, factor < 0, tuple(weights), product)


def _factors(value: Expr) -> list[Expr]:
    """The operands of nested products."""
    if isinstance(value, Op) and value.name == "multiply" and all(a.dtype == value.dtype for a in value.args):
        return [f for a in value.args for f in _factors(a)]
    return [value]


def _is_same_everywhere(value: Expr, names: frozenset[str]) -> bool:
    return not names & variables(value) and not any(names & variables(i) for load in loads(value) for i in load.index)
