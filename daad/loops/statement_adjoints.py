"""The adjoint of one nest: contributions to what it read, then what becomes of the adjoint of what it wrote."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from daad.analysis.alias import may_meet_at_a_point, reads_of
from daad.analysis.dependence import site_bounds
from daad.analysis.sites import Site, exactly
from daad.ccs.forwarded import Versions
from daad.errors import Unsupported
from daad.ir.affine import Affine
from daad.ir.constructors import add, compare, const, divide, negation, where
from daad.ir.dtypes import is_float
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Expr, Index, Load, Nest, Node, Op, Program, Range
from daad.loops.conditional_reads import where_it_exists
from daad.rules.pullback import (
    NO_FACTS,
    Contribution,
    Facts,
    Guarded,
    active_loads,
    is_singular,
    kept_where,
    pull_back,
    reads_result,
)


@dataclass
class Bars:
    """The adjoint arrays of a program under reversal, the values they are made from, and scratch made on the way."""

    program: Program
    supply: NameSupply
    names: Mapping[str, str]
    versions: Versions
    maskable: frozenset[str] = frozenset()
    facts: Facts = NO_FACTS
    extra: dict[str, Array] = field(default_factory=dict)

    def is_active(self, load: Load) -> bool:
        return load.array in self.names

    def access(self, site: Site, place: Access | Load) -> Access:
        return Access(self.names[place.array], self.resolve_place(site, place))

    def load(self, site: Site, place: Access | Load) -> Load:
        return Load(self.names[place.array], self.resolve_place(site, place), self.program.arrays[place.array].dtype)

    def resolve_place(self, site: Site, place: Access | Load) -> tuple[Index, ...]:
        return tuple(self.resolve_index(site, i) for i in place.index)

    def resolve_index(self, site: Site, index: Index) -> Index:
        return index if isinstance(index, Affine) else self.versions.resolve(site, index)

    def shape_of_bar(self, bar: str) -> tuple[int, ...]:
        return next(self.program.arrays[n].shape for n, b in self.names.items() if b == bar)

    def where_it_exists(self, update: Assign, nest: Nest, site: Site) -> Node | None:
        return where_it_exists(update, nest, site, self.shape_of_bar(update.target.array), self.program.arrays)

    def scratch(self, name: str, like: Array) -> Array:
        """A local array of the shape and dtype of `like`."""
        array = Array(self.supply.new(name), like.shape, like.dtype)
        self.extra[array.name] = array
        return array


def reverse_nest(nest: Nest, site: Site, bars: Bars) -> tuple[Node, ...]:
    """The adjoint of the assigns, last to first; each reads the adjoint of its target."""
    assert is_reversible(nest), f"nest at {site.path} cannot be split"
    out: list[Node] = []
    for assign in reversed(nest.assigns):
        if assign.target.array in bars.names:
            out.extend(REVERSERS[assign.op](assign, nest, site, bars))
    return tuple(out)


def is_reversible(nest: Nest) -> bool:
    """Whether each assign can be reversed on its own: none reads what another one of the nest writes, at any point."""
    targets = {a.target.array for a in nest.assigns}
    is_alone = len(nest.assigns) == 1 or not nest.domain
    return is_alone or all(load.array not in targets for a in nest.assigns for load in reads_of(a))


def _reverse_set(assign: Assign, nest: Nest, site: Site, bars: Bars) -> list[Node]:
    """`T = e`: T's adjoint flows on to the loads of e and is cleared; a load of T's own element keeps its share."""
    return _reverse_flow(assign, nest, site, bars, const(0, bars.program.arrays[assign.target.array].dtype))


def _reverse_add(assign: Assign, nest: Nest, site: Site, bars: Bars) -> list[Node]:
    """`T += e`: T's adjoint flows on to the loads of e and stays."""
    return _reverse_flow(assign, nest, site, bars, bars.load(site, assign.target))


def _reverse_flow(assign: Assign, nest: Nest, site: Site, bars: Bars, kept: Expr) -> list[Node]:
    """Contributions to what e loads, then `T_bar = kept` plus the share of a load of T's own element."""
    seed = bars.load(site, assign.target)
    before: list[Node] = []
    source = seed
    if _may_read_own_element(assign, site, bars):
        source, before = _set_aside(seed, kept, nest, bars)
    result = _result(assign, site, bars)
    parts = _flowing(assign, source, result, nest, bars)
    own = [p for p in parts if source is seed and _is_target(p.load, assign.target)]
    added = [_contribution(p, site, bars) for p in parts if p not in own]
    apart = {a: there for a in added if (there := bars.where_it_exists(a, nest, site))}
    others = [a for a in added if a not in apart]
    left = kept if source is seed else seed
    for part in own:
        left = add(left, _resolved(part.value, site, bars), seed.dtype)
    clear = [] if left == seed else [Assign(Access(seed.array, seed.index), "=", left)]
    assigns = (*others, *clear)
    return [*before, *apart.values(), *([Nest(nest.domain, assigns, nest.at)] if assigns else [])]


def _flowing(assign: Assign, seed: Load, result: Expr | None, nest: Nest, bars: Bars) -> tuple[Contribution, ...]:
    """What flows on: nothing where the adjoint is zero since a side was not taken, however steep the operation is."""
    value, facts = assign.value, bars.facts
    may_be_untaken = assign.target.array in bars.maskable and is_singular(value)
    counts = compare("not_equal", seed, const(0, seed.dtype)) if may_be_untaken else None
    guard = None if facts.again else counts
    parts = pull_back(value, Guarded(seed, guard), bars.is_active, result, nest.at, facts)
    if counts is None or not facts.again:
        return parts
    return tuple(replace(part, value=kept_where(counts, part.value, facts)) for part in parts)


