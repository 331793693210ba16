"""Updates of one array at indices that differ by shifts, reversals or an order of axes, seen from the elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.analysis.context import Scope
from daad.analysis.subscripts import Subscript, subscripts
from daad.ir.affine import Affine
from daad.ir.constructors import both, compare
from daad.ir.nodes import Access, Assign, Const, Expr, IndexValue, Nest, Range
from daad.ir.walk import substitute
from daad.passes.scalar.factorization import weighted_sum


@dataclass(frozen=True)
class Term:
    """An update whose target has at most one domain variable per dimension, each in one dimension with factor 1 or -1;
    `axes` is None for any other target."""

    assign: Assign
    axes: tuple[Subscript, ...] | None


@dataclass(frozen=True)
class Box:
    """The elements that a term updates, per dimension with a variable: `low <= p < high`."""

    sides: tuple[tuple[Affine, Affine], ...]


def terms_by_form(assigns: Sequence[Assign], domain: tuple[Range, ...]) -> list[list[Term]]:
    """Groups whose elements may overlap in gather form: same dimensions with variables, same place in the others."""
    own = {r.var for r in domain}
    groups: dict[object, list[Term]] = {}
    for number, assign in enumerate(assigns):
        term = Term(assign, subscripts(assign.target.index, own))
        groups.setdefault(number if term.axes is None else _form(term.axes), []).append(term)
    return [cluster for group in groups.values() for cluster in _clusters(group, domain)]


def _form(axes: tuple[Subscript, ...]) -> object:
    return (frozenset(a.var for a in axes if a.var), *(a.var is not None or a.shift for a in axes))


def term_box(term: Term, domain: tuple[Range, ...]) -> Box:
    """Where the term lands."""
    ranges = {r.var: r for r in domain}
    assert term.axes is not None, "a term without axes has no box"
    return Box(tuple(axis.side(ranges) for axis in term.axes if axis.var))


def _clusters(group: list[Term], domain: tuple[Range, ...]) -> list[list[Term]]:
    """Connected components of overlapping boxes; terms that never overlap stay apart."""
    if len(group) == 1 or group[0].axes is None:
        return [group]
    boxes = [term_box(t, domain) for t in group]
    label = list(range(len(group)))
    for a in range(len(group)):
        for b in range(a):
            if label[a] != label[b] and not _disjoint(boxes[a], boxes[b]):
                label = [label[b] if x == label[a] else x for x in label]
    order = dict.fromkeys(label)
    return [[t for t, x in zip(group, label, strict=True) if x == chosen] for chosen in order]


def _disjoint(a: Box, b: Box) -> bool:
    pairs = zip(a.sides, b.sides, strict=True)
    return any(_gap(x[0] - y[1]) or _gap(y[0] - x[1]) for x, y in pairs)


def _gap(form: Affine) -> bool:
    return form.is_const and form.const >= 0


def gathered(group: list[Term], nest: Nest, scope: Scope, shape: tuple[int, ...]) -> Nest | None:
    """One nest over the union of the terms' boxes, or None where bounds cannot be compared."""
    boxes = [term_box(t, nest.domain) for t in group]
    union = _union(boxes, scope)
    axes = group[0].axes
    assert axes is not None, "only terms with axes are gathered"
    names = [a.var for a in axes if a.var]
    if union is None or not (_never_empty(nest.domain, scope) or _inside(union, axes, shape, scope)):
        return None
    values = [_value(t, b, names, union) for t, b in zip(group, boxes, strict=True)]
    total = weighted_sum(values, frozenset(r.var for r in nest.domain))
    index = tuple(Affine.of(a.var) if a.var else a.shift for a in axes)
    ranges = {n: Range(n, low, high) for n, (low, high) in zip(names, union.sides, strict=True)}
    domain = tuple(ranges.get(r.var, r) for r in nest.domain)
    return replace(nest, domain=domain, assigns=(Assign(Access(group[0].assign.target.array, index), "+=", total),))


def _union(boxes: list[Box], scope: Scope) -> Box | None:
    sides = []
    for spans in zip(*(b.sides for b in boxes), strict=True):
        low = next((a for a, _ in spans if all(scope.at_most(a, other) for other, _ in spans)), None)
        high = next((b for _, b in spans if all(scope.at_most(other, b) for _, other in spans)), None)
        if low is None or high is None:
            return None
        sides.append((low, high))
    return Box(tuple(sides))


def _never_empty(domain: tuple[Range, ...], scope: Scope) -> bool:
    return all(scope.proves(r.width - 1) for r in domain)


def _inside(union: Box, axes: tuple[Subscript, ...], shape: tuple[int, ...], scope: Scope) -> bool:
    """Whether the union lies within the array although the nest may have no points."""
    sides = iter(union.sides)
    for axis, extent in zip(axes, shape, strict=True):
        low, high = next(sides) if axis.var else axis.side({})
        if not scope.proves(low) or not scope.at_most(high, Affine(extent)):
            return False
    return True


def _value(term: Term, box: Box, names: list[str], union: Box) -> tuple[Expr | None, Expr]:
    """What the term adds to the element at `names`, and where it does (None: everywhere)."""
    assert term.axes is not None, "only terms with axes are gathered"
    used = [a for a in term.axes if a.var]
    points = {a.var: a.value_at(Affine.of(n)) for a, n in zip(used, names, strict=True) if a.var}
    value = substitute(term.assign.value, points)
    guard: Expr | None = None
    for name, (low, high), (first, last) in zip(names, box.sides, union.sides, strict=True):
        if low != first:
            guard = both(guard, compare("greater_equal", IndexValue(Affine.of(name)), _number(low)))
        if high != last:
            guard = both(guard, compare("less", IndexValue(Affine.of(name)), _number(high)))
    return guard, value


def _number(form: Affine) -> Expr:
    return Const(form.const, "int64") if form.is_const else IndexValue(form)
