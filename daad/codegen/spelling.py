"""C++ for scalar operations with NumPy's semantics: one line per operation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from daad.errors import Unsupported
from daad.ir.dtypes import is_float
from daad.ir.nodes import Const, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.updates import BY_SIGN, Sign

CTYPES = {
    "float64": "double", "float32": "float", "bool": "bool",
    "int64": "int64_t", "int32": "int32_t", "int16": "int16_t", "int8": "int8_t",
    "uint64": "uint64_t", "uint32": "uint32_t", "uint16": "uint16_t", "uint8": "uint8_t",
}  # fmt: skip


THROUGH = {
    **dict.fromkeys(("int8", "int16", "uint8", "uint16"), "int32_t"), "uint32": "int64_t", "uint64": "__int128",
}  # fmt: skip
"""As what floats are cut to these integers, which C++ leaves open beyond their limits: NumPy keeps the last bits."""


def _texts(field: str) -> dict[str, str]:
    return {name: text for name, row in OPERATIONS.items() if (text := getattr(row, field)) is not None}


# {f} is the suffix of C's float functions; the operands are converted to the result's type unless it is a truth value.
FLOATS, INTEGERS = _texts("floats"), _texts("integers")
BOOLS = _texts("bools") | {name: _texts("bools")[row.on_bools] for name, row in OPERATIONS.items() if row.on_bools}
BY_KIND = {"f": FLOATS, "i": INTEGERS, "u": INTEGERS, "b": BOOLS}
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
    if is_float(source) and target in THROUGH:
        text = f"static_cast<{THROUGH[target]}>({text})"
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
    wraps = kind == "i" and not narrow and OPERATIONS[op.name].wraps
    args = [f"u{ctype(op.dtype)}({a})" for a in args] if wraps else args
    text = table[op.name].format(*args, f="f" if op.dtype == "float32" else "")
    return f"{ctype(op.dtype)}({text})" if narrow or wraps else text


def update(op: Sign, dtype: str, old: str, new: str) -> str:
    """`old op new` for an update such as '+='."""
    text = BY_KIND[np.dtype(dtype).kind][BY_SIGN[op].operation.name]
    return text.format(old, new, f="f" if dtype == "float32" else "")


def _product(op: Op, base: str) -> str | None:
    """Small constant powers as products, with a square root for halves."""
    exponent = op.args[1]
    if not isinstance(exponent, Const) or not is_float(op.dtype) or not math.isfinite(exponent.value):
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