def _may_read_own_element(assign: Assign, site: Site, bars: Bars) -> bool:
    """Whether a load with another index than the target's may still be of the same element."""
    target = assign.target
    loads = active_loads(assign.value, bars.is_active)
    others = [x for x in loads if x.array == target.array and not _is_target(x, target)]
    return any(may_meet_at_a_point(x, target, site_bounds(site)) for x in others)


def _set_aside(seed: Load, kept: Expr, nest: Nest, bars: Bars) -> tuple[Load, list[Node]]:
    """Moves the adjoint of the target to scratch before anything can be added to it."""
    whole = Array("", bars.shape_of_bar(seed.array) if nest.domain else (), seed.dtype)
    aside = Load(bars.scratch(f"{seed.array}_aside", whole).name, seed.index if nest.domain else (), seed.dtype)
    assigns = [Assign(Access(aside.array, aside.index), "=", seed)]
    assigns += [] if kept == seed else [Assign(Access(seed.array, seed.index), "=", kept)]
    return aside, [Nest(nest.domain, (a,), nest.at) for a in assigns]


def _reverse_extremum(assign: Assign, nest: Nest, site: Site, bars: Bars) -> list[Node]:
    """`T max= e`: the adjoint goes in equal parts to every e, and to the old T, that equals the result.

    What is asked of T alone is asked for every place of T, also where the domain has no further point (`around`).
    Where the result is NaN, so is what all of them get, unless the adjoint is zero.
    """
    target, site = assign.target, replace(exactly(site), same_bits=True)  # what equals what is asked
    require_known_places(assign, nest)
    array = bars.program.arrays[target.array]
    outer = target_domain(target, nest.domain)
    around = replace(site, node=Nest(outer, nest.assigns))
    place, dtype = bars.resolve_place(around, target), array.dtype
    old: Expr = Load(target.array, target.index, dtype)
    result = bars.versions.resolve(around, old, after=True)
    ties = bars.scratch(f"{array.name}_ties", array)
    count = Load(ties.name, place, dtype)

    def one_if_hit(value: Expr, at: Site) -> Expr:
        hit = compare("equal", bars.versions.resolve(at, value), result)
        return where(hit, const(1, dtype), const(0, dtype), dtype)

    seed = bars.load(around, target)
    share = divide(seed, count, dtype)
    beaten = assign.combine.beaten
    hit = negation(compare(beaten, assign.value, result))
    parts = pull_back(assign.value, Guarded(share, hit), bars.is_active, None, nest.at, bars.facts)
    contributions = tuple(_contribution(p, site, bars) for p in parts)
    stays = negation(compare(beaten, bars.versions.resolve(around, old), result))
    keep = where(stays, share, const(0, dtype), dtype)
    first = _or_nan(one_if_hit(old, around), result, seed)
    nests = [
        Nest(outer, (Assign(Access(ties.name, place), "=", first),), nest.at),
        Nest(nest.domain, (Assign(Access(ties.name, place), "+=", one_if_hit(assign.value, site)),), nest.at),
        Nest(nest.domain, contributions, nest.at),
        Nest(outer, (Assign(bars.access(around, target), "=", keep),), nest.at),
    ]
    return [n for n in nests if n.assigns]


def require_known_places(assign: Assign, nest: Nest) -> None:
    """Refuses an extremum at places that data decide."""
    inner = {r.var for r in nest.domain}
    if any(isinstance(index, Expr) and not inner.isdisjoint(index.variables) for index in assign.target.index):
        raise Unsupported(
            "A maximum or minimum at places that data decide cannot be differentiated.",
            at=nest.at,
            hint="Write it as a loop.",
        )


def _or_nan(count: Expr, result: Expr, seed: Expr) -> Expr:
    """The number by which an adjoint is divided: NaN for a NaN, but 1 where the adjoint is zero."""
    if not is_float(result.dtype):
        return count
    dtype = count.dtype
    asked = compare("not_equal", seed, const(0, seed.dtype))
    unknown = where(asked, const(math.nan, dtype), const(1, dtype), dtype)
    return where(Op("isnan", (result,), "bool"), unknown, count, dtype)


Reverser = Callable[[Assign, Nest, Site, Bars], list[Node]]
REVERSERS: dict[str, Reverser] = {
    "=": _reverse_set,
    "+=": _reverse_add,
    "max=": _reverse_extremum,
    "min=": _reverse_extremum,
}


def target_domain(target: Access, domain: tuple[Range, ...]) -> tuple[Range, ...]:
    names = {n for i in target.index if isinstance(i, Affine) for n in i.names}
    return tuple(r for r in domain if r.var in names)


def _contribution(part: Contribution, site: Site, bars: Bars) -> Assign:
    return Assign(bars.access(site, part.load), "+=", _resolved(part.value, site, bars))


def _resolved(value: Expr, site: Site, bars: Bars) -> Expr:
    return bars.versions.resolve(site, value)


def _is_target(load: Load, target: Access) -> bool:
    return load.array == target.array and load.index == target.index


def _result(assign: Assign, site: Site, bars: Bars) -> Expr | None:
    """The target's value after the statement where a rule reads its result and that is the cheaper thing to read."""
    if assign.op != "=" or not reads_result(assign.value, bars.is_active):
        return None
    load = Load(assign.target.array, assign.target.index, bars.program.arrays[assign.target.array].dtype)
    if load.dtype != assign.value.dtype:
        return None
    versions = bars.versions
    operands_stay = all(versions.in_place(site, x) for x in active_loads(assign.value, bars.is_active))
    if operands_stay and not versions.in_place(site, load, after=True) and not versions.is_kept(site, load, after=True):
        return None
    return versions.resolve(site, load, after=True)
