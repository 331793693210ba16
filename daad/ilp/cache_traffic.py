"""What the statements of a body move through memory, and how much else they touch until they touch the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from operator import attrgetter

import numpy as np

from daad.analysis.cost.machine import LINE, UNKNOWN_TRIPS
from daad.analysis.sites import loop_bounds
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Branch, Const, Index, IndexValue, Loop, Nest, Node, Op
from daad.ir.operations import OPERATIONS
from daad.ir.walk import loads, variables

Middles = Mapping[str, float]

Moved = Mapping[str, frozenset[str]]
"""For variables of loops around the variables further out of which each value brings other values of theirs."""

NOTHING: Moved = {}

_IN_BOUNDS = ("add", "subtract", "multiply", "minimum", "maximum")
"""Operations in bounds of loops."""


@dataclass(frozen=True)
class Touched:
    """Bytes of an array, others where one of the variables `varies` is another, in other lines in a part of the
    iterations; whether they are written, and in how many pieces they lie."""

    nbytes: float
    varies: Mapping[str, float]
    written: bool = False
    pieces: float = 1.0

    def __or__(self, other: Touched) -> Touched:
        largest = max(self, other, key=attrgetter("nbytes", "pieces"))
        varies = _either(self.varies, other.varies) if self.nbytes == other.nbytes else largest.varies
        return replace(largest, varies=varies, written=self.written or other.written)


@dataclass(frozen=True)
class Work:
    """A nest: how often each variable of its domain runs, which of them is innermost when it runs, the elements that it
    reads or writes at each point (none in sums along that one, whose operands stay near, nor what is the same along
    it), and what it touches by array."""

    nest: Nest
    extents: Mapping[str, float]
    innermost: str
    accesses: int
    touched: Mapping[str, Touched]

    @property
    def points(self) -> float:
        """Of the domain."""
        return self.points_of(self.extents)

    @property
    def rows(self) -> float:
        """How often the innermost loop begins."""
        return self.points_of(self.extents.keys() - {self.innermost}) if self.extents else 0.0

    def points_of(self, names: Iterable[str]) -> float:
        """Of the domain, along some of its variables."""
        return prod(self.extents[name] for name in names)


@dataclass(frozen=True)
class Repeated:
    """A loop: its body, run `trips` times, and what an iteration touches."""

    var: str
    trips: float
    body: tuple[Stage, ...]
    each: Mapping[str, Touched]
    touched: Mapping[str, Touched]

    @cached_property
    def nbytes(self) -> float:
        """What an iteration touches."""
        return sum(t.nbytes for t in self.each.values())


@dataclass(frozen=True)
class Either:
    """A branch."""

    sides: tuple[tuple[Stage, ...], ...]
    touched: Mapping[str, Touched]


Stage = Work | Repeated | Either


@dataclass(frozen=True)
class Window:
    """The points of a nest: how often each variable of its domain runs, where it begins, and what moves the loops
    around."""

    extents: Mapping[str, float]
    starts: Mapping[str, Affine]
    moved: Moved


def _either(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """What varies with one or with the other."""
    return {name: max(one.get(name, 0.0), other.get(name, 0.0)) for name in {**one, **other}}


def stages(
    body: tuple[Node, ...], arrays: Mapping[str, Array], middles: Middles, moved: Moved = NOTHING
) -> tuple[Stage, ...]:
    """What the nodes of a body touch, with the variables around at the middle of their ranges."""
    return tuple(_stage(node, arrays, middles, moved) for node in body)


def total(found: Iterable[Stage]) -> float:
    """Bytes that all of them touch together."""
    return sum(t.nbytes for t in _together(found).values())


def _stage(node: Node, arrays: Mapping[str, Array], middles: Middles, moved: Moved) -> Stage:
    if isinstance(node, Nest):
        return _of_nest(node, arrays, middles, moved)
    if isinstance(node, Branch):
        sides = tuple(stages(side, arrays, middles, moved) for side in (node.then, node.orelse))
        return Either(sides, _together(s for side in sides for s in side))
    trips = trips_of(node, middles)
    low, _ = loop_bounds(node)
    around = _movers(_slopes(low), trips, moved)
    body = stages(node.body, arrays, inside(node, middles), {**moved, node.var: around} if around else moved)
    each = _together(body)
    repeated = {name: _times(t, node.var, trips, arrays[name]) for name, t in each.items()}
    return Repeated(node.var, trips, body, each, repeated)


def _times(touched: Touched, var: str, trips: float, array: Array) -> Touched:
    if var not in touched.varies:
        return touched
    varies = {name: part for name, part in touched.varies.items() if name != var}
    return replace(touched, nbytes=min(float(array.nbytes), touched.nbytes * trips), varies=varies)


def _together(found: Iterable[Stage]) -> dict[str, Touched]:
    touched: dict[str, Touched] = {}
    for stage in found:
        for name, each in stage.touched.items():
            touched[name] = touched[name] | each if name in touched else each
    return touched


def _of_nest(nest: Nest, arrays: Mapping[str, Array], middles: Middles, moved: Moved) -> Work:
    extents = {r.var: _extent(r.start, r.stop, middles) for r in nest.domain}
    window = Window(extents, {r.var: r.start for r in nest.domain if r.start.terms}, moved)
    touched: dict[str, Touched] = {}
    targets = {(a.target.array, a.target.index) for a in nest.assigns}
    accesses = targets | {(x.array, x.index) for a in nest.assigns for x in loads(a.value)}
    for name, index in accesses:
        if name in arrays:
            each = _access(index, arrays[name], window, (name, index) in targets)
            touched[name] = touched[name] | each if name in touched else each
    innermost = _innermost(extents, [index for _, index in accesses])
    sums = extents and any(innermost not in frozenset[str]().union(*map(variables, index)) for _, index in targets)
    along = sum(not extents or innermost in frozenset[str]().union(*map(variables, index)) for _, index in accesses)
    return Work(nest, extents, innermost, 0 if sums else along, touched)


def _innermost(extents: Mapping[str, float], indices: Iterable[tuple[Index, ...]]) -> str:
    """The variable along which most accesses go from neighbour to neighbour; the last one of as many."""
    last = [variables(index[-1]) for index in indices if index]
    return max(reversed([*extents]), key=lambda var: sum(var in each for each in last), default="")


def _access(index: tuple[Index, ...], array: Array, window: Window, written: bool) -> Touched:
    """One access, for all points of a nest."""
    extents = window.extents
    found = frozenset[str]().union(*map(variables, index))
    size = min(prod(extents[v] for v in found if v in extents), float(array.size))
    itemsize = np.dtype(array.dtype).itemsize
    varies: dict[str, float] = {}
    for form in index:
        varies = _either(varies, _moves(form, window, itemsize / LINE if form is index[-1] else 1.0))
    return Touched(size * itemsize, varies, written, size / _run(index, array, extents, LINE / itemsize))


def _run(index: tuple[Index, ...], array: Array, extents: Mapping[str, float], gap: float) -> float:
    """Neighbours that are touched together: along the last dimension, and further where that leaves out no more than a
    gap."""
    run = 1.0
    for form, extent in zip(reversed(index), reversed(array.shape), strict=True):
        length = prod(extents[name] for name in variables(form) if name in extents)
        run *= max(1.0, length)
        if array.extents or length + gap < extent:
            break
    return run


def _moves(form: Index, window: Window, each: float) -> dict[str, float]:
    """Variables of the loops around that move a window along a dimension by at least its length, and in which part of
    the iterations that is to other lines, of which an element is a part."""
    if not isinstance(form, Affine):
        return dict.fromkeys(variables(form).difference(window.extents), 1.0)
    length = 1 + sum(abs(factor) * (window.extents[n] - 1) for n, factor in form.terms if n in window.extents)
    terms = form.substitute(window.starts).terms
    own = {name: min(1.0, abs(factor) * each) for name, factor in terms if name not in window.extents}
    return {name: own.get(name, 1.0) for name in _movers(terms, length, window.moved).difference(window.extents)}


def _movers(terms: Iterable[tuple[str, float]], length: float, moved: Moved) -> frozenset[str]:
    """Variables that move what begins at a form by at least its length, and those that move these."""
    near = {name for name, factor in terms if abs(factor) >= length}
    return frozenset(near).union(*(moved[name] for name in near if name in moved))


def _slopes(index: Index) -> Iterable[tuple[str, float]]:
    """Of variables in a bound."""
    if isinstance(index, IndexValue):
        index = index.form
    if isinstance(index, Affine):
        return index.terms
    if isinstance(index, Op) and index.name == "add":
        return [term for arg in index.args for term in _slopes(arg)]
    if isinstance(index, Op) and index.name == "multiply" and isinstance(index.args[0], Const):
        return [(name, index.args[0].value * factor) for name, factor in _slopes(index.args[1])]
    return ()


def inside(loop: Loop, middles: Middles) -> dict[str, float]:
    """The middles with that of the loop's variable."""
    low, high = (_value(end, middles) for end in loop_bounds(loop))
    return {**middles, loop.var: (low + high - 1) / 2 if low is not None and high is not None else 0.0}


