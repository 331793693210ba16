"""Building scalar expressions: affine integers stay affine, literals are folded, small powers become products."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.staging.values import cast, expr_of, form_of
from daad.ir.dtypes import is_float
from daad.ir.nodes import Const, Expr, Number, Op
from daad.ir.operations import OPERATIONS

LARGEST_PRODUCT = 16
AFFINE = {"add", "subtract", "multiply", "negative"}


def const(value: Number, dtype: Any) -> Const:
    """A literal."""
    wanted = np.dtype(dtype)
    return Const(wanted.type(value).item(), wanted.name)


def op(name: str, dtype: Any, *args: Expr) -> Expr:
    """`name(*args)` with the result's dtype; the operands have the types that the operation computes in."""
    wanted = np.dtype(dtype).name
    if wanted == "int64" and name in AFFINE:
        known = _affine(name, args)
        if known is not None:
            return known
    if all(isinstance(arg, Const) for arg in args) and name != "cast":
        return _folded(name, wanted, args)
    return Op(name, args, wanted)


def _affine(name: str, args: tuple[Expr, ...]) -> Expr | None:
    forms = [form_of(arg) for arg in args]
    if any(form is None for form in forms):
        return None
    a, b = forms[0], forms[-1]
    assert a is not None, "an affine operand has a form"
    assert b is not None, "an affine operand has a form"
    if name == "multiply":
        if not (a.is_const or b.is_const):
            return None
        return expr_of(a * b.const if b.is_const else b * a.const)
    return expr_of({"add": a + b, "subtract": a - b, "negative": -a}[name])


def _folded(name: str, dtype: str, args: tuple[Expr, ...]) -> Expr:
    values = [np.dtype(arg.dtype).type(arg.value) for arg in args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        if name == "where":
            return const(values[1].item() if values[0] else values[2].item(), dtype)
        return const(np.asarray(OPERATIONS[name].evaluate(*values)).astype(dtype).item(), dtype)


def where(condition: Expr, then: Expr, orelse: Expr) -> Expr:
    """`then if condition else orelse`; a known condition takes its side."""
    if isinstance(condition, Const):
        return then if condition.value else orelse
    return Op("where", (cast(condition, "bool"), then, orelse), then.dtype)


def less(a: Expr, b: Expr) -> Expr:
    return op("less", "bool", a, b)


def product(a: Expr, b: Expr) -> Expr:
    """`a * b`, both of one dtype; the square of a complex number's modulus is a sum of squares, smooth everywhere."""
    parts = _parts_of_modulus(a) if a == b else None
    if parts is not None:
        return op("add", a.dtype, *(op("multiply", a.dtype, part, part) for part in parts))
    return op("multiply", a.dtype, a, b)


def modulus(real: Expr, imag: Expr) -> Expr:
    """The modulus of a complex number, flat at zero."""
    zero = const(0, real.dtype)
    is_zero = op("logical_and", "bool", *(op("equal", "bool", part, zero) for part in (real, imag)))
    return where(is_zero, zero, op("hypot", real.dtype, real, imag))


def _parts_of_modulus(expr: Expr) -> tuple[Expr, ...] | None:
    """The parts of the number, if the expression is such a modulus."""
    last = expr.args[-1] if isinstance(expr, Op) and expr.name == "where" else None
    if isinstance(last, Op) and last.name == "hypot" and expr == modulus(*last.args):
        return last.args
    return None


def power(base: Expr, exponent: Expr, dtype: Any) -> Expr:
    """`base ** exponent`; small whole exponents that are known become products, which have finite slopes at 0."""
    name = np.dtype(dtype).name
    if isinstance(exponent, Const):
        known = _known_power(base, float(exponent.value), name)
        if known is not None:
            return known
    return op("power", name, base, exponent)


def _known_power(base: Expr, exponent: float, dtype: str) -> Expr | None:
    if exponent == -1 and is_float(dtype):
        return op("divide", dtype, const(1, dtype), base)
    if exponent < 0 or exponent > LARGEST_PRODUCT:
        return None
    if exponent == 0.5 and is_float(dtype):
        return op("sqrt", dtype, base)
    return _repeated(base, int(exponent), dtype) if exponent.is_integer() else None


def _repeated(base: Expr, times: int, dtype: str) -> Expr:
    """The product by repeated squaring."""
    if times == 0:
        return const(1, dtype)
    half = _repeated(base, times // 2, dtype)
    square = product(half, half) if times > 1 else const(1, dtype)
    if times == 1:
        return base
    return product(square, base) if times % 2 else square
