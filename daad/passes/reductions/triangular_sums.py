"""Sums over the points of a triangle, as running sums: each place adds one element to the sum of the place before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from daad.analysis.alias import moves
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.nodes import Access, Array, Assign, Load, Loop, Nest, Node, Range
from daad.ir.walk import substitute, substitute_assign, variables
from daad.passes.reductions.reduction_simplification import Factor, factors_of, points, product_of


@dataclass(frozen=True)
class Triangle:
    """Pairs of values of two ranges, with constant bounds, for which `rise * along + lean * over >= bound`.

    `rise` and `lean` are 1 or -1: as `rise * along` grows, values of `over` enter one by one.
    """

    along: Range
    over: Range
    rise: int
    lean: int
    bound: int

    @property
    def entering(self) -> Affine:
        """The value of `over` that enters at a value of `along`, if it is in the range."""
        return (self.bound - self.rise * Affine.of(self.along.var)) * self.lean

    @property
    def steps(self) -> range:
        """Values of `along` at which one enters, in rising order."""
        if not points((self.over,)):
            return range(0)
        low, high = self.over.start.const * self.lean, (self.over.stop.const - 1) * self.lean
        ends = sorted((self.bound - x) * self.rise for x in (low, high))
        return range(max(ends[0], self.along.start.const), min(ends[1] + 1, self.along.stop.const))

    @property
    def before(self) -> Range:
        """Values of `over` that are there before the first step."""
        first = self.entering.substitute({self.along.var: Affine(self.steps[0 if self.rise > 0 else -1])})
        low, high = (first + 1, self.over.stop) if self.lean > 0 else (self.over.start, first)
        return Range(self.over.var, low, high)

    @property
    def after(self) -> Range:
        """Values of `along` behind the last step, where all values of `over` are there."""
        last, along = self.steps, self.along
        low, high = (Affine(last.stop), along.stop) if self.rise > 0 else (along.start, Affine(last.start))
        return Range(along.var, low, high)


@dataclass(frozen=True)
class Sum:
    """What a nest adds up over a triangle, and over ranges `beside` it: the factors `within` know nothing of where in
    the row they go."""

    triangle: Triangle
    beside: tuple[Range, ...]
    target: Access
    within: tuple[Factor, ...]
    apart: tuple[Factor, ...]
    dtype: str

    @property
    def inner(self) -> tuple[Range, ...]:
        """Ranges of what is summed."""
        return tuple(r for r in self.beside if r.var in _names(self.within))

    @property
    def common(self) -> tuple[Range, ...]:
        """Ranges of the running sums."""
        outside = _names(self.apart).union(*map(variables, self.target.index))
        return tuple(r for r in self.inner if r.var in outside)

    @property
    def around(self) -> tuple[Range, ...]:
        """Ranges over which they are added to the target."""
        return tuple(r for r in self.beside if r not in self.inner or r in self.common)

    @property
    def points(self) -> int:
        """Of all nests together."""
        taken = points((self.triangle.over,)) * points(self.inner)
        return taken + points((self.triangle.along,)) * points(self.around)

    @property
    def sums(self) -> tuple[int, ...]:
        """The shape of the running sums."""
        return tuple(r.width.const for r in self.common)

    def nodes(self, total: Array) -> tuple[Node, ...]:
        """The sum with an array for the running sums."""
        triangle, place = self.triangle, tuple(Affine.of(r.var) - r.start for r in self.common)
        sums, steps = Access(total.name, place), triangle.steps
        value = product_of(self.within, None, self.dtype)
        spread = product_of(self.apart, Load(total.name, place, self.dtype), self.dtype)
        enter = Assign(sums, "+=", substitute(value, {triangle.over.var: triangle.entering}))
        give = Assign(self.target, "+=", spread)
        first, stop = (steps.start, steps.stop) if triangle.rise > 0 else (steps.stop - 1, steps.start - 1)
        step = (Nest(self.inner, (enter,)), Nest(self.around, (give,)))
        nodes: list[Node] = [Nest(self.common, (Assign(sums, "=", const(0, self.dtype)),))]
        if points((triangle.before,)):
            nodes.append(Nest((triangle.before, *self.inner), (Assign(sums, "+=", value),)))
        nodes.append(Loop(triangle.along.var, Affine(first), Affine(stop), triangle.rise, step))
        if points((triangle.after,)):
            nodes.append(Nest((triangle.after, *self.around), (give,)))
        return tuple(nodes)


def steadied(nest: Nest, r: Range) -> Nest:
    """The nest with ranges that move with another one but keep their length from 0 on."""
    moved = {x.var: x.start for x in nest.domain if r.var in variables(x.start) and x.width.is_const}
    values = {var: Affine.of(var) + start for var, start in moved.items()}
    domain = tuple(Range(x.var, Affine(0), x.width) if x.var in moved else x for x in nest.domain)
    return replace(nest, domain=domain, assigns=tuple(substitute_assign(a, values) for a in nest.assigns))


def moving(nest: Nest, var: str) -> tuple[Range, ...]:
    """Ranges with bounds that depend on a variable."""
    return tuple(r for r in nest.domain if moves(r, var))


def pairs(first: Range, second: Range) -> int:
    """Points of two ranges, of which the second moves with the first."""
    ends = sorted(second.width.substitute({first.var: x}).const for x in (first.start, first.last))
    step = abs(second.width.coefficient(first.var))
    if step == 0 or ends[1] <= 0:
        return max(ends[1], 0) * points((first,))
    least = max(ends[0], ends[1] % step)
    return (least + ends[1]) * ((ends[1] - least) // step + 1) // 2


def sum_over(nest: Nest, r: Range) -> Sum | None:
    """The sums of a nest over its one moving range and the one that it moves with; all other bounds are constants."""
    [skewed] = moving(nest, r.var)
    for slope in (0, 1, -1):
        straight = {skewed.var: Affine.of(skewed.var) - Affine.of(r.var) * slope}
        low, high = (form + Affine.of(r.var) * slope for form in (skewed.start, skewed.stop))
        found = _sum(nest, r, Range(skewed.var, low, high), substitute_assign(nest.assigns[0], straight))
        if found is not None:
            return found
    return None


def _sum(nest: Nest, r: Range, skewed: Range, assign: Assign) -> Sum | None:
    """The same, if each factor and the target know one of the two ranges."""
    both = {r.var, skewed.var}
    own = both.intersection(*[frozenset().union(*map(variables, assign.target.index))])
    factors = factors_of(assign.value)
    if len(own) != 1 or any(both <= variables(f.value) for f in factors):
        return None
    [along] = own
    [over] = both - own
    triangle = _triangle(r, skewed, along)
    within = tuple(f for f in factors if over in variables(f.value))
    if triangle is None or not within or not triangle.steps:
        return None
    beside = tuple(x for x in nest.domain if x.var not in both)
    apart = tuple(f for f in factors if f not in within)
    return Sum(triangle, beside, assign.target, within, apart, assign.value.dtype)


def _triangle(r: Range, skewed: Range, along: str) -> Triangle | None:
    """`along` is the variable of one of the two ranges."""
    fixed = [form.is_const for form in (skewed.start, skewed.stop)]
    if sum(fixed) != 1:
        return None
    form, sign = (skewed.last, -1) if fixed[0] else (skewed.start, 1)
    slope = form.coefficient(r.var)
    if form.names != (r.var,) or abs(slope) != 1:
        return None
    ends = [form.substitute({r.var: x}) for x in (r.start, r.last)]
    reach = Range(skewed.var, min(ends), skewed.stop) if sign > 0 else Range(skewed.var, skewed.start, max(ends) + 1)
    signs = {skewed.var: sign, r.var: -sign * slope}
    ranges = {skewed.var: reach, r.var: r}
    over = next(name for name in ranges if name != along)
    return Triangle(ranges[along], ranges[over], signs[along], signs[over], sign * form.const)


def _names(factors: Iterable[Factor]) -> frozenset[str]:
    return frozenset[str]().union(*(variables(f.value) for f in factors))