def trips_of(loop: Loop, middles: Middles) -> float:
    """How many iterations the loop has, on average."""
    return _extent(*loop_bounds(loop), middles)


def _extent(start: Index, stop: Index, middles: Middles) -> float:
    if isinstance(stop, Op) and stop.name == "add" and stop.args[0] == start and isinstance(stop.args[1], Const):
        return max(0.0, float(stop.args[1].value))
    low, high = _value(start, middles), _value(stop, middles)
    return UNKNOWN_TRIPS if low is None or high is None else max(0.0, high - low)


def _value(index: Index, middles: Middles) -> float | None:
    """At the middles, for an estimate: no bound. None where it is computed by the program."""
    if isinstance(index, IndexValue):
        index = index.form
    if isinstance(index, Affine):
        if any(name not in middles for name in index.names):
            return None
        return index.const + sum(factor * middles[name] for name, factor in index.terms)
    if isinstance(index, Const):
        return float(index.value)
    if not isinstance(index, Op) or index.name not in _IN_BOUNDS:
        return None
    values = [_value(arg, middles) for arg in index.args]
    known = [value for value in values if value is not None]
    if index.name == "minimum":  # the end of a block, of which only the last is shorter
        return min(known, default=None)
    return float(OPERATIONS[index.name].evaluate(*known)) if len(known) == len(values) else None
