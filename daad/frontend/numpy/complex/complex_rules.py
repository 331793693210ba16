"""NumPy's elementwise functions of complex numbers: one row each, both parts of the result from those of the operands.

Parts that are zero or one because the program says so take no part in products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from daad.frontend.numpy.elementwise import scalar_expressions
from daad.frontend.numpy.elementwise.scalar_expressions import const, op, where
from daad.frontend.staging.complex_numbers import Pair
from daad.ir.nodes import Const, Expr

Rule = Callable[[Sequence[Pair], str], Pair]
RealRule = Callable[[Sequence[Pair], str], Expr]


def _is(value: float, expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value == value


def plus(a: Expr, b: Expr) -> Expr:
    return b if _is(0, a) else a if _is(0, b) else op("add", a.dtype, a, b)


def minus(a: Expr, b: Expr) -> Expr:
    return a if _is(0, b) else negative(b) if _is(0, a) else op("subtract", a.dtype, a, b)


def negative(a: Expr) -> Expr:
    return a if _is(0, a) else op("negative", a.dtype, a)


def times(a: Expr, b: Expr) -> Expr:
    if _is(0, a) or _is(0, b):
        return const(0, a.dtype)
    for one, other in ((a, b), (b, a)):
        if _is(1, one):
            return other
        if _is(-1, one):
            return negative(other)
    return op("multiply", a.dtype, a, b)


def over(a: Expr, b: Expr) -> Expr:
    return a if _is(0, a) or _is(1, b) else op("divide", a.dtype, a, b)


def call(name: str, a: Expr) -> Expr:
    return op(name, a.dtype, a)


def multiply(a: Pair, b: Pair) -> Pair:
    real = minus(times(a[0], b[0]), times(a[1], b[1]))
    return real, plus(times(a[0], b[1]), times(a[1], b[0]))


def divide(a: Pair, b: Pair) -> Pair:
    if _is(0, b[1]):
        return over(a[0], b[0]), over(a[1], b[0])
    if _is(0, b[0]):
        return over(a[1], b[1]), negative(over(a[0], b[1]))
    real, imag = multiply(a, (b[0], negative(b[1])))
    size = square_of_modulus(b)
    return over(real, size), over(imag, size)


def square_of_modulus(a: Pair) -> Expr:
    return plus(times(a[0], a[0]), times(a[1], a[1]))


def modulus(a: Pair) -> Expr:
    """Flat at zero."""
    for part, other in (a, a[::-1]):
        if _is(0, part):
            return call("absolute", other)
    return scalar_expressions.modulus(*a)


def argument(a: Pair) -> Expr:
    return op("arctan2", a[0].dtype, a[1], a[0])


def exponential(a: Pair) -> Pair:
    size = const(1, a[0].dtype) if _is(0, a[0]) else call("exp", a[0])
    return times(size, call("cos", a[1])), times(size, call("sin", a[1]))


def logarithm(a: Pair) -> Pair:
    return call("log", op("hypot", a[0].dtype, *a)), argument(a)


def square_root(a: Pair) -> Pair:
    """The root in the right half plane; the larger part first, the other one by it."""
    real, imag = a
    zero, half = const(0, real.dtype), const(0.5, real.dtype)
    is_zero = op("logical_and", "bool", *(op("equal", "bool", part, zero) for part in a))
    is_right = op("greater_equal", "bool", real, zero)
    sign = op("copysign", real.dtype, const(1, real.dtype), imag)
    distance = where(is_right, real, negative(real))  # unlike the absolute value without a kink in what it is part of
    larger = call("sqrt", times(half, plus(distance, op("hypot", real.dtype, real, imag))))
    smaller = over(times(half, imag), larger)
    parts = where(is_right, larger, times(sign, smaller)), where(is_right, smaller, times(sign, larger))
    return where(is_zero, zero, parts[0]), where(is_zero, imag, parts[1])


def sine(a: Pair) -> Pair:
    x, y = a
    return times(call("sin", x), call("cosh", y)), times(call("cos", x), call("sinh", y))


def cosine(a: Pair) -> Pair:
    x, y = a
    return times(call("cos", x), call("cosh", y)), negative(times(call("sin", x), call("sinh", y)))


def turned(a: Pair) -> Pair:
    """`1j * a`."""
    return negative(a[1]), a[0]


def turned_back(a: Pair) -> Pair:
    """`-1j * a`."""
    return a[1], negative(a[0])


def hyperbolic_tangent(a: Pair) -> Pair:
    """By real tangents: nothing overflows."""
    t, u = call("tanh", a[0]), call("tan", a[1])
    one = const(1, t.dtype)
    size = plus(one, times(times(t, t), times(u, u)))
    return over(times(t, plus(one, times(u, u))), size), over(times(u, minus(one, times(t, t))), size)


def inverse_sine(a: Pair) -> Pair:
    """By roots of `1 - a` and `1 + a`, after Kahan: right on both sides of the cuts."""
    one = const(1, a[0].dtype)
    left, right = square_root((minus(one, a[0]), negative(a[1]))), square_root((plus(one, a[0]), a[1]))
    across = multiply(left, right)[0]
    return op("arctan2", one.dtype, a[0], across), call("arcsinh", multiply(conjugate(left), right)[1])


def inverse_cosine(a: Pair) -> Pair:
    one = const(1, a[0].dtype)
    left, right = square_root((minus(one, a[0]), negative(a[1]))), square_root((plus(one, a[0]), a[1]))
    angle = times(const(2, one.dtype), op("arctan2", one.dtype, left[0], right[0]))
    return angle, call("arcsinh", multiply(conjugate(right), left)[1])


def inverse_hyperbolic_cosine(a: Pair) -> Pair:
    one = const(1, a[0].dtype)
    left, right = square_root((minus(a[0], one), a[1])), square_root((plus(a[0], one), a[1]))
    angle = times(const(2, one.dtype), op("arctan2", one.dtype, left[1], right[0]))
    return call("arcsinh", multiply(conjugate(left), right)[0]), angle


def inverse_hyperbolic_tangent(a: Pair) -> Pair:
    one, half, quarter = (const(value, a[0].dtype) for value in (1, 0.5, 0.25))
    is_right = op("greater_equal", "bool", a[0], const(0, one.dtype))
    distance = where(is_right, a[0], negative(a[0]))
    to_pole, square = minus(one, distance), times(a[1], a[1])
    size = over(times(const(4, one.dtype), distance), plus(times(to_pole, to_pole), square))
    angle = op("arctan2", one.dtype, plus(a[1], a[1]), minus(times(to_pole, plus(one, distance)), square))
    return times(where(is_right, quarter, negative(quarter)), call("log1p", size)), times(half, angle)


def conjugate(a: Pair) -> Pair:
    return a[0], negative(a[1])


def sign(a: Pair) -> Pair:
    """The number of modulus 1 in this direction; zero of zero."""
    zero = const(0, a[0].dtype)
    size = modulus(a)
    is_zero = op("equal", "bool", size, zero)
    return where(is_zero, zero, over(a[0], size)), where(is_zero, zero, over(a[1], size))


def power(a: Pair, b: Pair) -> Pair:
    """By the logarithm; small whole exponents that are known become products."""
    if _is(0, b[1]) and isinstance(b[0], Const) and float(b[0].value).is_integer() and abs(b[0].value) <= 4:
        whole = _repeated(a, abs(int(b[0].value)))
        return whole if b[0].value >= 0 else divide((const(1, a[0].dtype), const(0, a[0].dtype)), whole)
    zero = const(0, a[0].dtype)
    is_zero = op("logical_and", "bool", *(op("equal", "bool", part, zero) for part in a))
    found = exponential(multiply(b, logarithm(a)))
    no_power = op("logical_and", "bool", *(op("equal", "bool", part, zero) for part in b))
    return where(is_zero, where(no_power, const(1, zero.dtype), zero), found[0]), where(is_zero, zero, found[1])


def _repeated(a: Pair, times_: int) -> Pair:
    if times_ == 0:
        return const(1, a[0].dtype), const(0, a[0].dtype)
    half = _repeated(a, times_ // 2)
    if times_ == 1:
        return a
    return multiply(multiply(half, half), a) if times_ % 2 else multiply(half, half)


def _scaled(a: Pair, factor: float) -> Pair:
    scale = const(factor, a[0].dtype)
    return times(scale, a[0]), times(scale, a[1])


def _base_two(a: Pair) -> Pair:
    return exponential(_scaled(a, math.log(2.0)))


ORDERS = (np.less, np.less_equal, np.greater, np.greater_equal)
"""By real parts, and where those are equal by imaginary ones."""
EXTREMA: dict[np.ufunc, tuple[str, bool]] = {
    np.maximum: ("greater_equal", True),
    np.minimum: ("less_equal", True),
    np.fmax: ("greater_equal", False),
    np.fmin: ("less_equal", False),
}
"""Which comparison the first operand wins, and whether what is not a number wins over all."""


def _is_nan(a: Pair) -> Expr:
    return op("logical_or", "bool", *(op("isnan", "bool", part) for part in a))


def _either(a: Expr, b: Expr) -> Expr:
    return op("logical_or", "bool", a, b)


def _ordered(name: str) -> RealRule:
    strict = name.removesuffix("_equal")

    def rule(z: Sequence[Pair], _: str) -> Expr:
        (a, b), (c, d) = z
        known = op("logical_not", "bool", _either(op("isnan", "bool", b), op("isnan", "bool", d)))
        first = op("logical_and", "bool", op(strict, "bool", a, c), known)
        return _either(first, op("logical_and", "bool", op("equal", "bool", a, c), op(name, "bool", b, d)))

    return rule


def _extremum(name: str, is_nan_first: bool) -> Rule:
    wins = _ordered(name)

    def rule(z: Sequence[Pair], kind: str) -> Pair:
        first, second = z
        is_first = _either(wins(z, kind), _is_nan(first if is_nan_first else second))
        return where(is_first, first[0], second[0]), where(is_first, first[1], second[1])

    return rule


def _of_truths(name: str) -> RealRule:
    def rule(z: Sequence[Pair], _: str) -> Expr:
        return op(name, "bool", *(_either(*(op("not_equal", "bool", p, const(0, p.dtype)) for p in one)) for one in z))

    return rule


def _exponential_less_one(a: Pair) -> Pair:
    """Accurate near zero."""
    half = call("sin", times(const(0.5, a[1].dtype), a[1]))
    less = call("expm1", a[0])
    real = minus(times(less, call("cos", a[1])), times(const(2.0, half.dtype), times(half, half)))
    return real, times(call("exp", a[0]), call("sin", a[1]))


def _logarithm_of_one_more(a: Pair) -> Pair:
    """As NumPy has it, of the modulus."""
    more = plus(const(1.0, a[0].dtype), a[0])
    return logarithm((more, a[1]))


RULES: dict[np.ufunc, Rule] = {
    np.add: lambda z, _: (plus(z[0][0], z[1][0]), plus(z[0][1], z[1][1])),
    np.subtract: lambda z, _: (minus(z[0][0], z[1][0]), minus(z[0][1], z[1][1])),
    np.multiply: lambda z, _: multiply(*z),
    np.divide: lambda z, _: divide(*z),
    np.negative: lambda z, _: (negative(z[0][0]), negative(z[0][1])),
    np.positive: lambda z, _: z[0],
    np.conjugate: lambda z, _: conjugate(z[0]),
    np.square: lambda z, _: multiply(z[0], z[0]),
    np.reciprocal: lambda z, dtype: divide((const(1, dtype), const(0, dtype)), z[0]),
    np.power: lambda z, _: power(*z),
    np.float_power: lambda z, _: power(*z),
    np.exp: lambda z, _: exponential(z[0]),
    np.exp2: lambda z, _: _base_two(z[0]),
    np.log: lambda z, _: logarithm(z[0]),
    np.log2: lambda z, _: _scaled(logarithm(z[0]), 1.0 / math.log(2.0)),
    np.log10: lambda z, _: _scaled(logarithm(z[0]), 1.0 / math.log(10.0)),
    np.sqrt: lambda z, _: square_root(z[0]),
    np.sin: lambda z, _: sine(z[0]),
    np.cos: lambda z, _: cosine(z[0]),
    np.sinh: lambda z, _: turned_back(sine(turned(z[0]))),
    np.cosh: lambda z, _: cosine(turned(z[0])),
    np.tanh: lambda z, _: hyperbolic_tangent(z[0]),
    np.tan: lambda z, _: turned_back(hyperbolic_tangent(turned(z[0]))),
    np.arcsin: lambda z, _: inverse_sine(z[0]),
    np.arccos: lambda z, _: inverse_cosine(z[0]),
    np.arctan: lambda z, _: turned_back(inverse_hyperbolic_tangent(turned(z[0]))),
    np.arcsinh: lambda z, _: turned_back(inverse_sine(turned(z[0]))),
    np.arccosh: lambda z, _: inverse_hyperbolic_cosine(z[0]),
    np.arctanh: lambda z, _: inverse_hyperbolic_tangent(z[0]),
    np.sign: lambda z, _: sign(z[0]),
    np.expm1: lambda z, _: _exponential_less_one(z[0]),
    np.log1p: lambda z, _: _logarithm_of_one_more(z[0]),
    **{ufunc: _extremum(*row) for ufunc, row in EXTREMA.items()},
}
"""Functions with complex values."""
REAL_RULES: dict[np.ufunc, RealRule] = {
    np.absolute: lambda z, _: modulus(z[0]),
    np.equal: lambda z, _: _both("logical_and", "equal", *z),
    np.not_equal: lambda z, _: _both("logical_or", "not_equal", *z),
    np.isnan: lambda z, _: op("logical_or", "bool", *(op("isnan", "bool", part) for part in z[0])),
    np.isinf: lambda z, _: op("logical_or", "bool", *(op("isinf", "bool", part) for part in z[0])),
    np.isfinite: lambda z, _: op("logical_and", "bool", *(op("isfinite", "bool", part) for part in z[0])),
    **{ufunc: _ordered(ufunc.__name__) for ufunc in ORDERS},
    **{ufunc: _of_truths(ufunc.__name__) for ufunc in (np.logical_and, np.logical_or, np.logical_xor)},
}
"""Functions of complex numbers with real values."""
LINEAR = (np.add, np.subtract, np.negative, np.positive, np.conjugate, np.equal, np.not_equal)
"""Those that read each part once."""


def _both(join: str, compare: str, a: Pair, b: Pair) -> Expr:
    return op(join, "bool", *(op(compare, "bool", x, y) for x, y in zip(a, b, strict=True)))
