"""What the statements of a body move through memory, and how much else they touch until they touch the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from daad.ccs.sites import loop_bounds
from daad.program.affine import Affine
from daad.program.nodes import Array, Branch, Const, Index, Loop, Nest, Node, Op
from daad.program.walk import loads, variables

UNKNOWN = 16.0
"""Iterations of a loop whose bounds are computed."""

Middles = Mapping[str, float]


@dataclass(frozen=True)
class Touched:
    """Bytes of an array, others where one of the variables `varies` is another."""

    nbytes: float
    varies: frozenset[str]

    def __or__(self, other: Touched) -> Touched:
        return Touched(max(self.nbytes, other.nbytes), self.varies | other.varies)


@dataclass(frozen=True)
class Work:
    """A nest: its points, the elements that it reads or writes at each (none in sums, whose operands stay near), and
    what it touches by array."""

    nest: Nest
    points: float
    accesses: int
    touched: Mapping[str, Touched]


@dataclass(frozen=True)
class Repeated:
    """A loop: its body, run `trips` times."""

    var: str
    trips: float
    body: tuple[Stage, ...]
    touched: Mapping[str, Touched]

    @property
    def nbytes(self) -> float:
        """What an iteration touches."""
        return total(self.body)


@dataclass(frozen=True)
class Either:
    """A branch."""

    sides: tuple[tuple[Stage, ...], ...]
    touched: Mapping[str, Touched]


Stage = Work | Repeated | Either


def stages(body: tuple[Node, ...], arrays: Mapping[str, Array], middles: Middles) -> tuple[Stage, ...]:
    """What the nodes of a body touch, with the variables around at the middle of their ranges."""
    return tuple(_stage(node, arrays, middles) for node in body)


def total(found: Iterable[Stage]) -> float:
    """Bytes that all of them touch together."""
    return sum(t.nbytes for t in _together(found).values())


def _stage(node: Node, arrays: Mapping[str, Array], middles: Middles) -> Stage:
    if isinstance(node, Nest):
        return _of_nest(node, arrays, middles)
    if isinstance(node, Branch):
        sides = tuple(stages(side, arrays, middles) for side in (node.then, node.orelse))
        return Either(sides, _together(s for side in sides for s in side))
    trips, body = trips_of(node, middles), stages(node.body, arrays, inside(node, middles))
    repeated = {name: _times(t, node.var, trips, arrays[name]) for name, t in _together(body).items()}
    return Repeated(node.var, trips, body, repeated)


def _times(touched: Touched, var: str, trips: float, array: Array) -> Touched:
    if var not in touched.varies:
        return touched
    return Touched(min(float(array.nbytes), touched.nbytes * trips), touched.varies - {var})


def _together(found: Iterable[Stage]) -> dict[str, Touched]:
    touched: dict[str, Touched] = {}
    for stage in found:
        for name, each in stage.touched.items():
            touched[name] = touched[name] | each if name in touched else each
    return touched


def _of_nest(nest: Nest, arrays: Mapping[str, Array], middles: Middles) -> Work:
    extents = {r.var: _extent(r.start, r.stop, middles) for r in nest.domain}
    touched: dict[str, Touched] = {}
    accesses = {(a.target.array, a.target.index) for a in nest.assigns}
    accesses |= {(x.array, x.index) for a in nest.assigns for x in loads(a.value)}
    for name, index in accesses:
        if name in arrays:
            each = _access(index, arrays[name], extents)
            touched[name] = touched[name] | each if name in touched else each
    sums = any(not extents.keys() <= frozenset[str]().union(*map(variables, a.target.index)) for a in nest.assigns)
    return Work(nest, prod(extents.values()), 0 if sums else len(accesses), touched)


def _access(index: tuple[Index, ...], array: Array, extents: Mapping[str, float]) -> Touched:
    """One access, for all points of a nest."""
    found = frozenset[str]().union(*map(variables, index))
    size = min(prod(extents[v] for v in found if v in extents), float(array.size))
    return Touched(size * np.dtype(array.dtype).itemsize, found.difference(extents))


def inside(loop: Loop, middles: Middles) -> dict[str, float]:
    """The middles with that of the loop's variable."""
    low, high = (_value(end, middles) for end in loop_bounds(loop))
    return {**middles, loop.var: (low + high - 1) / 2 if low is not None and high is not None else 0.0}


def trips_of(loop: Loop, middles: Middles) -> float:
    """How many iterations the loop has, on average."""
    return _extent(*loop_bounds(loop), middles)


def _extent(start: Index, stop: Index, middles: Middles) -> float:
    low, high = _value(start, middles), _value(stop, middles)
    return UNKNOWN if low is None or high is None else max(0.0, high - low)


def _value(index: Index, middles: Middles) -> float | None:
    if isinstance(index, Op) and index.name == "minimum":  # the end of a block, of which only the last is shorter
        return min((arg.value for arg in index.args if isinstance(arg, Const)), default=None)
    if not isinstance(index, Affine) or any(name not in middles for name in index.names):
        return None
    return index.const + sum(factor * middles[name] for name, factor in index.terms)
