"""Sums of guarded terms with common weights: `w * (a + b)` in place of `w * a + w * b`; `w / d` is one, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from daad.ir.constructors import add, const, divide, is_value, multiply, negative, where
from daad.ir.dtypes import is_float
from daad.ir.nodes import Const, Expr, Op
from daad.ir.walk import loads, variables

Guarded = tuple[Expr | None, Expr]
Linear = dict[Expr, float]
MAX_TERMS = 24


@dataclass(frozen=True)
class Weight:
    """Factors and divisors that are the same at every point."""

    factors: tuple[Expr, ...] = ()
    divisors: tuple[Expr, ...] = ()

    def times(self, value: Expr, dtype: str) -> Expr:
        """The value with this weight; all that is the same everywhere stands together."""
        product = partial(_product_of, dtype=dtype)
        if not self.divisors:
            return product((*self.factors, value))
        if not self.factors:
            return divide(value, product(self.divisors), dtype)
        return product((divide(product(self.factors), product(self.divisors), dtype), value))


@dataclass(frozen=True)
class Product:
    """`weight` times `rest`, negated or not, where `guard` holds."""

    guard: Expr | None
    negated: bool
    weight: Weight
    rest: Expr


def weighted_sum(terms: Sequence[Guarded], names: frozenset[str]) -> Expr:
    """The sum of the terms, each 0 where its guard does not hold; `names` vary from point to point."""
    dtype = terms[0][1].dtype
    groups: dict[Weight, list[Product]] = {}
    for guard, linear in _collected(terms).items():
        for rest, factor in linear.items():
            product = _product(guard, factor, rest, names)
            groups.setdefault(product.weight, []).append(product)
    if not groups:
        return const(0, dtype)
    return _total([_weighted(weight, group, dtype) for weight, group in groups.items()], dtype)


def _collected(terms: Sequence[Guarded]) -> dict[Expr | None, Linear]:
    """For each guard the sum of constants times expressions."""
    sums: dict[Expr | None, Linear] = {}
    for guard, value in terms:
        known = sums.setdefault(guard, {})
        for rest, factor in _linear(value).items():
            known[rest] = known.get(rest, 0.0) + factor
    return {guard: {rest: f for rest, f in linear.items() if f} for guard, linear in sums.items()}


def _linear(value: Expr) -> Linear:
    if not is_float(value.dtype):
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


def _weighted(weight: Weight, group: list[Product], dtype: str) -> Expr:
    negated = all(p.negated for p in group)
    parts = [_guarded(p, p.negated and not negated, dtype) for p in sorted(group, key=lambda p: p.negated)]
    product = weight.times(_total(parts, dtype), dtype)
    return negative(product, dtype) if negated else product


def _guarded(product: Product, negated: bool, dtype: str) -> Expr:
    value = product.rest
    value = value if product.guard is None else where(product.guard, value, const(0, dtype), dtype)
    return negative(value, dtype) if negated else value


def _product(guard: Expr | None, factor: float, value: Expr, names: frozenset[str]) -> Product:
    dtype = value.dtype
    if not is_float(dtype):
        return Product(guard, False, Weight(), multiply(const(factor, dtype), value, dtype))
    factors, divisors = _parts_of(value, names)
    number = const(abs(factor), dtype)
    same = sorted((f for f in factors if _is_same_everywhere(f, names)), key=repr)
    rest = [f for f in factors if f not in same]
    weight = Weight(tuple(same if is_value(number, 1) else [number, *same]), tuple(sorted(divisors, key=repr)))
    return Product(guard, factor < 0, weight, _product_of(rest, dtype) if rest else const(1, dtype))


def _product_of(values: Iterable[Expr], dtype: str) -> Expr:
    return reduce(lambda a, b: multiply(a, b, dtype), values)


def _parts_of(value: Expr, names: frozenset[str]) -> tuple[list[Expr], list[Expr]]:
    """The operands of nested products, and what all of them are divided by if that is the same everywhere."""
    if not isinstance(value, Op) or any(a.dtype != value.dtype for a in value.args):
        return [value], []
    if value.name == "multiply":
        parts = [_parts_of(a, names) for a in value.args]
        return [f for factors, _ in parts for f in factors], [d for _, divisors in parts for d in divisors]
    if value.name == "divide" and _is_same_everywhere(value.args[1], names) and not _is_same_everywhere(value, names):
        inner, divisors = _parts_of(value.args[0], names)
        return inner, [*divisors, value.args[1]]
    return [value], []


def _is_same_everywhere(value: Expr, names: frozenset[str]) -> bool:
    return not names & variables(value) and not any(names & variables(i) for load in loads(value) for i in load.index)
