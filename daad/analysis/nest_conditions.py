"""Guards of nests: where along a variable their conditions change, and updates that they restrict to a box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from daad.analysis.comparisons import ORDER, comparisons, index_form
from daad.analysis.context import Scope
from daad.analysis.subscripts import is_injective, subscript
from daad.ir.affine import Affine
from daad.ir.constructors import both, conditions, const, is_value, where
from daad.ir.nodes import Assign, Const, Expr, Load, Nest, Op, Range


def cuts_along(nest: Nest, r: Range, scope: Scope) -> list[Affine]:
    """Ascending places strictly within the range before which some condition changes."""
    own = {x.var for x in nest.domain}
    found: list[Affine] = []
    for assign in nest.assigns:
        for cut in _changes(assign.value, r.var, own):
            if cut not in found and scope.at_most(r.start + 1, cut) and scope.at_most(cut, r.last):
                found.append(cut)
    return _ordered(found, scope)


def _ordered(cuts: list[Affine], scope: Scope) -> list[Affine]:
    """Those that can be compared with all others before them."""
    order: list[Affine] = []
    for cut in cuts:
        below = [c for c in order if scope.at_most(c, cut)]
        if all(scope.at_most(cut, c) for c in order if c not in below):
            order.insert(len(below), cut)
    return order


def _changes(value: Expr, var: str, own: set[str]) -> Iterator[Affine]:
    """Where comparisons of `var` with what is constant in the nest change from false to true or back."""
    for node in comparisons(value):
        yield from _comparison_changes(node, var, own)


def _comparison_changes(node: Op, var: str, own: set[str]) -> Iterator[Affine]:
    form = _form(node)
    moving = None if form is None else subscript(form, own)
    if moving is None or moving.var != var:
        return
    bound = moving.value_at(Affine(0))
    if node.name not in ORDER:
        yield from (bound, bound + 1)
    else:
        yield bound if moving.sign > 0 else bound + 1


def _form(node: Op) -> Affine | None:
    """A form that is >= 0 (for equality: 0) where a comparison of integers holds."""
    a, b = (index_form(x) for x in node.args)
    if a is None or b is None:
        return None
    return ORDER[node.name](a, b) if node.name in ORDER else a - b


def condition_form(condition: Expr) -> Affine | None:
    """A form that is >= 0 just where an order of integers holds."""
    return _form(condition) if isinstance(condition, Op) and condition.name in ORDER else None


def restricted(nest: Nest, scope: Scope) -> Nest:
    """A nest that adds something to its target only under a condition, over the points where that holds."""
    if len(nest.assigns) != 1:
        return nest
    update = _update(nest.assigns[0], nest.domain)
    asked, value = _needed(update.value)
    domain, left = nest.domain, None
    for condition in asked:
        smaller = _restricted(domain, condition, scope)
        domain, left = (domain, both(left, condition)) if smaller is None else (smaller, left)
    if update.op != "+=" or domain == nest.domain:
        return nest
    if left is not None:
        value = where(left, value, const(0, value.dtype), value.dtype)
    return replace(nest, domain=domain, assigns=(replace(update, value=value),))


def _update(assign: Assign, domain: tuple[Range, ...]) -> Assign:
    """`x = x + v`, for each element once, as `x += v`."""
    value, own = assign.value, Load(assign.target.array, assign.target.index, assign.value.dtype)
    if assign.op != "=" or not (isinstance(value, Op) and value.name == "add" and own in value.args):
        return assign
    if not is_injective(assign.target.index, domain):
        return assign
    other = value.args[1] if value.args[0] == own else value.args[0]
    return replace(assign, op="+=", value=other) if other.dtype == value.dtype else assign


def _needed(value: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """Conditions without which the value is zero, and the value under them."""
    if not isinstance(value, Op):
        return (), value
    if value.name == "where" and is_value(value.args[2], 0) and value.args[1].dtype == value.dtype:
        return conditions(value.args[0]), value.args[1]
    if value.name == "negative" or (value.name == "multiply" and _is_finite(value.args[0])):
        asked, inner = _needed(value.args[-1])
        return asked, Op(value.name, (*value.args[:-1], inner), value.dtype)
    return (), value


def _is_finite(value: Expr) -> bool:
    return isinstance(value, Const) and bool(np.isfinite(value.value))


def _restricted(domain: tuple[Range, ...], condition: Expr, scope: Scope) -> tuple[Range, ...] | None:
    """The part of the domain where a comparison holds; None where that is no box."""
    form = condition_form(condition)
    if form is None:
        return None
    ranges = {r.var: r for r in domain}
    moving = subscript(form, ranges)
    if moving is None or moving.var is None:
        return None
    r, rises = ranges[moving.var], moving.sign > 0
    cut = moving.value_at(Affine(0)) + (0 if rises else 1)
    if not (scope.at_most(r.start, cut) and scope.at_most(cut, r.stop)):
        return None
    part = replace(r, start=cut) if rises else replace(r, stop=cut)
    return tuple(part if x is r else x for x in domain)
