"""Parts of arrays that a loop goes through against the order of memory, as local arrays in the order of the loop.

A recurrence along the last axis that runs for many rows at once takes one element of each row after the other. The rows
are turned into columns before the body of the loop, and back behind it, where that makes neighbours of what is computed
at once.

    program f(A: float64[60, 200, 600])
      loop j = 0 .. 200:
        loop k = 1 .. 600:
          for i in 0 .. 59:  A[i, j, k] = A[i, j, k - 1] * A[i + 1, j, k - 1]

becomes

    program f(A: float64[60, 200, 600])
      local A_part: float64[600, 60]
      loop j = 0 .. 200:
        for A_part_0 in 0 .. 60, A_part_2 in 0 .. 600:  A_part[A_part_2, A_part_0] = A[A_part_0, j, A_part_2]
        loop k = 1 .. 600:
          for i in 0 .. 59:  A_part[k, i] = A_part[k - 1, i] * A_part[k - 1, i + 1]
        for A_part_0 in 0 .. 60, A_part_2 in 0 .. 600:  A[A_part_0, j, A_part_2] = A_part[A_part_2, A_part_0]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from daad.analysis.alias import Place
from daad.analysis.context import Scope
from daad.analysis.cost.machine import CACHE
from daad.analysis.element_liveness import written_first
from daad.analysis.sites import loop_bounds
from daad.ir.affine import Affine, interval, names_of
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Index, Load, Nest, Node, Program, Range
from daad.ir.walk import node_loads, relocated, substitute_index, writes
from daad.passes.definition import Form, Pass, forms
from daad.passes.memory.data_layout import accesses, axis_of, fastest

SHARE = 16
"""Local arrays take at most this part of the memory of all."""

Ranges = Mapping[str, tuple[int, int] | None]
"""Values of the variables within a body, None where they depend on others or on data."""


PASS = Pass(
    "packing",
    lambda program, goal: pack(program, goal.live),
    "Parts that a loop goes through against the order of memory are copied into its order.",
    source="Goto and van de Geijn 2008",
    requires=forms(Form.SLABBED),
    for_caches=True,
)


def pack(program: Program, live: frozenset[str]) -> Program:
    """The program with parts of parameters and of `live` arrays as local arrays, loop by loop."""
    packer = _Packer(
        dict(program.arrays),
        NameSupply.of(program),
        live.union(program.parameters),
    )
    body = packer.body(program.body, Scope())
    return replace(program, body=body, arrays=packer.arrays) if body != program.body else program


@dataclass(frozen=True)
class Visit:
    """An access from `points` points of an iteration.

    `across`: the axis of the neighbours that are computed at once, if it is the last one or they have one place along
    that; `walked`: they do, and a loop around them goes along the last one.
    """

    place: Place
    ranges: Ranges
    points: int
    across: int | None
    walked: bool


@dataclass(frozen=True)
class Part:
    """The elements `low .. low + extent` along each axis of an array; `axis` comes last in the local one, `name`, which
    is of use for `visits` points of the body."""

    array: Array
    name: str
    sides: tuple[tuple[Affine, int], ...]
    axis: int
    visits: int

    @property
    def order(self) -> tuple[int, ...]:
        """The axes of the local array."""
        return (*(a for a, (_, extent) in enumerate(self.sides) if extent > 1 and a != self.axis), self.axis)

    @property
    def local(self) -> Array:
        return Array(self.name, tuple(self.sides[axis][1] for axis in self.order), self.array.dtype)

    @property
    def size(self) -> int:
        return prod(self.local.shape)

    def index(self, index: Sequence[Index]) -> tuple[Index, ...]:
        """Where an element of the array is in the local one."""
        forms = [index[axis] for axis in self.order]
        lows = [self.sides[axis][0] for axis in self.order]
        return tuple(form - low for form, low in zip(forms, lows, strict=True) if isinstance(form, Affine))

    def copied(self, supply: NameSupply, back: bool) -> Nest:
        """All elements into the local array, or back."""
        names = {axis: supply.free(f"{self.name}_{axis}") for axis in sorted(self.order)}
        domain = tuple(Range(name, Affine(0), Affine(self.sides[axis][1])) for axis, name in names.items())
        there = tuple(
            low + Affine.of(names[axis]) if axis in names else low for axis, (low, _) in enumerate(self.sides)
        )
        here = tuple(Affine.of(names[axis]) for axis in self.order)
        places = (self.array.name, there), (self.name, here)
        (target, written), (source, read) = places if back else places[::-1]
        return Nest(domain, (Assign(Access(target, written), "=", Load(source, read, self.array.dtype)),))


@dataclass
class _Packer:
    """Rewrites bodies; `arrays` grows by local ones, `names` gives them theirs; `fixed` arrays lie as they lie."""

    arrays: dict[str, Array]
    names: NameSupply
    fixed: frozenset[str]

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        return tuple(self.node(node, scope) for node in body)

    def node(self, node: Node, scope: Scope) -> Node:
        if isinstance(node, Nest):
            return node
        if isinstance(node, Branch):
            return replace(node, then=self.body(node.then, scope), orelse=self.body(node.orelse, scope))
        inner = scope.enter(node)
        parts = list(self.parts(node.body, inner))
        packed = self.packed(node.body, parts, inner) if self.fit(parts) else None
        return replace(node, body=packed or self.body(node.body, inner))

    def fit(self, parts: Sequence[Part]) -> bool:
        """Whether all parts stay in the cache and are few against the arrays that there are."""
        held = sum(part.local.nbytes for part in parts)
        return held <= CACHE and SHARE * held <= sum(array.nbytes for array in self.arrays.values())

    def parts(self, body: tuple[Node, ...], scope: Scope) -> Iterator[Part]:
        """The parts of arrays that may be worth it: no more elements than are taken one by one."""
        visits = _Visits()
        visits.add(body, {}, 1)
        for name in sorted(self.fixed & visits.found.keys() - visits.others):
            axis, count = _elected(visits.found[name])
            sides = _sides(visits.found[name], self.arrays[name], scope) if count else None
            if sides is not None and not self.arrays[name].extents and count >= prod(extent for _, extent in sides):
                yield Part(self.arrays[name], self.names.free(f"{name}_part"), sides, axis, count)

    def packed(self, body: tuple[Node, ...], parts: Sequence[Part], scope: Scope) -> tuple[Node, ...] | None:
        """The body on local arrays with the copies that it takes; None where there are more of them than visits."""
        if not parts:
            return None
        local = {part.array.name: part for part in parts}
        moved = tuple(
            relocated(node, lambda name, index: (local[name].name, local[name].index(index)) if name in local else None)
            for node in body
        )
        written = writes(body)
        after = tuple(part.copied(self.names, back=True) for part in parts if part.array.name in written)
        needed = _read_first((*moved, *after), parts, scope)
        worth = [part for part in parts if part.visits >= part.size * ((part in needed) + (part.array.name in written))]
        if len(worth) < len(parts):
            return self.packed(body, worth, scope)
        before = tuple(part.copied(self.names, back=False) for part in parts if part in needed)
        self.arrays.update({part.name: part.local for part in parts})
        self.names.take(*(part.name for part in parts), *(r.var for copy in (*before, *after) for r in copy.domain))
        return (*before, *moved, *after)


def _read_first(body: tuple[Node, ...], parts: Sequence[Part], scope: Scope) -> list[Part]:
    """The parts of which the body reads elements that it has not written."""
    written = written_first(body, (part.name for part in parts), {part.name: part.local for part in parts}, scope)
    return [part for part in parts if part.name not in written]


@dataclass
class _Visits:
    """All accesses of nests by array, and the `others`: arrays that are read in other ways."""

    found: dict[str, list[Visit]] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)

    def add(self, body: Sequence[Node], ranges: Ranges, times: int) -> None:
        """`times`: how often the body runs."""
        for node in body:
            if isinstance(node, Nest):
                self.add_nest(node, ranges, times)
                continue
            self.others |= {load.array for load in node_loads(node)}
            if isinstance(node, Branch):
                self.add((*node.then, *node.orelse), ranges, times)
            else:
                inner = {**ranges, node.var: _range(*loop_bounds(node), ranges)}
                self.add(node.body, inner, times * _count(inner[node.var]))

    def add_nest(self, nest: Nest, ranges: Ranges, times: int) -> None:
        inner = {**ranges, **{r.var: _range(r.start, r.stop, ranges) for r in nest.domain}}
        moved = {r.var: r.start + Affine.of(r.var) for r in nest.domain if inner[r.var] is None and _is_fixed(r)}
        inner.update({r.var: (0, r.width.const - 1) for r in nest.domain if r.var in moved})
        points = times * prod(_count(inner[r.var]) for r in nest.domain)
        own = {r.var for r in nest.domain}
        var = fastest(nest, frozenset()) if nest.loaded else ""  # fills run in any order
        for place in accesses(nest):
            if not all(isinstance(form, Affine) for form in place.index):
                self.others.add(place.array)
                continue
            place = replace(place, index=tuple(substitute_index(form, moved) for form in place.index))
            axis, end, last = axis_of(place, var), len(place.index) - 1, _names(place.index[-1:])
            across = axis if axis == end or last.isdisjoint(own) else None
            walked = across not in (None, end) and not last.isdisjoint(ranges)
            self.found.setdefault(place.array, []).append(Visit(place, inner, points, across, walked))


def _names(index: Sequence[Index]) -> set[str]:
    return names_of(form for form in index if isinstance(form, Affine))


def _elected(visits: Sequence[Visit]) -> tuple[int, int]:
    """The axis along which most neighbours lie, and how many more points visit them than those along the last axis;
    none where no loop walks past them."""
    votes = Counter[int]()
    for visit in visits:
        if visit.across is not None:
            votes[visit.across] += visit.points
    if not any(visit.walked for visit in visits):
        return 0, 0
    axis = max(sorted(votes), key=votes.__getitem__)
    return axis, votes[axis] - votes[len(visits[0].place.index) - 1]


def _range(low: Index, high: Index, ranges: Ranges) -> tuple[int, int] | None:
    """The smallest and the largest value of a variable; None for an empty or unknown range."""
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return None
    known = {name: r for name, r in ranges.items() if r is not None}
    first, last = interval(low, known), interval(high, known)
    return (first[0], last[1] - 1) if first and last and first[0] < last[1] else None


def _is_fixed(r: Range) -> bool:
    """Whether there are as many values wherever the range begins."""
    width = r.width
    return width.is_const and width.const > 0


def _count(values: tuple[int, int] | None) -> int:
    return 1 if values is None else values[1] - values[0] + 1


def _sides(visits: Sequence[Visit], array: Array, scope: Scope) -> tuple[tuple[Affine, int], ...] | None:
    """What the visits touch along each axis; None where that is not known, or may lie outside of the array."""
    sides = []
    for axis, size in enumerate(array.shape):
        spans = [_span(visit.place.index[axis], visit.ranges) for visit in visits]
        if None in spans:
            return None
        around = {span[0] for span in spans if span}
        low = around.pop() + min(span[1] for span in spans if span)
        extent = 1 + max(span[2] for span in spans if span) - min(span[1] for span in spans if span)
        if around or not scope.proves(low) or not scope.at_most(low + extent, Affine(size)):
            return None
        sides.append((low, extent))
    return tuple(sides)


def _span(form: Index, ranges: Ranges) -> tuple[Affine, int, int] | None:
    """An index as what the variables around say, and the smallest and largest that those within add."""
    if not isinstance(form, Affine):
        return None
    within = Affine.build(form.const, {name: c for name, c in form.terms if name in ranges})
    known = interval(within, {name: r for name, r in ranges.items() if r is not None})
    return None if known is None else (form - within, *known)
