"""`math` and the builtins on numbers that the run decides; results are Python numbers, which NumPy calls weak."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.numpy.elementwise.operators import OPERATORS, compare, unwrapped
from daad.frontend.numpy.elementwise.scalar_expressions import const, op, power, product, where
from daad.frontend.numpy.elementwise.selection import rounded as np_rounded
from daad.frontend.numpy.elementwise.ufuncs import elementwise, select
from daad.frontend.numpy.nan_reductions import nanmax, nanmin
from daad.frontend.numpy.reductions import python_truth, reduce_all, reduce_any, reduce_sum, truth
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import static_items
from daad.frontend.staging.values import ZERO, ArrayValue, Lazy, affine_of, cast, is_weak, promote
from daad.ir.dtypes import is_float
from daad.ir.nodes import Expr
from daad.ir.operations import OPERATIONS

FLOAT = np.dtype(np.float64)
MOST_DIGITS = 10
"""Of a rounded number: up to them products with powers of ten are exact (`_to_digits`)."""
WRITTEN_OUT = 16
"""Terms of a sum, and operands of a maximum, in one expression; more terms from a comprehension are a loop."""
Formula = Callable[..., Expr]


def _operation(name: str) -> Formula:
    return lambda *args: op(name, FLOAT, *args)


def _scaled(factor: float) -> Formula:
    return lambda x: product(x, const(factor, FLOAT))


def _logarithm(x: Expr, base: Expr | None = None) -> Expr:
    value = op("log", FLOAT, x)
    return value if base is None else op("divide", FLOAT, value, op("log", FLOAT, base))


def _hypot(*args: Expr) -> Expr:
    if len(args) == 2:
        return op("hypot", FLOAT, *args)
    return op("sqrt", FLOAT, reduce(lambda a, b: op("add", FLOAT, a, b), (product(x, x) for x in args)))


def _remainder(x: Expr, y: Expr) -> Expr:
    """What is left of `x` beside the nearest multiple of `y`, the even one of two: without any rounding."""
    size = op("absolute", FLOAT, y)
    rest = op("fmod", FLOAT, x, op("add", FLOAT, size, size))
    over = op("absolute", FLOAT, rest)
    beside = op("subtract", FLOAT, over, size)
    is_past_half = op("greater", "bool", op("add", FLOAT, over, over), size)
    is_past_both = op("greater_equal", "bool", op("add", FLOAT, beside, beside), size)
    double, single, none = (const(number, FLOAT) for number in (2.0, 1.0, 0.0))
    steps = op("where", FLOAT, is_past_half, op("where", FLOAT, is_past_both, double, single), none)
    return op("subtract", FLOAT, rest, op("copysign", FLOAT, product(steps, size), rest))


FORMULAS: dict[Callable[..., Any], Formula] = {
    **{row.math: _operation(row.name) for row in OPERATIONS.values() if row.math is not None},
    math.log: _logarithm,
    math.hypot: _hypot,
    math.pow: lambda x, y: power(x, y, FLOAT),
    math.remainder: _remainder,
    math.degrees: _scaled(180 / math.pi),
    math.radians: _scaled(math.pi / 180),
}
QUESTIONS: dict[Callable[..., Any], str] = {math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite"}
INTEGRAL = (math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt)
ROUNDINGS: dict[Callable[..., Any], str] = {math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc"}


def element_of(stage: Stage, value: Any) -> Expr:
    """The only element of a value."""
    whole = stage.array(value)
    if any(stage.known(extent) != 1 for extent in whole.shape):
        stage.refuse("Only a single number can stand here, got an array.", "Use the NumPy function of that name.")
    return whole.element((ZERO,) * whole.ndim)


def weak_scalar(stage: Stage, expr: Expr, dtype: Any) -> Lazy:
    """A Python number."""
    return stage.lazy((), dtype, lambda _: expr, weak=True)


def _float_function(formula: Formula) -> Callable[..., Any]:
    def call(stage: Stage, *args: Any) -> Any:
        return weak_scalar(stage, formula(*(cast(element_of(stage, arg), FLOAT) for arg in args)), FLOAT)

    return call


def _question(name: str) -> Callable[..., Any]:
    def call(stage: Stage, x: Any) -> Any:
        return weak_scalar(stage, op(name, "bool", cast(element_of(stage, x), FLOAT)), np.bool_)

    return call


def _rounding(name: str) -> Callable[..., Any]:
    def call(stage: Stage, x: Any) -> Any:
        element = element_of(stage, x)
        if not is_float(element.dtype):
            return unwrapped(stage, weak_scalar(stage, cast(element, "int64"), np.int64))
        return weak_scalar(stage, cast(op(name, element.dtype, element), "int64"), np.int64)

    return call


def to_float(stage: Stage, x: Any = 0.0, /) -> Any:
    return weak_scalar(stage, cast(element_of(stage, x), FLOAT), FLOAT)


to_int = _rounding("trunc")


def rounded(stage: Stage, number: Any, ndigits: Known = None) -> Any:
    element, form = element_of(stage, number), affine_of(number)
    if form is not None and ndigits is not None and ndigits < 0:
        return round(stage.known(form), ndigits)
    if ndigits is not None and not (0 <= ndigits <= MOST_DIGITS):
        stage.refuse(f"'round' to {ndigits} digits is not supported.", "Use 'np.round', whose last digit may differ.")
    if not is_float(element.dtype):
        is_pythons = ndigits is None or is_weak(number)
        return to_int(stage, number) if is_pythons and form is None else number
    if ndigits is None:
        return weak_scalar(stage, cast(op("rint", element.dtype, element), "int64"), np.int64)
    if not is_weak(number):
        return np_rounded(stage, number, ndigits)
    nearest = _to_digits(element, ndigits) if ndigits else op("rint", FLOAT, element)
    return stage.lazy((), FLOAT, lambda _: nearest, weak=True)


def _to_digits(x: Expr, digits: int) -> Expr:
    """The number with so many decimal digits that is nearest to `x`, of two as near the even one.

    `x * 10**digits` is the sum of two products without rounding, `whole + rest` the same sum as a float and its error.
    """

    def do(name: str, *args: Expr) -> Expr:
        return op(name, FLOAT, *args)

    scale, half, one = (const(c, FLOAT) for c in (10.0**digits, 0.5, 1.0))
    head = cast(cast(x, "float32"), FLOAT)
    large, small = do("multiply", head, scale), do("multiply", do("subtract", x, head), scale)
    whole = do("add", large, small)
    rest = do("subtract", small, do("subtract", whole, large))
    nearest = do("rint", whole)
    gap = do("subtract", whole, nearest)
    is_above = op("logical_and", "bool", op("equal", "bool", gap, half), op("greater", "bool", rest, const(0, FLOAT)))
    below = do("negative", half)
    is_below = op("logical_and", "bool", op("equal", "bool", gap, below), op("less", "bool", rest, const(0, FLOAT)))
    turned = where(is_below, do("subtract", nearest, one), nearest)
    turned = do("divide", where(is_above, do("add", nearest, one), turned), scale)
    has_digits = op("less", "bool", do("absolute", whole), const(2.0**52, FLOAT))
    return where(has_digits, turned, x)


def absolute(stage: Stage, x: Any, /) -> Any:
    form = affine_of(x)
    if form is not None:
        if compare(stage, np.greater_equal, form, ZERO):
            return x
        stage.pin(form)
    value = stage.array(x)
    if value.weak and value.dtype.kind == "b":
        return to_int(stage, x)
    return elementwise(stage, np.absolute, (value,), weak=value.weak)


def raised(stage: Stage, base: Any, exp: Any) -> Any:
    return OPERATORS[ast.Pow](stage, (base, exp), {})


def divided(stage: Stage, x: Any, y: Any, /) -> Any:
    return tuple(OPERATORS[kind](stage, (x, y), {}) for kind in (ast.FloorDiv, ast.Mod))


def _second_if(stage: Stage, condition: ArrayValue, a: Any, b: Any) -> Any:
    first, second = element_of(stage, a), element_of(stage, b)
    kind = promote(stage.array(a), stage.array(b))
    value = where(condition.element(()), cast(second, kind), cast(first, kind))
    return stage.one_of((a, b), kind, value)


def _of_array(stage: Stage, items: ArrayValue, reduction: Callable[..., Any]) -> Any:
    """As Python compares one by one: a NaN wins only as the first item, since no comparison with it holds."""
    found = reduction(stage, items)
    if items.dtype.kind != "f":
        return stage.array(found)
    first = stage.lazy((), items.dtype, lambda _: items.element((ZERO,)))
    is_nan = elementwise(stage, np.isnan, (first,))
    return select(stage, is_nan, first, found, items.dtype)


def _chosen(strictly: np.ufunc, wins: np.ufunc, reduction: Callable[..., Any]) -> Callable[..., Any]:
    """`max` and `min`, of several numbers or of the items of a sequence: the first of those that no other beats."""

    def join(stage: Stage, a: Any, b: Any) -> Any:
        x, y = affine_of(a), affine_of(b)
        if x is not None and y is not None:
            known = compare(stage, wins, x, y)
            if known is not None:
                return a if known else b
        return _second_if(stage, elementwise(stage, strictly, (b, a)), a, b)

    def call(stage: Stage, *args: Any, default: Any = MISSING) -> Any:
        items = args[0] if len(args) == 1 else args
        if isinstance(items, ArrayValue | np.ndarray):
            if items.ndim != 1:
                stage.refuse("The maximum or minimum of rows is not defined.", "Use 'np.max' or 'np.min'.")
            return _of_array(stage, stage.array(items), reduction)
        parts = list(items)
        if not parts and default is MISSING:
            stage.refuse("The maximum or minimum of nothing is not defined.", "Give 'default'.")
        if not parts:
            return default
        return reduce(lambda a, b: _stored(stage, join(stage, a, b), len(parts) > WRITTEN_OUT), parts)

    return call


def _stored(stage: Stage, value: Any, wanted: bool) -> Any:
    """The value, in memory if an expression of it would be too deep."""
    return stage.place(value) if wanted and isinstance(value, Lazy) and affine_of(value) is None else value


def summed(stage: Stage, iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(iterable, ArrayValue):
        if iterable.shape[:1] == (ZERO,):
            return start
        total = reduce_sum(stage, iterable, 0)
        return total if isinstance(start, int) and start == 0 else _added(stage, start, total)
    result = start
    for number, item in enumerate(iterable, 1):
        begins = isinstance(result, int) and result == 0 and _is_fresh_number(item)
        result = _stored(stage, item if begins else _added(stage, result, item), number % WRITTEN_OUT == 0)
    return result


def _is_fresh_number(value: Any) -> bool:
    """Whether zero and this value are this value: no truth, and no memory that the sum would share."""
    return isinstance(value, ArrayValue) and value.dtype.kind != "b" and (isinstance(value, Lazy) or not value.shape)


def _added(stage: Stage, a: Any, b: Any) -> Any:
    return OPERATORS[ast.Add](stage, (a, b), {})


def _multiplied(stage: Stage, iterable: Any, /, *, start: Any = 1) -> Any:
    result = start
    for item in static_items(stage, iterable):
        result = OPERATORS[ast.Mult](stage, (result, item), {})
    return result


def _truth_of(name: str, reduction: Callable[..., Any]) -> Callable[..., Any]:
    def call(stage: Stage, iterable: Any, /) -> Any:
        if isinstance(iterable, ArrayValue):
            return python_truth(stage, reduction(stage, iterable))
        parts = [cast(element_of(stage, truth(stage, stage.array(item))), "bool") for item in iterable]
        start: Expr = const(name == "logical_and", "bool")
        return weak_scalar(stage, reduce(lambda a, b: _connected(name, a, b), parts, start), np.bool_)

    return call


def _connected(name: str, a: Expr, b: Expr) -> Expr:
    if a == const(name == "logical_and", "bool"):
        return b
    return op(name, "bool", a, b)


def float_sum(stage: Stage, seq: Any, /) -> Any:
    return to_float(stage, summed(stage, seq, 0.0))


def distance(stage: Stage, p: Any, q: Any, /) -> Any:
    points = (static_items(stage, point) for point in (p, q))
    gaps = [OPERATORS[ast.Sub](stage, (a, b), {}) for a, b in zip(*points, strict=True)]
    return _float_function(_hypot)(stage, *gaps)


def is_close(stage: Stage, a: Any, b: Any, *, rel_tol: Known = 1e-9, abs_tol: Known = 0.0) -> Any:
    """Numbers that are not finite are close to themselves alone."""
    x, y = (cast(element_of(stage, value), FLOAT) for value in (a, b))
    size = op("maximum", FLOAT, op("absolute", FLOAT, x), op("absolute", FLOAT, y))
    slack = op("maximum", FLOAT, product(const(rel_tol, FLOAT), size), const(abs_tol, FLOAT))
    gap = op("absolute", FLOAT, op("subtract", FLOAT, x, y))
    near = op("logical_and", "bool", op("less_equal", "bool", gap, slack), op("isfinite", "bool", gap))
    return weak_scalar(stage, op("logical_or", "bool", near, op("equal", "bool", x, y)), np.bool_)


def pinned(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of whole numbers, which must be known."""

    def call(stage: Stage, *args: Any) -> Any:
        return function(*(static(stage, arg) for arg in args))

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{function: _float_function(formula) for function, formula in FORMULAS.items()},
    **{function: _question(name) for function, name in QUESTIONS.items()},
    **{function: _rounding(name) for function, name in ROUNDINGS.items()},
    **{
        function: pinned(function)
        for function in (math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt)
    },
    math.fsum: float_sum,
    math.prod: _multiplied,
    math.dist: distance,
    math.isclose: is_close,
    builtins.float: to_float,
    builtins.int: to_int,
    builtins.round: rounded,
    builtins.abs: absolute,
    builtins.pow: raised,
    builtins.divmod: divided,
    builtins.max: _chosen(np.greater, np.greater_equal, nanmax),
    builtins.min: _chosen(np.less, np.less_equal, nanmin),
    builtins.sum: summed,
    builtins.any: _truth_of("logical_or", reduce_any),
    builtins.all: _truth_of("logical_and", reduce_all),
}
