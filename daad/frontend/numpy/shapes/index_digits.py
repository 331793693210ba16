"""Division of affine indices: `(3*i + j) // 6` with j in 0..2 is `i // 2`; reshapes stay as affine as they can."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from daad.frontend.staging.values import expr_of
from daad.ir.affine import Affine, interval
from daad.ir.nodes import Const, Index, Op

Ranges = Mapping[str, tuple[int, int]]
ZERO = Affine(0)


def digit(flat: Affine, stride: int, extent: int, ranges: Ranges, is_first: bool) -> Index:
    """`flat // stride % extent`; the first digit needs no remainder."""
    leading = quotient(flat, stride, ranges)
    if is_first:
        return leading
    if isinstance(leading, Affine):
        return remainder(leading, extent, ranges)
    rest = remainder(flat, stride * extent, ranges)
    if isinstance(rest, Affine):
        return quotient(rest, stride, ranges)
    return Op("remainder", (leading, Const(extent, "int64")), "int64")


def quotient(form: Affine, divisor: int, ranges: Ranges) -> Index:
    """`form // divisor` for names in inclusive ranges; the divisor is positive."""
    outside, inside = _parts(form, divisor)
    if _is_within(inside, divisor, ranges):
        return outside
    if outside.is_const:
        outside, inside = ZERO, form
    short, divisor, _ = _shortened(inside, divisor, ranges)
    rest = Op("floor_divide", (expr_of(short), expr_of(Affine(divisor))), "int64")
    return rest if outside == ZERO else Op("add", (expr_of(outside), rest), "int64")


def remainder(form: Affine, divisor: int, ranges: Ranges) -> Index:
    """`form % divisor` for names in inclusive ranges; the divisor is positive."""
    outside, inside = _parts(form, divisor)
    if _is_within(inside, divisor, ranges):
        return inside
    inside = form if outside.is_const else inside
    short, short_divisor, rest = _shortened(inside, divisor, ranges)
    last = Op("remainder", (expr_of(short), expr_of(Affine(short_divisor))), "int64")
    factor = divisor // short_divisor
    if factor == 1:
        return last
    scaled = Op("multiply", (last, expr_of(Affine(factor))), "int64")
    return scaled if rest == ZERO else Op("add", (scaled, expr_of(rest)), "int64")


def _is_within(form: Affine, divisor: int, ranges: Ranges) -> bool:
    bounds = interval(form, ranges)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < divisor


def _parts(form: Affine, divisor: int) -> tuple[Affine, Affine]:
    """`form = outside * divisor + inside`, with what the divisor divides outside."""
    outside = Affine.build(form.const // divisor, {n: c // divisor for n, c in form.terms if c % divisor == 0})
    inside = Affine.build(form.const % divisor, {n: c for n, c in form.terms if c % divisor})
    return outside, inside


def _shortened(form: Affine, divisor: int, ranges: Ranges) -> tuple[Affine, int, Affine]:
    """`(u, D, v)` with `form = g*u + v`, `divisor = g*D` and v in 0..g-1, so that `form // divisor = u // D`."""
    for factor in sorted({gcd(divisor, c) for _, c in form.terms} - {1}, reverse=True):
        outside, inside = _parts(form, factor)
        if _is_within(inside, factor, ranges):
            return outside, divisor // factor, inside
    return form, divisor, ZERO
