"""C++ for scalar operations with NumPy's semantics: one line per operation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from daad.errors import Unsupported
from daad.ir.nodes import Const, Op

CTYPES = {
    "float64": "double", "float32": "float", "bool": "bool",
    "int64": "int64_t", "int32": "int32_t", "int16": "int16_t", "int8": "int8_t",
    "uint64": "uint64_t", "uint32": "uint32_t", "uint16": "uint16_t", "uint8": "uint8_t",
}  # fmt: skip

# {f} is the suffix of C's float functions; the operands are converted to the result's type unless in UNCONVERTED.
FLOATS = {
    "negative": "-{0}", "absolute": "::fabs{f}({0})", "sign": "daad::sign({0})", "exp": "::exp{f}({0})",
    "exp2": "::exp2{f}({0})", "expm1": "::expm1{f}({0})", "log": "::log{f}({0})", "log2": "::log2{f}({0})",
    "log10": "::log10{f}({0})", "log1p": "::log1p{f}({0})", "sqrt": "::sqrt{f}({0})", "cbrt": "::cbrt{f}({0})",
    "sin": "::sin{f}({0})", "cos": "::cos{f}({0})", "tan": "::tan{f}({0})", "arcsin": "::asin{f}({0})",
    "arccos": "::acos{f}({0})", "arctan": "::atan{f}({0})", "sinh": "::sinh{f}({0})", "cosh": "::cosh{f}({0})",
    "tanh": "::tanh{f}({0})", "arcsinh": "::asinh{f}({0})", "arccosh": "::acosh{f}({0})", "arctanh": "::atanh{f}({0})",
    "floor": "::floor{f}({0})", "ceil": "::ceil{f}({0})", "trunc": "::trunc{f}({0})", "rint": "::rint{f}({0})",
    "erf": "::erf{f}({0})", "erfc": "::erfc{f}({0})", "lgamma": "::lgamma{f}({0})", "gamma": "::tgamma{f}({0})",
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}",
    "floor_divide": "daad::floor_divide({0}, {1})", "remainder": "daad::remainder({0}, {1})",
    "fmod": "::fmod{f}({0}, {1})", "power": "::pow{f}({0}, {1})", "maximum": "daad::maximum({0}, {1})",
    "minimum": "daad::minimum({0}, {1})", "fmax": "::fmax{f}({0}, {1})", "fmin": "::fmin{f}({0}, {1})",
    "hypot": "::hypot{f}({0}, {1})", "arctan2": "::atan2{f}({0}, {1})", "copysign": "::copysign{f}({0}, {1})",
    "anchored": "{1}",
    "logaddexp": "daad::logaddexp({0}, {1})", "logaddexp2": "daad::logaddexp2({0}, {1})",
    "heaviside": "daad::heaviside({0}, {1})",
}  # fmt: skip
INTEGERS = {
    "negative": "-{0}", "absolute": "daad::absolute({0})", "sign": "daad::sign({0})", "invert": "~{0}",
    "floor": "{0}", "ceil": "{0}", "trunc": "{0}", "rint": "{0}",
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}",
    "floor_divide": "daad::floor_divide({0}, {1})", "remainder": "daad::remainder({0}, {1})",
    "fmod": "daad::fmod({0}, {1})", "power": "daad::power({0}, {1})", "maximum": "daad::maximum({0}, {1})",
    "minimum": "daad::minimum({0}, {1})", "fmax": "daad::maximum({0}, {1})", "fmin": "daad::minimum({0}, {1})",
    "bitwise_and": "{0} & {1}", "bitwise_or": "{0} | {1}", "bitwise_xor": "{0} ^ {1}",
    "left_shift": "daad::left_shift({0}, {1})", "right_shift": "daad::right_shift({0}, {1})",
}  # fmt: skip
BOOLS = {
    "less": "{0} < {1}", "less_equal": "{0} <= {1}", "greater": "{0} > {1}", "greater_equal": "{0} >= {1}",
    "equal": "{0} == {1}", "not_equal": "{0} != {1}", "isnan": "daad::is_nan({0})", "isinf": "daad::is_inf({0})",
    "isfinite": "daad::is_finite({0})", "signbit": "daad::signbit({0})",
    "logical_not": "!bool({0})", "invert": "!bool({0})", "logical_and": "bool({0}) & bool({1})",
    "logical_or": "bool({0}) | bool({1})", "logical_xor": "bool({0}) ^ bool({1})",
    "bitwise_and": "bool({0}) & bool({1})", "bitwise_or": "bool({0}) | bool({1})",
    "bitwise_xor": "bool({0}) ^ bool({1})", "add": "bool({0}) | bool({1})", "multiply": "bool({0}) & bool({1})",
    "maximum": "bool({0}) | bool({1})", "minimum": "bool({0}) & bool({1})", "fmax": "bool({0}) | bool({1})",
    "fmin": "bool({0}) & bool({1})", "absolute": "bool({0})", "floor": "bool({0})", "ceil": "bool({0})",
    "trunc": "bool({0})",
}  # fmt: skip
WRAPPED = frozenset({"negative", "add", "subtract", "multiply"})
"""Operations on integers that wrap around in NumPy, and whose overflow C++ leaves undefined."""
BY_KIND = {"f": FLOATS, "i": INTEGERS, "u": INTEGERS, "b": BOOLS}
UPDATES = {"+=": "add", "max=": "maximum", "min=": "minimum"}
MAX_PRODUCT = 8


def ctype(dtype: str) -> str:
    """The C++ type of a dtype."""
    if dtype not in CTYPES:
        raise Unsupported(f"The data type '{dtype}' cannot be compiled.", hint="Use float64 or float32.")
    return CTYPES[dtype]


def literal(const: Const) -> str:
    """A constant with the suffix of its type."""
    kind = np.dtype(const.dtype).kind
    if kind == "b":
        return "true" if const.value else "false"
    if kind in "iu":
        return _parenthesised(_integer(int(const.value), const.dtype))
    return _parenthesised(_real(float(const.value), const.dtype))


def convert(text: str, source: str, target: str) -> str:
    """The text as a value of type `target`."""
    if source == target:
        return text
    return f"static_cast<{ctype(target)}>({text})"


def spell(op: Op, args: list[str]) -> str:
    """The C++ expression of an operation whose operands are the texts `args`; 'where' is the emitter's business."""
    types = [a.dtype for a in op.args]
    if op.name == "cast":
        return convert(args[0], types[0], op.dtype)
    kind = np.dtype(op.dtype).kind
    table = BY_KIND.get(kind, {})
    if op.name not in table:
        message = f"The operation '{op.name}' on '{op.dtype}' cannot be compiled."
        raise Unsupported(message, hint="Use float64, float32 or integers of 64 bits.")
    if kind != "b":
        args = [convert(a, t, op.dtype) for a, t in zip(args, types, strict=True)]
    if op.name in CONSTANT_FORMS and (shorter := CONSTANT_FORMS[op.name](op, args[0])):
        return shorter
    narrow = np.dtype(op.dtype).itemsize < 4 and kind in "iu"
    wraps = kind == "i" and not narrow and op.name in WRAPPED
    args = [f"u{ctype(op.dtype)}({a})" for a in args] if wraps else args
    text = table[op.name].format(*args, f="f" if op.dtype == "float32" else "")
    return f"{ctype(op.dtype)}({text})" if narrow or wraps else text


