"""How long statements take, roughly: what they move from beyond the cache, what they compute, what they start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from daad.analysis.alias import Place, reads_of
from daad.analysis.cost.machine import CACHE, COMMON, LINE, NEAREST, UNKNOWN_TRIPS
from daad.analysis.cost.operation_cost import nest_work, work
from daad.analysis.sites import loop_bounds
from daad.ir.affine import Affine, span
from daad.ir.memo import remembered
from daad.ir.nodes import Array, Branch, Loop, Nest, Node, Range
from daad.ir.walk import node_loads

FAR = 0.06e-9  # seconds for a byte from beyond the cache
NEAREST_FAR = 0.02e-9  # the same for the cache next to the core
NEXT = 0.03e-9  # the same for nests whose rows do not begin with a line
IN_VECTORS = 0.035e-9  # seconds of an elementary operation on neighbours
OPERATION = 0.06e-9  # the same, with what is around it in a loop along memory
SCATTERED = 4  # times that, in other loops
NEST = 4e-9  # seconds to start a nest
ROW = 2e-9  # seconds to start its innermost loop

Ranges = Mapping[str, tuple[int, int]]
Hull = tuple[tuple[int, int], ...]
"""Smallest and largest index of each axis that some statements touch."""

Hulls = dict[str, Hull]
Terms = tuple[tuple[str, int], ...]
Accesses = Mapping[tuple[str, tuple[Terms | None, ...]], Hull]
"""What differs by constants only, by array and the terms of each index (None where it is no form): the smallest and
largest constants."""


@dataclass(frozen=True)
class _Nest:
    """What does not depend on the variables around a nest: operations at a point, variables along which memory lies."""

    accesses: Accesses
    work: float
    inner: frozenset[str]


@dataclass(frozen=True)
class Windows:
    """Nests, by id, go through one of their variables in windows of `size` values."""

    lanes: Mapping[int, str]
    size: int


@dataclass(frozen=True)
class Traffic:
    """Estimates for statements on arrays; variables of loops around them stand still."""

    arrays: Mapping[str, Array]
    _hulls: dict[tuple[object, ...], tuple[object, Hulls]] = field(default_factory=dict, compare=False, repr=False)
    _alone: dict[int, tuple[Nest, int]] = field(default_factory=dict, compare=False, repr=False)

    def on(self, arrays: Mapping[str, Array]) -> Traffic:
        """The same for statements on other arrays."""
        return self if arrays is self.arrays else Traffic(arrays)

    def seconds(self, body: Sequence[Node]) -> float:
        """The time of some statements, whose arrays are not near at first."""
        return self.moving(body) + self.busy(body)

    def moving(self, body: Sequence[Node]) -> float:
        """Seconds that it takes to move what they touch."""
        return self._moved(body, {}, CACHE) * FAR + self._moved(body, {}, NEAREST) * NEAREST_FAR

    def busy(self, body: Sequence[Node], windows: Windows | None = None) -> float:
        """Seconds that moving nothing would leave, at least that with the nests in windows."""
        return sum(self._busy(node, {}, windows) for node in body)

    def least(self, body: Sequence[Node], near: Collection[str]) -> float:
        """The time of the statements in any order, where the arrays `near` never leave the caches."""
        return self._footprint(body, {}, near) * (FAR + NEAREST_FAR) + self.busy(body)

    def is_near(self, body: Sequence[Node]) -> bool:
        """Whether all that some statements touch stays in the cache."""
        return self.footprint(body) <= CACHE

    def footprint(self, body: Sequence[Node]) -> int:
        """The bytes that some statements touch."""
        return self._footprint(body, {})

    def is_nearest(self, body: Sequence[Node]) -> bool:
        """Whether it stays in the cache next to the core."""
        return self.footprint(body) <= NEAREST

    def overlapped(self, body: Sequence[Nest]) -> float:
        """The time of nests that compute while the cache next to the core is filled, from one that has at first what
        it has room for."""
        total = self._footprint(body, {})
        far = self._moved(body, {}, CACHE) if total > CACHE else 0
        return far * FAR + sum(max(self._touched(nest) * NEXT, self.computing(nest)) for nest in body)

    def overlapped_by_rows(self, body: Sequence[Nest], alive: Mapping[str, int], near: Collection[str]) -> float:
        """The same for nests that go through rows together: `alive` are the bytes of each array that are worked on at a
        time, and there is no more than that of the arrays `near`."""
        total, least = sum(alive.values()), sum(alive[name] for name in near)
        in_cache, beside = (self._footprint(body, {}, near if least <= cache else ()) for cache in (CACHE, NEAREST))
        often = self._moved(body, {}, CACHE)
        far = 0.0 if in_cache <= CACHE else in_cache if total <= CACHE else often
        if CACHE < total <= COMMON:
            far = (in_cache + often) / 2
        moved = beside if total <= NEAREST else self._moved(body, {}, NEAREST)
        return far * FAR + max(moved * NEXT, sum(map(self.computing, body)))

    def computing(self, nest: Nest) -> float:
        """Seconds to compute what a nest does, in vectors where memory lies along its variables."""
        seen = _seen(nest)
        return points_of(nest, {}) * seen.work * IN_VECTORS * (1 if seen.inner else SCATTERED)

    def operations(self, nest: Nest) -> float:
        """Elementary operations and assigns of a nest."""
        return points_of(nest, {}) * nest_work(nest)

    def _moved(self, body: Sequence[Node], ranges: Ranges, cache: int) -> float:
        total = self._footprint(body, ranges)
        return total if total <= cache else sum(self._moved_by(node, ranges, cache) for node in body)

    def _moved_by(self, node: Node, ranges: Ranges, cache: int) -> float:
        if isinstance(node, Nest):
            return sum(self._bytes(name, hull) for name, hull in self._nest_hulls(node, ranges).items())
        if isinstance(node, Branch):
            return max(self._moved(side, ranges, cache) for side in (node.then, node.orelse))
        low, high = iterations(node, ranges)
        middle = {**ranges, node.var: ((low + high) // 2,) * 2}
        if self._footprint(node.body, middle) <= cache:
            return self._footprint(node.body, {**ranges, node.var: (low, high)})
        return max(0, high - low + 1) * self._moved(node.body, middle, cache)

    def _footprint(self, body: Sequence[Node], ranges: Ranges, near: Collection[str] = ()) -> int:
        hulls = self._body_hulls(body, ranges)
        return sum(self._bytes(name, hull) for name, hull in hulls.items() if name not in near)

    def _body_hulls(self, body: Sequence[Node], ranges: Ranges) -> Hulls:
        body = tuple(body)  # a list may change
        key = (id(body), *ranges.items())
        if key not in self._hulls:
            hulls: Hulls = {}
            for node in body:
                _join(hulls, self._node_hulls(node, ranges))
            self._hulls[key] = body, hulls  # with the body, so that its id stays its own
        return self._hulls[key][1]

    def _node_hulls(self, node: Node, ranges: Ranges) -> Hulls:
        if isinstance(node, Nest):
            return self._nest_hulls(node, ranges)
        hulls: Hulls = {}
        for load in node_loads(node):
            forms = tuple(i.terms if isinstance(i, Affine) else None for i in load.index)
            _join(hulls, {load.array: self._hull(load.array, forms, _constants(load), ranges)})
        if isinstance(node, Loop):
            return _join(hulls, self._body_hulls(node.body, {**ranges, node.var: iterations(node, ranges)}))
        for side in (node.then, node.orelse):
            _join(hulls, self._body_hulls(side, ranges))
        return hulls

    def _nest_hulls(self, nest: Nest, ranges: Ranges) -> Hulls:
        key = (id(nest), *ranges.items())
        if key not in self._hulls:
            inner = {**ranges, **{r.var: _range(r, ranges) for r in nest.domain}}
            hulls: Hulls = {}
            for (name, forms), constants in _seen(nest).accesses.items():
                _join(hulls, {name: self._hull(name, forms, constants, inner)})
            self._hulls[key] = nest, hulls
        return self._hulls[key][1]

    def _hull(self, name: str, forms: Sequence[Terms | None], constants: Hull, ranges: Ranges) -> Hull:
        shape = self.arrays[name].shape
        return tuple([_side(f, c, ranges, n) for f, c, n in zip(forms, constants, shape, strict=True)])

    def _touched(self, nest: Nest) -> int:
        """The bytes of what a nest touches."""
        if id(nest) not in self._alone:
            hulls = self._nest_hulls(nest, {})
            self._alone[id(nest)] = nest, sum(self._bytes(name, hull) for name, hull in hulls.items())
        return self._alone[id(nest)][1]

    def _bytes(self, name: str, hull: Hull) -> int:
        array = self.arrays[name]
        size = np.dtype(array.dtype).itemsize
        counts = [last - first + 1 for first, last in hull]
        if not counts:
            return size
        return min(prod(counts[:-1]) * _lines(counts[-1] * size), _lines(prod(array.shape) * size))

    def _busy(self, node: Node, ranges: Ranges, windows: Windows | None) -> float:
        if isinstance(node, Branch):
            return max(sum(self._busy(n, ranges, windows) for n in side) for side in (node.then, node.orelse))
        if isinstance(node, Loop):
            low, high = iterations(node, ranges)
            middle = {**ranges, node.var: ((low + high) // 2,) * 2}
            return max(0, high - low + 1) * sum(self._busy(n, middle, windows) for n in node.body)
        extents = {r.var: _extent(r, ranges) for r in node.domain}
        points, seen, starts = prod(extents.values()), _seen(node), 1
        if windows and (var := windows.lanes.get(id(node))) in extents:
            starts = -(-extents[var] // windows.size)
            extents[var] = min(extents[var], windows.size)
        inner = seen.inner if not windows or windows.size > 1 else extents
        row = max((extents[var] for var in inner), default=max(extents.values(), default=1))
        each = seen.work * OPERATION * (1 if inner else SCATTERED)
        return starts * NEST + points * each + points / max(1, row) * ROW


def _join(hulls: Hulls, more: Hulls) -> Hulls:
    """The first with what the second has beyond it."""
    for name, hull in more.items():
        known = hulls.get(name)
        hulls[name] = hull if known is None or known == hull else _union(known, hull)
    return hulls


@remembered
def _seen(nest: Nest) -> _Nest:
    places: list[Place] = [a.target for a in nest.assigns]
    places += [load for a in nest.assigns for load in reads_of(a)]
    accesses: dict[tuple[str, tuple[Terms | None, ...]], Hull] = {}
    for place in places:
        key = place.array, tuple([i.terms if isinstance(i, Affine) else None for i in place.index])
        constants = _constants(place)
        accesses[key] = _union(accesses[key], constants) if key in accesses else constants
    inner = frozenset(_along_memory(nest, places))
    return _Nest(accesses, sum(work(a.value) + 1 for a in nest.assigns), inner)


def _constants(place: Place) -> Hull:
    return tuple([(i.const, i.const) if isinstance(i, Affine) else (0, 0) for i in place.index])


def _side(terms: Terms | None, constants: tuple[int, int], ranges: Ranges, extent: int) -> tuple[int, int]:
    if terms is None:
        return 0, extent - 1
    low, high = span(terms, ranges)
    if high - low >= extent:
        high = low + extent - 1
    return low + constants[0], high + constants[1]


def _union(a: Hull, b: Hull) -> Hull:
    return tuple([(min(x[0], y[0]), max(x[1], y[1])) for x, y in zip(a, b, strict=True)])


def _lines(nbytes: int) -> int:
    return -(-nbytes // LINE) * LINE


def _interval(form: Affine, ranges: Ranges) -> tuple[int, int]:
    """Its smallest and largest value, where names without a range are 0: for an estimate, no bound."""
    low, high = span(form.terms, ranges)
    return form.const + low, form.const + high


def _range(r: Range, ranges: Ranges) -> tuple[int, int]:
    low = _interval(r.start, ranges)[0]
    return low, max(low, _interval(r.stop, ranges)[1] - 1)


def _extent(r: Range, ranges: Ranges) -> int:
    """Its iterations on average."""
    return max(0, sum(_interval(r.width, ranges)) // 2)


def points_of(nest: Nest, ranges: Ranges) -> int:
    """How many points a nest has, on average."""
    return prod(_extent(r, ranges) for r in nest.domain)


def iterations(loop: Loop, ranges: Ranges) -> tuple[int, int]:
    """The smallest and the largest value, whatever the direction."""
    low, high = loop_bounds(loop)
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return 0, UNKNOWN_TRIPS - 1
    first = _interval(low, ranges)[0]
    return first, max(first, _interval(high, ranges)[1] - 1)


def _along_memory(nest: Nest, places: Sequence[Place]) -> set[str]:
    """Variables of the domain along which most accesses are of neighbours or of one element."""
    near, moving = dict.fromkeys([r.var for r in nest.domain], 0), 0
    for place in places if near else ():
        steps = [dict(i.terms) if isinstance(i, Affine) else None for i in place.index]
        if not any(step and not near.keys().isdisjoint(step) for step in steps):
            continue
        moving += 1
        last, outer = steps[-1], [step for step in steps[:-1] if step is not None]
        if last is None or len(outer) + 1 < len(steps):
            continue
        for var in near:
            near[var] += abs(last.get(var, 0)) <= 1 and not any(var in step for step in outer)
    return {var for var, count in near.items() if 2 * count > moving}
