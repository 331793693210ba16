"""How long statements take, roughly: what they move from beyond the cache, what they compute, what they start."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from daad.ccs.sites import loop_bounds
from daad.optimize.cost import work
from daad.optimize.places import Place, reads_of
from daad.program.affine import Affine
from daad.program.nodes import Array, Branch, Index, Loop, Nest, Node, Range
from daad.program.walk import node_loads

CACHE = 3 * 2**18
"""Bytes near a core that a stretch of a program may count on."""

COMMON = 2**23
"""The same for the cache that cores have in common, from which a byte takes half the time."""

LINE = 64  # bytes that move together
FAR = 0.06e-9  # seconds for a byte from beyond the cache
FIRST, FIRST_FAR = 2**15, 0.02e-9  # the same for the cache next to the core
NEXT = 0.03e-9  # the same for nests whose rows do not begin with a line
IN_VECTORS = 0.035e-9  # seconds of an elementary operation on neighbours
OPERATION = 0.06e-9  # the same, with what is around it in a loop along memory
SCATTERED = 4  # times that, in other loops
NEST = 4e-9  # seconds to start a nest
ROW = 2e-9  # seconds to start its innermost loop
UNKNOWN = 16  # iterations of a loop whose bounds are computed

Ranges = Mapping[str, tuple[int, int]]
Known = tuple[int, tuple[tuple[str, tuple[int, int]], ...]]
Hull = tuple[tuple[int, int], ...]
"""Smallest and largest index of each axis that some statements touch."""


@dataclass(frozen=True)
class Traffic:
    """Estimates for statements on arrays; variables of loops around them stand still."""

    arrays: Mapping[str, Array]
    _hulls: dict[Known, tuple[Node, dict[str, Hull]]] = field(default_factory=dict, compare=False, repr=False)

    def seconds(self, body: Sequence[Node]) -> float:
        """The time of some statements, whose arrays are not near at first."""
        moved = self._moved(body, {}, CACHE) * FAR + self._moved(body, {}, FIRST) * FIRST_FAR
        return moved + sum(self._busy(node, {}) for node in body)

    def least(self, body: Sequence[Node], near: Collection[str]) -> float:
        """The time of the statements in any order, where the arrays `near` never leave the caches."""
        moved = self._footprint(body, {}, near)
        return moved * (FAR + FIRST_FAR) + sum(self._busy(node, {}) for node in body)

    def is_near(self, body: Sequence[Node]) -> bool:
        """Whether all that some statements touch stays in the cache."""
        return self._footprint(body, {}) <= CACHE

    def is_nearest(self, body: Sequence[Node]) -> bool:
        """Whether it stays in the cache next to the core."""
        return self._footprint(body, {}) <= FIRST

    def overlapped(self, body: Sequence[Nest]) -> float:
        """The time of nests that compute while the cache next to the core is filled, from one that has at first what
        it has room for."""
        total = self._footprint(body, {})
        far = self._moved(body, {}, CACHE) if total > CACHE else 0
        each = (max(self._footprint((nest,), {}) * NEXT, self._vectors(nest)) for nest in body)
        return far * FAR + sum(each)

    def overlapped_by_rows(self, body: Sequence[Nest], alive: Mapping[str, int], near: Collection[str]) -> float:
        """The same for nests that go through rows together: `alive` are the bytes of each array that are worked on at a
        time, and there is no more than that of the arrays `near`."""
        total, least = sum(alive.values()), sum(alive[name] for name in near)
        in_cache, beside = (self._footprint(body, {}, near if least <= cache else ()) for cache in (CACHE, FIRST))
        often = self._moved(body, {}, CACHE)
        far = 0.0 if in_cache <= CACHE else in_cache if total <= CACHE else often
        if CACHE < total <= COMMON:
            far = (in_cache + often) / 2
        moved = beside if total <= FIRST else self._moved(body, {}, FIRST)
        return far * FAR + max(moved * NEXT, sum(map(self._vectors, body)))

    def _vectors(self, nest: Nest) -> float:
        """Seconds to compute."""
        each = sum(work(a.value) + 1 for a in nest.assigns) * IN_VECTORS
        return points_of(nest, {}) * each * (1 if _along_memory(nest) else SCATTERED)

    def _moved(self, body: Sequence[Node], ranges: Ranges, cache: int) -> float:
        total = self._footprint(body, ranges)
        return total if total <= cache else sum(self._moved_by(node, ranges, cache) for node in body)

    def _moved_by(self, node: Node, ranges: Ranges, cache: int) -> float:
        if isinstance(node, Nest):
            return self._footprint((node,), ranges)
        if isinstance(node, Branch):
            return max(self._moved(side, ranges, cache) for side in (node.then, node.orelse))
        low, high = iterations(node, ranges)
        middle = {**ranges, node.var: ((low + high) // 2,) * 2}
        if self._footprint(node.body, middle) <= cache:
            return self._footprint(node.body, {**ranges, node.var: (low, high)})
        return max(0, high - low + 1) * self._moved(node.body, middle, cache)

    def _footprint(self, body: Sequence[Node], ranges: Ranges, near: Collection[str] = ()) -> int:
        hulls: dict[str, Hull] = {}
        for node in body:
            for name, hull in self._node_hulls(node, ranges).items():
                hulls[name] = _union(hulls[name], hull) if name in hulls else hull
        return sum(self._bytes(name, hull) for name, hull in hulls.items() if name not in near)

    def _node_hulls(self, node: Node, ranges: Ranges) -> dict[str, Hull]:
        key = (id(node), tuple(sorted(ranges.items())))
        if key not in self._hulls:
            hulls: dict[str, Hull] = {}
            for place, around in _places(node, ranges):
                hull = _hull(place.index, around, self.arrays[place.array].shape)
                hulls[place.array] = _union(hulls[place.array], hull) if place.array in hulls else hull
            self._hulls[key] = node, hulls  # with the node, so that its id stays its own
        return self._hulls[key][1]

    def _bytes(self, name: str, hull: Hull) -> int:
        array = self.arrays[name]
        size = np.dtype(array.dtype).itemsize
        counts = [last - first + 1 for first, last in hull]
        if not counts:
            return size
        return min(prod(counts[:-1]) * _lines(counts[-1] * size), _lines(prod(array.shape) * size))

    def _busy(self, node: Node, ranges: Ranges) -> float:
        """Seconds that moving nothing would leave."""
        if isinstance(node, Branch):
            return max(sum(self._busy(n, ranges) for n in side) for side in (node.then, node.orelse))
        if isinstance(node, Loop):
            low, high = iterations(node, ranges)
            middle = {**ranges, node.var: ((low + high) // 2,) * 2}
            return max(0, high - low + 1) * sum(self._busy(n, middle) for n in node.body)
        extents = {r.var: _extent(r, ranges) for r in node.domain}
        points, inner = points_of(node, ranges), _along_memory(node)
        row = max((extents[var] for var in inner), default=max(extents.values(), default=1))
        each = sum(work(a.value) + 1 for a in node.assigns) * OPERATION * (1 if inner else SCATTERED)
        return NEST + points * each + points / max(1, row) * ROW


def _places(node: Node, ranges: Ranges) -> Iterator[tuple[Place, Ranges]]:
    """All accesses of a node, with the ranges of the variables around."""
    if isinstance(node, Nest):
        inner = {**ranges, **{r.var: _range(r, ranges) for r in node.domain}}
        for assign in node.assigns:
            yield assign.target, inner
            yield from ((load, inner) for load in reads_of(assign))
        return
    yield from ((load, ranges) for load in node_loads(node))
    inside = node.body if isinstance(node, Loop) else (*node.then, *node.orelse)
    around = {**ranges, node.var: iterations(node, ranges)} if isinstance(node, Loop) else ranges
    for child in inside:
        yield from _places(child, around)


def _hull(index: Sequence[Index], ranges: Ranges, shape: Sequence[int]) -> Hull:
    return tuple(_side(form, ranges, extent) for form, extent in zip(index, shape, strict=True))


def _side(form: Index, ranges: Ranges, extent: int) -> tuple[int, int]:
    if not isinstance(form, Affine):
        return 0, extent - 1
    known = _interval(form, ranges)
    return known if known[1] - known[0] < extent else (known[0], known[0] + extent - 1)


def _union(a: Hull, b: Hull) -> Hull:
    return tuple((min(x[0], y[0]), max(x[1], y[1])) for x, y in zip(a, b, strict=True))


def _lines(nbytes: int) -> int:
    return -(-nbytes // LINE) * LINE


def _interval(form: Affine, ranges: Ranges) -> tuple[int, int]:
    """Its smallest and largest value, where names without a range are 0."""
    low = high = form.const
    for name, coefficient in form.terms:
        first, last = ranges.get(name, (0, 0))
        low += coefficient * (first if coefficient > 0 else last)
        high += coefficient * (last if coefficient > 0 else first)
    return low, high


def _range(r: Range, ranges: Ranges) -> tuple[int, int]:
    low = _interval(r.start, ranges)[0]
    return low, max(low, _interval(r.stop, ranges)[1] - 1)


def _extent(r: Range, ranges: Ranges) -> int:
    """Its iterations on average."""
    return max(0, sum(_interval(r.stop - r.start, ranges)) // 2)


def points_of(nest: Nest, ranges: Ranges) -> int:
    """How many points a nest has, on average."""
    return prod(_extent(r, ranges) for r in nest.domain)


def iterations(loop: Loop, ranges: Ranges) -> tuple[int, int]:
    """The smallest and the largest value, whatever the direction."""
    low, high = loop_bounds(loop)
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return 0, UNKNOWN - 1
    first = _interval(low, ranges)[0]
    return first, max(first, _interval(high, ranges)[1] - 1)


def _along_memory(nest: Nest) -> set[str]:
    """Variables of the domain along which most accesses are of neighbours or of one element."""
    places: list[Place] = [a.target for a in nest.assigns]
    places += [load for a in nest.assigns for load in reads_of(a)]
    own = {r.var for r in nest.domain}
    moving = [p for p in places if any(isinstance(i, Affine) and own & set(i.names) for i in p.index)]
    return {var for var in own if 2 * sum(_is_near(p, var) for p in moving) > len(moving)}


def _is_near(place: Place, var: str) -> bool:
    *outer, last = place.index
    far = any(not isinstance(i, Affine) or i.coefficient(var) for i in outer)
    return not far and isinstance(last, Affine) and abs(last.coefficient(var)) <= 1
