"""Which elements an assign reads, as boxes; conditions on the domain's variables narrow them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from daad.analysis.comparisons import ORDER, comparisons, index_form
from daad.analysis.context import Scope
from daad.analysis.regular_sections import Box, depends_on, hull, over_range, whole
from daad.analysis.sites import loop_bounds
from daad.analysis.subscripts import subscript
from daad.ir.affine import Affine
from daad.ir.constructors import is_value
from daad.ir.nodes import Assign, Const, Expr, Index, Load, Loop, Nest, Node, Op, Range
from daad.ir.walk import children, node_loads

Domain = tuple[Range, ...]
Shapes = dict[str, tuple[int, ...]]
MAX_DOMAINS = 16


def read_boxes(
    assign: Assign, domain: Domain, shapes: Shapes, scope: Scope, only: Container[str] | None = None
) -> Iterator[tuple[str, Box]]:
    """Array and elements of every load of an assign; the target of an update is not among them.

    With `only`, of its arrays alone.
    """
    roots = (assign.value, *(i for i in assign.target.index if not isinstance(i, Affine)))
    for load, over in _known_loads(roots, domain, scope.constraints, tuple(scope.ranges.items()), scope.exact):
        if only is None or load.array in only:
            yield load.array, hull(load.index, over, shapes[load.array])


@dataclass(frozen=True)
class Touch:
    """Elements that a statement reads or (with `assign`) writes."""

    box: Box
    assign: Assign | None = None

    @property
    def clears(self) -> bool:
        """Writes zero whatever was there."""
        return self.assign is not None and self.assign.op == "=" and is_value(self.assign.value, 0)

    @property
    def reads(self) -> bool:
        return self.assign is None or self.assign.op != "="


def touches(body: Iterable[Node], array: str, shapes: Shapes, scope: Scope) -> Iterator[Touch]:
    """All accesses of an array in a body, for all iterations of the loops in it."""
    for node in body:
        if array not in node.touched:
            continue
        if isinstance(node, Nest):
            yield from _nest_touches(node, array, shapes, scope)
            continue
        own = [load for load in node_loads(node) if load.array == array]
        yield from (Touch(hull(load.index, (), shapes[array])) for load in own)
        if isinstance(node, Loop):
            low, high = loop_bounds(node)
            for touch in touches(node.body, array, shapes, scope.enter(node)):
                yield replace(touch, box=_over_loop(touch.box, node.var, low, high, shapes[array]))
        else:
            yield from touches((*node.then, *node.orelse), array, shapes, scope)


def _nest_touches(nest: Nest, array: str, shapes: Shapes, scope: Scope) -> Iterator[Touch]:
    for assign in nest.assigns:
        yield from (Touch(box) for _, box in read_boxes(assign, nest.domain, shapes, scope, (array,)))
        if assign.target.array == array:
            yield Touch(hull(assign.target.index, nest.domain, shapes[array]), assign)


def _over_loop(box: Box, var: str, low: Index, high: Index, shape: tuple[int, ...]) -> Box:
    if not depends_on(box, var):
        return box
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return whole(shape)
    return over_range(box, var, low, high - 1)


@lru_cache(maxsize=2**13)
def _known_loads(
    roots: tuple[Expr, ...],
    domain: Domain,
    constraints: tuple[Affine, ...],
    ranges: tuple[tuple[str, tuple[int, int]], ...],
    exact: frozenset[str],
) -> tuple[tuple[Load, Domain], ...]:
    """Kept, since fixpoints ask many times."""
    return tuple(_guarded_loads(roots, domain, Scope(constraints, dict(ranges), exact)))


def _guarded_loads(roots: Iterable[Expr], domain: Domain, scope: Scope) -> Iterator[tuple[Load, Domain]]:
    seen: set[tuple[Expr, Domain]] = set()
    pending: list[tuple[Expr, Domain]] = [(root, domain) for root in roots]
    while pending:
        node, over = pending.pop()
        if (node, over) in seen:
            continue
        seen.add((node, over))
        if isinstance(node, Load):
            yield node, over
        if isinstance(node, Op) and node.name == "where" and len(seen) < 2000:
            condition, then, orelse = node.args
            pending.append((condition, over))
            pending.extend((then, d) for d in domains_where(condition, over, True, scope))
            pending.extend((orelse, d) for d in domains_where(condition, over, False, scope))
        else:
            pending.extend((c, over) for c in children(node) if not isinstance(c, Affine))


def domains_where(condition: Expr, domain: Domain, truth: bool, scope: Scope) -> list[Domain]:
    """Domains that together hold all points at which the condition is true (or false)."""
    if not any(all(index_form(x) is not None for x in c.args) for c in comparisons(condition)):
        return [domain]  # data decide
    found = _where(condition, domain, truth, scope)
    return found if len(found) <= MAX_DOMAINS else [domain]


def _where(condition: Expr, domain: Domain, truth: bool, scope: Scope) -> list[Domain]:
    if isinstance(condition, Const):
        return [domain] if bool(condition.value) == truth else []
    if not isinstance(condition, Op):
        return [domain]
    if condition.name == "logical_not":
        return _where(condition.args[0], domain, not truth, scope)
    if condition.name in ("logical_and", "logical_or"):
        a, b = condition.args
        if (condition.name == "logical_and") == truth:
            return [e for d in _where(a, domain, truth, scope) for e in _where(b, d, truth, scope)]
        rest = [e for d in _where(a, domain, not truth, scope) for e in _where(b, d, truth, scope)]
        return [*_where(a, domain, truth, scope), *rest]
    if condition.name in ORDER:
        return _narrowed(condition, domain, truth, scope)
    return [domain]


def _narrowed(comparison: Op, domain: Domain, truth: bool, scope: Scope) -> list[Domain]:
    a, b = (index_form(x) for x in comparison.args)
    if a is None or b is None:
        return [domain]
    form = ORDER[comparison.name](a, b)
    form = form if truth else -form - 1
    ranges = {r.var: r for r in domain}
    moving = subscript(form, ranges)
    if moving is None or moving.var is None:
        return [domain]
    r, sign, bound = ranges[moving.var], moving.sign, moving.value_at(Affine(0))
    narrow = (
        replace(r, start=_tighter(r.start, bound, scope))
        if sign > 0
        else replace(r, stop=-_tighter(-r.stop, -bound - 1, scope))
    )
    width = narrow.stop - narrow.start
    if width.is_const and width.const <= 0:
        return []
    return [tuple(narrow if x is r else x for x in domain)]


def _tighter(known: Affine, other: Affine, scope: Scope) -> Affine:
    """The larger of two lower bounds if that is certain, else the known one."""
    return other if scope.at_most(known, other) else known
