"""What is known about the integers at a place of a tree, and traversals that carry it along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from daad.analysis.polyhedra import feasible
from daad.analysis.sites import Site, bounds_on, least_of, loop_bounds
from daad.ir.affine import Affine
from daad.ir.intervals import index_interval
from daad.ir.nodes import Index, Loop, Nest, Node, Range
from daad.ir.walk import altered

Facts = tuple[tuple[Affine, ...], tuple[tuple[str, tuple[int, int]], ...], frozenset[str]]


@dataclass(frozen=True)
class Scope:
    """Affine forms that are >= 0 (bounds of the loops around), and numeric ranges of variables where those follow;
    `exact` variables take every value of their range whatever the others are. Where a loop has no iteration, all may be
    said of its variable, and its range is the first value."""

    constraints: tuple[Affine, ...] = ()
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()
    _proved: dict[Affine, bool] = field(default_factory=dict, compare=False, repr=False)
    _inside: dict[tuple[str, Index, Index], Scope] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def facts(self) -> Facts:
        """All that is known: scopes with the same facts prove the same."""
        return self.constraints, tuple(self.ranges.items()), self.exact

    def enter(self, loop: Loop) -> Scope:
        """The scope of a loop's body."""
        low, high = loop_bounds(loop)
        return self.with_variable(loop.var, low, high)

    def with_domain(self, domain: Iterable[Range]) -> Scope:
        """The scope of a nest's points."""
        scope = self
        for r in domain:
            scope = scope.with_variable(r.var, r.start, r.stop)
        return scope

    def with_variable(self, var: str, low: Index, high: Index) -> Scope:
        """The scope in which a variable is at least `low` and below `high`: the same one each time, with its proofs."""
        key = (var, low, high)
        if key not in self._inside:
            self._inside[key] = self._with_variable(var, low, high)
        return self._inside[key]

    def _with_variable(self, var: str, low: Index, high: Index) -> Scope:
        first, behind = self.range(low), self.range(high) or self._least(high)
        ranges = dict(self.ranges)
        if first and behind:
            ranges[var] = (first[0], max(first[0], behind[1] - 1))
        exact = self.exact | {var} if _is_fixed(low, high) else self.exact
        return Scope((*self.constraints, *bounds_on(var, low, high)), ranges, exact)

    def _least(self, high: Index) -> tuple[int, int] | None:
        """What is known of an end that is not above some forms."""
        ends = [found for end in least_of(high) if (found := self.range(end))]
        return min(ends, key=lambda found: found[1], default=None)

    def range(self, index: Index) -> tuple[int, int] | None:
        """The smallest and the largest value of an index; None where nothing bounds it."""
        return index_interval(index, self.ranges)

    def middle(self, form: Affine) -> float | None:
        """Halfway between the two: a guess for a cost, no bound."""
        bounds = self.range(form)
        return sum(bounds) / 2 if bounds else None

    def proves(self, form: Affine) -> bool:
        """Whether `form >= 0` certainly holds."""
        if not form.terms:
            return form.const >= 0
        if form not in self._proved:
            self._proved[form] = self._prove(form)
        return self._proved[form]

    def _prove(self, form: Affine) -> bool:
        bounds = self.range(form)
        if bounds and bounds[0] >= 0:
            return True
        if not self.constraints or (bounds and self.exact.issuperset(form.names)):
            return False
        return not feasible([], [*self.constraints, -form - 1])

    def at_most(self, a: Affine, b: Affine) -> bool:
        """Whether `a <= b` certainly holds."""
        return a.const <= b.const if a.terms == b.terms else self.proves(b - a)


def known_at(site: Site) -> Scope:
    """What is known where a site stands, at each of its points."""
    scope = Scope()
    for _, loop in site.loops:
        scope = scope.enter(loop)
    return scope.with_domain(site.domain)


def _is_fixed(low: Index, high: Index) -> bool:
    """Whether the bounds are numbers, with at least one value between them."""
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return False
    return low.is_const and high.is_const and low.const < high.const


Rewrite = Callable[[Nest, Scope], tuple[Node, ...]]


def map_scoped_leaves(body: tuple[Node, ...], rewrite: Rewrite, scope: Scope) -> tuple[Node, ...]:
    """Replaces every nest by a sequence of nodes; loops and branches left empty disappear."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            out.extend(rewrite(node, scope))
        elif isinstance(node, Loop):
            if inner := map_scoped_leaves(node.body, rewrite, scope.enter(node)):
                out.append(altered(node, body=inner))
        else:
            then = map_scoped_leaves(node.then, rewrite, scope)
            orelse = map_scoped_leaves(node.orelse, rewrite, scope)
            if then or orelse:
                out.append(altered(node, then=then, orelse=orelse))
    return tuple(out)


BodyRewrite = Callable[[tuple[Node, ...], Scope], tuple[Node, ...]]


def map_scoped_bodies(body: tuple[Node, ...], rewrite: BodyRewrite, scope: Scope) -> tuple[Node, ...]:
    """Rewrites every body, those inside first."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            inner = map_scoped_bodies(node.body, rewrite, scope.enter(node))
            out.extend([altered(node, body=inner)] if inner else [])
        elif isinstance(node, Nest):
            out.append(node)
        else:
            then = map_scoped_bodies(node.then, rewrite, scope)
            orelse = map_scoped_bodies(node.orelse, rewrite, scope)
            out.extend([altered(node, then=then, orelse=orelse)] if then or orelse else [])
    return rewrite(tuple(out), scope)
