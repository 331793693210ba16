"""Even functions of roots, sizes and distances, which are smooth where these are not: `sqrt(u) ** 2` is `u`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from daad.ir.constructors import add, compare, const, divide, multiply, where
from daad.ir.memo import remembered
from daad.ir.nodes import Const, Expr, Op
from daad.ir.walk import map_expr, nodes

KINKED = frozenset({"sqrt", "absolute", "hypot"})
EVEN = {"cos": (1.0, -1 / 2, 1 / 24), "cosh": (1.0, 1 / 2, 1 / 24)}
"""Even functions with the beginnings of their series in the square of the argument."""


@remembered
def smooth(expr: Expr, again: bool = False) -> Expr:
    """The expression as derivatives are taken of it: without kinks that squares undo, and, where derivatives are taken
    `again`, without those at zero that even functions undo."""
    has_kinks = any(isinstance(node, Op) and node.name in KINKED for node in nodes(expr))
    return map_expr(expr, lambda node: _even(node, again)) if has_kinks else expr


def _even(node: Expr, again: bool) -> Expr | None:
    if not isinstance(node, Op):
        return None
    if node.name == "power":
        return _power(node)
    if node.name in EVEN:
        return _at_zero(node) if again else None
    return _product(node) if node.name in ("multiply", "divide") else None


def _at_zero(node: Op) -> Expr | None:
    """An even function of a kink by its series where that is zero."""
    kink, factors = None, list[Expr]()
    for factor, divides in _factors(node.args[0], False):
        if kink is None and not divides and _has_kink(factor, node.dtype):
            kink = factor
        else:
            factors.append(divide(const(1, node.dtype), factor, node.dtype) if divides else factor)
    if kink is None:
        return None
    square = _square(kink)
    for factor in factors:
        square = multiply(multiply(factor, factor, node.dtype), square, node.dtype)
    found: Expr = const(0, node.dtype)
    for coefficient in reversed(EVEN[node.name]):
        found = add(const(coefficient, node.dtype), multiply(square, found, node.dtype), node.dtype)
    return where(compare("equal", kink, const(0, node.dtype)), found, node, node.dtype)


def _power(node: Op) -> Expr | None:
    base, exponent = node.args
    if not (_has_kink(base, node.dtype) and isinstance(exponent, Const)):
        return None
    if exponent.value <= 0 or exponent.value % 2 != 0:
        return None
    half = exponent.value / 2
    return _square(base) if half == 1 else Op("power", (_square(base), Const(half, node.dtype)), node.dtype)


def _product(node: Op) -> Expr | None:
    """A product of several factors, and what it is divided by, in which some kinks are there twice."""
    factors, divisors = list[Expr](), list[Expr]()
    for factor, divides in _factors(node, False):
        (divisors if divides else factors).append(factor)
    squares = list[Expr]()
    for kink in dict.fromkeys(factor for factor in factors if _has_kink(factor, node.dtype)):
        for _ in range(factors.count(kink) // 2):
            squares.append(_square(kink))
            factors.remove(kink)
            factors.remove(kink)
    if not squares:
        return None
    found = reduce(lambda a, b: multiply(a, b, node.dtype), [*squares, *factors])
    return reduce(lambda a, b: divide(a, b, node.dtype), divisors, found)


def _factors(node: Expr, divides: bool) -> Iterator[tuple[Expr, bool]]:
    """The factors of a product, each with whether it divides."""
    if isinstance(node, Op) and node.name == "negative":
        yield const(-1, node.dtype), False
        yield from _factors(node.args[0], divides)
    elif isinstance(node, Op) and node.name in ("multiply", "divide"):
        yield from _factors(node.args[0], divides)
        yield from _factors(node.args[1], divides != (node.name == "divide"))
    else:
        yield node, divides


def _has_kink(node: Expr, dtype: str) -> bool:
    return isinstance(node, Op) and node.name in KINKED and node.dtype == dtype


def _square(node: Expr) -> Expr:
    assert isinstance(node, Op), "a kink is an operation"
    if node.name == "sqrt":
        return node.args[0]
    squares = [multiply(side, side, node.dtype) for side in node.args]
    return reduce(lambda a, b: add(a, b, node.dtype), squares)
