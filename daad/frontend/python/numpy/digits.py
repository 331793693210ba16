"""Division of affine indices: `(3*i + j) // 6` with j in 0..2 is `i // 2`; reshapes stay as affine as they can."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from daad.frontend.python.values import expr_of
from daad.program.affine import Affine, interval
from daad.program.nodes import Const, Index, Op

Ranges = Mapping[str, tuple[int, int]]


def digit(flat: Affine, stride: int, extent: int, ranges: Ranges, is_first: bool) -> Index:
    """`flat // stride % extent`; the first digit needs no remainder."""
    leading = quotient(flat, stride, ranges) if stride > 1 else flat
    if is_first:
        return leading
    if isinstance(leading, Affine):
        return remainder(leading, extent, ranges)
    rest = remainder(flat, stride * extent, ranges)
    if isinstance(rest, Affine):
        return quotient(rest, stride, ranges)
    return Op("remainder", (leading, Const(extent, "int64")), "int64")


def quotient(form: Affine, divisor: int, ranges: Ranges) -> Index:
    """`form // divisor` for names in inclusive ranges; all values of the form are >= 0."""
    outside, inside = _parts(form, divisor)
    bounds = interval(inside, ranges)
    if bounds and bounds[0] >= 0 and bounds[1] < divisor:
        return outside
    form, divisor, _ = _shortened(form, divisor, ranges)
    return Op("floor_divide", (expr_of(form), expr_of(Affine(divisor))), "int64")


def remainder(form: Affine, divisor: int, ranges: Ranges) -> Index:
    """`form % divisor` for names in inclusive ranges; all values of the form are >= 0."""
    _, inside = _parts(form, divisor)
    bounds = interval(inside, ranges)
    if bounds and bounds[0] >= 0 and bounds[1] < divisor:
        return inside
    short, short_divisor, rest = _shortened(form, divisor, ranges)
    digit = Op("remainder", (expr_of(short), expr_of(Affine(short_divisor))), "int64")
    factor = divisor // short_divisor
    if factor == 1:
        return digit
    scaled = Op("multiply", (digit, expr_of(Affine(factor))), "int64")
    return scaled if rest == Affine(0) else Op("add", (scaled, expr_of(rest)), "int64")


def _parts(form: Affine, divisor: int) -> tuple[Affine, Affine]:
    """`form = outside * divisor + inside`, with what the divisor divides outside."""
    outside = Affine.build(form.const // divisor, {n: c // divisor for n, c in form.terms if c % divisor == 0})
    inside = Affine.build(form.const % divisor, {n: c for n, c in form.terms if c % divisor})
    return outside, inside


def _shortened(form: Affine, divisor: int, ranges: Ranges) -> tuple[Affine, int, Affine]:
    """`(u, D, v)` with `form = g*u + v`, `divisor = g*D` and v in 0..g-1, so that `form // divisor = u // D`."""
    for factor in sorted({gcd(divisor, c) for _, c in form.terms}, reverse=True):
        outside, inside = _parts(form, factor)
        bounds = interval(inside, ranges)
        if factor > 1 and bounds and bounds[0] >= 0 and bounds[1] < factor:
            return outside, divisor // factor, inside
    return form, divisor, Affine(0)
