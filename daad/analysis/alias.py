"""May two accesses touch one element? At one point, at two points of a domain, or in two iterations of a loop.

All that ask are answered by `coincide`: indices are equated, after the variables that have values of their own in the
execution of the second access have got names of their own, and Fourier and Motzkin look for a solution. What knows its
answer without bounds asks `are_apart`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Protocol

from daad.analysis.context import Scope
from daad.analysis.polyhedra import feasible
from daad.analysis.sites import domain_bounds
from daad.analysis.subscripts import is_injective, is_single
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Index, Load, Nest, Range
from daad.ir.operations.updates import Combine
from daad.ir.symbols import Kind, form
from daad.ir.walk import loads

Place = Access | Load
Renaming = Mapping[str, Affine]
SAME: Renaming = MappingProxyType({})
"""Both accesses belong to one execution."""

UPDATES = tuple(combine.sign for combine in Combine if combine is not Combine.SET)


class Known(Protocol):
    """What is known at a place: forms of variables that are >= 0."""

    @property
    def constraints(self) -> Sequence[Affine]: ...


def moves(r: Range, var: str) -> bool:
    """Whether the bounds depend on a variable."""
    return bool(r.start.coefficient(var) or r.stop.coefficient(var))


def reads_of(assign: Assign) -> Iterator[Load]:
    """All loads of an assign, those in the target's indices included, the target of an update not."""
    yield from loads(assign.value)
    for index in assign.target.index:
        yield from loads(index)


def elsewhere(names: Iterable[str]) -> Renaming:
    """Variables in another execution than the one that their own names belong to."""
    return {name: there(name) for name in names}


def there(var: str) -> Affine:
    """A variable in the execution of the second of two accesses."""
    return form(Kind.ELSEWHERE, var)


def later(var: str, step: int = 1, least: int = 1) -> Affine:
    """>= 0 where the second access happens so many iterations of a loop after the first (0: or in the same one)."""
    return (there(var) - Affine.of(var)) * step - least


def earlier(var: str, step: int = 1) -> Affine:
    """>= 0 where the second access happens in an iteration of a loop before the first's."""
    return (Affine.of(var) - there(var)) * step - 1


def coincide(
    a: Sequence[Index],
    b: Sequence[Index],
    facts: Sequence[Affine],
    other: Renaming = SAME,
    equal: Sequence[Affine] = (),
) -> bool:
    """Whether two indices may name one element where `facts` are >= 0 and forms of `equal` are 0; False is a proof.

    `other` names the variables of the second one's execution, of which the facts speak by these names.
    """
    pairs = zip(a, b, strict=True)
    same = [x - y.substitute(other) for x, y in pairs if isinstance(x, Affine) and isinstance(y, Affine)]
    return feasible([*equal, *same], facts)


def are_apart(a: Place, b: Place) -> bool:
    """Whether accesses at one point certainly never meet, whatever the variables are: of two arrays, or at indices with
    a constant distance."""
    return a.array != b.array or _differ_by_constant(a, b, frozenset())


def _differ_by_constant(a: Place, b: Place, own: Set[str]) -> bool:
    """Whether they do along an axis without variables that have other values for each."""
    for x, y in zip(a.index, b.index, strict=True):
        if not isinstance(x, Affine) or not isinstance(y, Affine) or x.terms != y.terms or x.const == y.const:
            continue
        if not own or own.isdisjoint(x.names):
            return True
    return False


def may_meet_at_a_point(a: Place, b: Place, facts: Sequence[Affine]) -> bool:
    """Whether two accesses of one execution, where the facts are >= 0, may touch one element."""
    return not are_apart(a, b) and coincide(a.index, b.index, facts)


def may_meet(a: Place, over: Sequence[Range], b: Place, other: Sequence[Range], known: Known, *order: Affine) -> bool:
    """Whether a point of `over` and a point of `other` may touch one element.

    They are two executions, each on its own unless an `order` (of `later`, `earlier`) is >= 0.
    """
    if a.array != b.array or _differ_by_constant(a, b, {r.var for r in (*over, *other)}):
        return False
    renamed = elsewhere(r.var for r in other)
    return coincide(a.index, b.index, _facts(over, other, renamed, known, order), renamed)


def may_meet_apart(a: Place, b: Place, domain: Sequence[Range], known: Known) -> bool:
    """Whether two different points of one domain may touch one element, the first through `a`, the second `b`."""
    if a.array != b.array or all(is_single(r) for r in domain):
        return False
    if _differ_by_constant(a, b, {r.var for r in domain}) or (a.index == b.index and is_injective(a.index, domain)):
        return False
    renamed = elsewhere(r.var for r in domain)
    facts = _facts(domain, domain, renamed, known, ())
    orders = (order for r in domain for order in (later(r.var), earlier(r.var)))
    return any(coincide(a.index, b.index, [*facts, order], renamed) for order in orders)


def may_conflict(first: Nest, second: Nest, known: Known, *order: Affine, free: Collection[str] = UPDATES) -> bool:
    """Whether a point of the first nest and one of the second may touch one element that one of them writes.

    `order` as in `may_meet`; for iterations of a loop its range is part of the domains.
    """
    pairs = list(conflicts(first.assigns, second.assigns, free))
    return any(may_meet(a, first.domain, b, second.domain, known, *order) for a, b in pairs)


def conflicts(
    first: Iterable[Assign], second: Sequence[Assign], free: Collection[str] = UPDATES
) -> Iterator[tuple[Place, Place]]:
    """Accesses of one array of which one writes; updates of both by one operation of `free` do not conflict."""
    for a in first:
        for b in second:
            yield from ((a.target, load) for load in reads_of(b) if load.array == a.target.array)
            yield from ((load, b.target) for load in reads_of(a) if load.array == b.target.array)
            if a.target.array == b.target.array and not (a.op == b.op in free):
                yield a.target, b.target


def _facts(
    over: Sequence[Range], other: Sequence[Range], renamed: Renaming, known: Known, order: Sequence[Affine]
) -> list[Affine]:
    bounds = [form.substitute(renamed) for form in domain_bounds(other)]
    return [*known.constraints, *domain_bounds(over), *bounds, *order]


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
