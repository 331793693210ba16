"""Where accesses fall: whether two may touch one element, at one point of a domain or at different ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from daad.analysis.context import Scope
from daad.analysis.polyhedra import feasible
from daad.analysis.sites import domain_bounds
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Index, Load, Nest, Range
from daad.ir.walk import loads

MARK = "'"
Place = Access | Load


def is_single(r: Range) -> bool:
    """Whether the range certainly holds at most one value."""
    width = r.width
    return width.is_const and width.const <= 1


def moves(r: Range, var: str) -> bool:
    """Whether the bounds depend on a variable."""
    return bool(r.start.coefficient(var) or r.stop.coefficient(var))


def is_injective(index: Sequence[Index], domain: Sequence[Range]) -> bool:
    """Whether different points of the domain certainly have different indices."""
    free = {r.var: r.width for r in domain if not is_single(r)}
    seen: set[str] = set()
    for form in index:
        own = [(abs(c), n) for n, c in form.terms if n in free] if isinstance(form, Affine) else []
        if _leave_room(own, free):
            seen.update(n for _, n in own)
    return seen == free.keys()


def _leave_room(terms: Sequence[tuple[int, str]], sizes: Mapping[str, Affine]) -> bool:
    """Whether a sum of such multiples tells each of its variables, as `60*i + j` does for j in 0 .. 60."""
    reach = 0
    for coefficient, name in sorted(terms):
        if coefficient <= reach:
            return False
        size = sizes[name]
        reach = reach + coefficient * (size.const - 1) if size.is_const else sys.maxsize
    return True


def reads_of(assign: Assign) -> Iterator[Load]:
    """All loads of an assign, those in the target's indices included, the target of an update not."""
    yield from loads(assign.value)
    for index in assign.target.index:
        yield from loads(index)


def may_meet(a: Place, over: Sequence[Range], b: Place, other: Sequence[Range], scope: Scope) -> bool:
    """Whether a point of `over` and a point of `other`, two executions on their own, may touch one element."""
    if a.array != b.array or _differ_by_constant(a, over, b, other):
        return False
    renamed = {r.var: Affine.of(r.var + MARK) for r in other}
    return _feasible(a, over, b, other, renamed, scope, [])


def may_meet_apart(a: Place, b: Place, domain: Sequence[Range], scope: Scope) -> bool:
    """Whether two different points of one domain may touch one element, the first through `a`, the second `b`."""
    if a.array != b.array or all(is_single(r) for r in domain) or _differ_by_constant(a, domain, b, domain):
        return False
    if a.index == b.index and is_injective(a.index, domain):
        return False
    renamed = {r.var: Affine.of(r.var + MARK) for r in domain}
    for r in domain:
        ahead = renamed[r.var] - Affine.of(r.var)
        if any(_feasible(a, domain, b, domain, renamed, scope, [sign * ahead - 1]) for sign in (1, -1)):
            return True
    return False


def may_meet_at_a_point(a: Place, b: Place, domain: Sequence[Range], scope: Scope) -> bool:
    """Whether some point of the domain touches one element through both."""
    return a.array == b.array and _feasible(a, domain, b, (), {}, scope, [])


def _differ_by_constant(a: Place, over: Sequence[Range], b: Place, other: Sequence[Range]) -> bool:
    own = {r.var for r in over} | {r.var for r in other}
    for x, y in zip(a.index, b.index, strict=True):
        if isinstance(x, Affine) and isinstance(y, Affine) and own.isdisjoint(x.names) and own.isdisjoint(y.names):
            difference = x - y
            if difference.is_const and difference.const:
                return True
    return False


def _feasible(
    a: Place,
    over: Sequence[Range],
    b: Place,
    other: Sequence[Range],
    renamed: dict[str, Affine],
    scope: Scope,
    more: list[Affine],
) -> bool:
    pairs = zip(a.index, b.index, strict=True)
    same = [x - y.substitute(renamed) for x, y in pairs if isinstance(x, Affine) and isinstance(y, Affine)]
    bounds = domain_bounds(over) + [f.substitute(renamed) for f in domain_bounds(other)]
    return feasible(same, [*scope.constraints, *bounds, *more])


def can_share(first: Nest, second: Nest, scope: Scope) -> bool:
    """Whether two nests over one domain may become one, the assigns of the first before those of the second.

    Then no point reads or overwrites what another point writes, except that updates may meet where nobody reads.
    """
    assigns = [(a, b) for a in first.assigns for b in second.assigns]
    return all(_apart(a, b, first.domain, scope) and _apart(b, a, first.domain, scope) for a, b in assigns)


def is_valid(nest: Nest, scope: Scope) -> bool:
    """Whether the nest certainly is one: no point reads or overwrites what another point writes."""
    return all(_apart(a, b, nest.domain, scope) for a in nest.assigns for b in nest.assigns)


def _apart(writer: Assign, other: Assign, domain: Sequence[Range], scope: Scope) -> bool:
    """Whether `other` at one point neither reads nor overwrites what `writer` writes at another."""
    target = writer.target
    touched: list[Place] = [load for load in reads_of(other) if load.array == target.array]
    updates = writer.op == other.op != "="
    if other.target.array == target.array and not updates:
        touched.append(other.target)
    if not touched:
        return True
    if not is_injective(target.index, domain):
        return not any(may_meet(target, domain, place, domain, scope) for place in touched)
    return not any(may_meet_apart(target, place, domain, scope) for place in touched)
