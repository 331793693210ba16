"""Nests over a flat index that is read digit by digit become nests over the digits.

`for t in 0 .. 20:  z[t] = a[t // 5, t % 5]` is `for i in 0 .. 4, j in 0 .. 5:  z[5*i + j] = a[i, j]`: affine again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from daad.frontend.numpy.shapes.index_digits import Ranges, quotient, remainder
from daad.frontend.staging.values import expr_of, form_of, index_of, substitute, substitute_index
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Const, Expr, Index, Load, Nest, Node, Op, Range
from daad.ir.walk import map_expr, map_leaves

DIVISIONS = {"floor_divide": quotient, "remainder": remainder}
ZERO = Affine(0)


def split_digits(body: tuple[Node, ...]) -> tuple[Node, ...]:
    """Splits every nest where that leaves fewer divisions."""
    return map_leaves(body, lambda nest: (_split(nest),) if any(_divisions(nest)) else (nest,))


def _split(nest: Nest) -> Nest:
    nest = _simplified(nest)
    before = sum(1 for _ in _divisions(nest))
    for r in nest.domain:
        for divisor in _divisors(nest, r):
            candidate = _simplified(_in_digits(nest, r, divisor))
            if sum(1 for _ in _divisions(candidate)) < before:
                return _split(candidate)
    return nest


def _divisions(nest: Nest) -> Iterator[tuple[Affine, int]]:
    """All `form // divisor` and `form % divisor` with affine forms, as often as they are written."""
    for assign in nest.assigns:
        for expr in (assign.value, *(i for i in assign.target.index if isinstance(i, Expr))):
            yield from _divided(expr)


def _divided(expr: Expr) -> Iterator[tuple[Affine, int]]:
    if isinstance(expr, Op):
        found = _division(expr)
        if found is not None:
            yield found
    parts: tuple[Index, ...] = expr.args if isinstance(expr, Op) else expr.index if isinstance(expr, Load) else ()
    for part in parts:
        if isinstance(part, Expr):
            yield from _divided(part)


def _division(expr: Op) -> tuple[Affine, int] | None:
    if expr.name not in DIVISIONS or not isinstance(expr.args[1], Const) or expr.dtype != "int64":
        return None
    form, divisor = form_of(expr.args[0]), int(expr.args[1].value)
    return None if form is None or divisor <= 0 else (form, divisor)


def _divisors(nest: Nest, r: Range) -> list[int]:
    """Lengths of digits that the range can be cut into, the smallest first."""
    if not (r.start.is_const and r.stop.is_const):
        return []
    start, size = r.start.const, r.stop.const - r.start.const
    found = {d for form, d in _divisions(nest) if form.coefficient(r.var) == 1 and (form.const + start) % d == 0}
    return sorted(d for d in found if size % d == 0 and 1 < d < size)


def _in_digits(nest: Nest, r: Range, length: int) -> Nest:
    """The range as two: the leading digits and the last one."""
    high, low = f"{r.var}h", f"{r.var}l"
    count = (r.stop.const - r.start.const) // length
    values: dict[str, Index] = {r.var: Affine.of(high) * length + Affine.of(low) + r.start}
    domain: list[Range] = []
    for other in nest.domain:
        both = [Range(high, ZERO, Affine(count)), Range(low, ZERO, Affine(length))]
        domain += both if other is r else [other]
    assigns = tuple(
        Assign(
            Access(a.target.array, tuple(substitute_index(i, values) for i in a.target.index)),
            a.op,
            substitute(a.value, values),
        )
        for a in nest.assigns
    )
    return replace(nest, domain=tuple(domain), assigns=assigns)


def _simplified(nest: Nest) -> Nest:
    """Divisions that the ranges of the domain decide are affine."""
    ranges = {r.var: (r.start.const, r.stop.const - 1) for r in nest.domain if r.start.is_const and r.stop.is_const}
    assigns = tuple(
        Assign(
            Access(a.target.array, tuple(_simpler_index(i, ranges) for i in a.target.index)),
            a.op,
            _simpler(a.value, ranges),
        )
        for a in nest.assigns
    )
    return replace(nest, assigns=assigns)


def _simpler_index(index: Index, ranges: Ranges) -> Index:
    return index if isinstance(index, Affine) else index_of(_simpler(index, ranges))


def _simpler(expr: Expr, ranges: Ranges) -> Expr:
    def leaf(node: Expr) -> Expr | None:
        if isinstance(node, Load):
            return Load(node.array, tuple(i if isinstance(i, Affine) else index_of(i) for i in node.index), node.dtype)
        return _simpler_op(node, ranges) if isinstance(node, Op) else None

    return map_expr(expr, leaf)


def _simpler_op(node: Op, ranges: Ranges) -> Expr | None:
    found = _division(node)
    if found is not None:
        return expr_of(DIVISIONS[node.name](*found, ranges))
    if node.dtype != "int64" or node.name not in ("add", "multiply"):
        return None
    a, b = (form_of(arg) for arg in node.args)
    if a is None or b is None:
        return None
    if node.name == "add":
        return expr_of(a + b)
    return expr_of(a * b.const if b.is_const else b * a.const) if a.is_const or b.is_const else None