def update(op: str, dtype: str, old: str, new: str) -> str:
    """`old op new` for an update such as '+='."""
    return BY_KIND[np.dtype(dtype).kind][UPDATES[op]].format(old, new, f="f" if dtype == "float32" else "")


def _product(op: Op, base: str) -> str | None:
    """Small constant powers as products, with a square root for halves."""
    exponent = op.args[1]
    if not isinstance(exponent, Const) or np.dtype(op.dtype).kind != "f" or not math.isfinite(exponent.value):
        return None
    if 2 * exponent.value % 2 == 1 and abs(exponent.value) < MAX_PRODUCT:
        return f"daad::root_power<{int(2 * exponent.value)}>({base})"
    if exponent.value == int(exponent.value) and 1 <= abs(exponent.value) <= MAX_PRODUCT:
        return f"daad::power<{int(exponent.value)}>({base})"
    return None


def _quotient(op: Op, dividend: str) -> str | None:
    """Division by a constant as two multiplications: a division takes four times as long.

    1 / c is kept as a sum of two numbers of equal sign, so that the result is rounded as the quotient is (integers
    stay integers) and infinity stays infinity.
    """
    divisor = op.args[1]
    if not isinstance(divisor, Const) or op.dtype != "float64" or not 1e-150 < abs(float(divisor.value)) < 1e150:
        return None
    exact = 1 / Fraction(float(divisor.value))
    high = float(exact)
    if abs(Fraction(high)) > abs(exact):
        high = math.nextafter(high, 0.0)
    low = float(exact - Fraction(high))
    if low == 0.0:
        return f"{dividend} * {_parenthesised(repr(high))}"
    return f"daad::quotient({dividend}, {literal(divisor)}, {high!r}, {low!r})"


CONSTANT_FORMS = {"power": _product, "divide": _quotient}


def _integer(value: int, dtype: str) -> str:
    if dtype == "int64":
        return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"
    return f"{ctype(dtype)}({value}{'u' if dtype.startswith('u') else ''}{'ll' if dtype == 'uint64' else ''})"


def _real(value: float, dtype: str) -> str:
    if math.isnan(value):
        return f"daad::not_a_number<{ctype(dtype)}>()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}daad::infinity<{ctype(dtype)}>()"
    if dtype == "float32":
        text = repr(float(np.float32(value)))
        return text + "f"
    return repr(value)


def _parenthesised(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
