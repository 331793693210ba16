"""The scalar operations that a Program may hold: one row each, with all that is known of it but its derivative.

A row is made by its family (`operation.py`), which knows what is usual there. A new operation is a row here and a
derivative in `rules/scalar.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from daad.ir.operations import interval_arithmetic as bounds
from daad.ir.operations import kinks
from daad.ir.operations.mathematics import on_arrays, power
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.operations.operation import (
    Operation,
    arithmetic,
    bits,
    comparison,
    form,
    function,
    logic,
    of_python,
    of_rule,
    of_special,
    predicate,
    rounding,
    selection,
)
from daad.runtime import python_calls

BOTH, EITHER, ONE_OF = "bool({0}) & bool({1})", "bool({0}) | bool({1})", "bool({0}) ^ bool({1})"


def _everywhere(text: str) -> dict[str, str]:
    return {"floats": text, "integers": text}


_ROWS = (
    arithmetic("add", 2, **_everywhere("{0} + {1}"), infix=("+", 4), on_bools="logical_or", wraps=True, repeats=True,
               interval=bounds.total),
    arithmetic("subtract", 2, **_everywhere("{0} - {1}"), infix=("-", 4), wraps=True, repeats=True,
               interval=bounds.difference),
    arithmetic("multiply", 2, **_everywhere("{0} * {1}"), infix=("*", 5), on_bools="logical_and", wraps=True,
               repeats=True, interval=bounds.product),
    arithmetic("divide", 2, floats="{0} / {1}", infix=("/", 5), price=25, repeats=True, steep=True,
               interval=bounds.ratio),
    arithmetic("negative", 1, **_everywhere("-{0}"), wraps=True, repeats=True, interval=bounds.negative),
    arithmetic("absolute", 1, floats="::fabs{f}({0})", integers="daad::absolute({0})", bools="bool({0})", repeats=True,
               kink=kinks.first, interval=bounds.absolute, math=math.fabs),
    arithmetic("sqrt", 1, floats="::sqrt{f}({0})", price=36, steep=True, kink=kinks.first, interval=bounds.root,
               math=math.sqrt),
    arithmetic("sign", 1, **_everywhere("daad::sign({0})"), jumps=True, kink=kinks.first, interval=bounds.sign),
    arithmetic("heaviside", 2, floats="daad::heaviside({0}, {1})", jumps=True, kink=kinks.first),
    rounding("floor", bounds.stepped(math.floor), kinks.to_whole, bools="bool({0})"),
    rounding("ceil", bounds.stepped(math.ceil), kinks.to_whole, bools="bool({0})"),
    rounding("trunc", bounds.stepped(math.trunc), kinks.to_whole, bools="bool({0})"),
    rounding("rint", bounds.stepped(round), kinks.to_half, bools=None),
    function("exp", 30, vectors=22),
    function("exp2", 30, vectors=35),
    function("expm1", 50, vectors=35),
    function("log", 50, vectors=22, steep=True),
    function("log2", 50, vectors=35, steep=True),
    function("log10", 50, vectors=35, steep=True),
    function("log1p", 50, vectors=35, steep=True),
    function("cbrt", 50, vectors=35, steep=True, kink=kinks.first),
    function("sin", 30, vectors=22),
    function("cos", 30, vectors=22),
    function("tan", 100, vectors=35),
    function("arcsin", 50, c="asin", vectors=35, steep=True, kink=kinks.to_one),
    function("arccos", 50, c="acos", vectors=35, steep=True, kink=kinks.to_one),
    function("arctan", 50, c="atan", vectors=35),
    function("sinh", 100, vectors=35),
    function("cosh", 100, vectors=35),
    function("tanh", 100, vectors=35),
    function("arcsinh", 100, c="asinh", vectors=35),
    function("arccosh", 100, c="acosh", vectors=35, steep=True),
    function("arctanh", 100, c="atanh", vectors=35, steep=True),
    function("erf", 100, vectors=35, scipy="erf", evaluate=on_arrays(math.erf)),
    function("erfc", 100, vectors=35, scipy="erfc", evaluate=on_arrays(math.erfc)),
    function("lgamma", 170, scipy="gammaln", evaluate=on_arrays(math.lgamma)),
    function("gamma", 170, c="tgamma", scipy="gamma", math=math.gamma, evaluate=on_arrays(math.gamma)),
    function("hypot", 100, operands=2, vectors=35, steep=True, kink=kinks.hypot),
    function("arctan2", 100, c="atan2", operands=2, vectors=35, steep=True, kink=kinks.hypot),
    function("power", 170, c="pow", operands=2, vectors=22, integers="daad::power({0}, {1})", infix=("**", 7),
             evaluate=power, steep=True, kink=kinks.to_zero_base, interval=bounds.power),
    function("logaddexp", 170, operands=2, floats="daad::logaddexp({0}, {1})"),
    function("logaddexp2", 170, operands=2, floats="daad::logaddexp2({0}, {1})"),
    function("floor_divide", 100, operands=2, **_everywhere("daad::floor_divide({0}, {1})"), infix=("//", 5),
             jumps=True, kink=kinks.to_multiple, interval=bounds.floored_quotient),
    function("remainder", 100, operands=2, **_everywhere("daad::remainder({0}, {1})"), infix=("%", 5), jumps=True,
             kink=kinks.to_multiple, interval=bounds.remainder),
    function("fmod", 100, operands=2, integers="daad::fmod({0}, {1})", jumps=True, kink=kinks.to_multiple,
             interval=bounds.remainder_of_c),
    selection("maximum", **_everywhere("daad::maximum({0}, {1})"), on_bools="logical_or", kink=kinks.difference,
              interval=bounds.larger),
    selection("minimum", **_everywhere("daad::minimum({0}, {1})"), on_bools="logical_and", kink=kinks.difference,
              interval=bounds.smaller),
    selection("fmax", floats="::fmax{f}({0}, {1})", integers="daad::maximum({0}, {1})", on_bools="logical_or",
              kink=kinks.difference, interval=bounds.larger),
    selection("fmin", floats="::fmin{f}({0}, {1})", integers="daad::minimum({0}, {1})", on_bools="logical_and",
              kink=kinks.difference, interval=bounds.smaller),
    selection("copysign", floats="::copysign{f}({0}, {1})", jumps=True, kink=kinks.second, math=math.copysign),
    selection("nextafter", floats="::nextafter{f}({0}, {1})", jumps=True),
    comparison("less", "<", kinks.difference),
    comparison("less_equal", "<=", kinks.difference),
    comparison("greater", ">", kinks.difference),
    comparison("greater_equal", ">=", kinks.difference),
    comparison("equal", "==", kinks.difference),
    comparison("not_equal", "!=", kinks.difference),
    predicate("isnan", "daad::is_nan({0})"),
    predicate("isinf", "daad::is_inf({0})"),
    predicate("isfinite", "daad::is_finite({0})"),
    predicate("signbit", "daad::signbit({0})", kink=kinks.first),
    logic("logical_and", BOTH, infix=("and", 2)),
    logic("logical_or", EITHER, infix=("or", 1)),
    logic("logical_xor", ONE_OF),
    logic("logical_not", "!bool({0})", operands=1),
    bits("bitwise_and", "{0} & {1}", bounds.bits_of_both, on_bools="logical_and"),
    bits("bitwise_or", "{0} | {1}", bounds.bits_of_either, on_bools="logical_or"),
    bits("bitwise_xor", "{0} ^ {1}", bounds.bits_of_either, on_bools="logical_xor"),
    bits("invert", "~{0}", bounds.inverted, operands=1, on_bools="logical_not"),
    bits("left_shift", "daad::left_shift({0}, {1})", bounds.left_shift),
    bits("right_shift", "daad::right_shift({0}, {1})", bounds.right_shift),
    form("where", 3, interval=bounds.either),
    form("cast", 1, repeats=True, kink=kinks.to_whole, interval=bounds.itself, evaluate=lambda value: value),
    form("anchored", 2, floats="{1}", evaluate=lambda formula, value: value),
    form("fixed", 1, floats="{0}", evaluate=lambda value: value),
    of_python("python_start", 1, python_calls.start),
    of_python("python_put", 2, python_calls.put),
    of_python("python_get", 2, python_calls.get),
    of_rule("ruled", 3, lambda formula, value, level: value),
    of_rule("is_reversed", 3, lambda level, has_formula, pattern: level != level),
    of_rule("cotangent", 1, lambda value: value),
    of_rule("has_adjoint", 1, lambda value: value == value),
    of_rule("transposed", 4, lambda share, number, operand, level: operand),
    of_rule("is_linearised", 1, lambda level: level != level),
    of_rule("is_differentiated", 1, lambda level: level != level),
    of_rule("slope", 2, lambda value, point: 0.0 * value),
    of_rule("carried", 3, lambda number, value, level: value),
    *(of_special(row.name, len(row.slopes), row.function) for row in SPECIAL.values()),
)  # fmt: skip

OPERATIONS: Mapping[str, Operation] = {row.name: row for row in _ROWS}
"""By name."""


def named(having: Callable[[Operation], object]) -> frozenset[str]:
    """The names of those operations of which something holds."""
    return frozenset(name for name, row in OPERATIONS.items() if having(row))
