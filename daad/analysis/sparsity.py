"""Which elements of the outputs may depend on which elements of the inputs: sets of columns for each element of each
array, carried through the program by its access functions alone; nothing is evaluated but indices.

What is found is enough: where an index is not known, or which side of a branch is taken, all that could be counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np

from daad.errors import IndexOutside
from daad.ir.interpreter import Evaluation
from daad.ir.nodes import Access, Array, Assign, Branch, Index, Load, Loop, Nest, Node, Program
from daad.ir.walk import loads, nests, variables
from daad.runtime.lazy_import import later

sparse: Any = later("scipy.sparse")

MOST = 20_000
"""Executions of statements that are followed one by one; in longer loops all iterations count at once."""
Columns = Any
"""A matrix of booleans in compressed rows: of each element of an array, the elements of the inputs that count."""
State = Mapping[str, Columns]


def pattern(program: Program, inputs: Sequence[str], outputs: Sequence[str], known: Mapping[str, Any]) -> Columns:
    """One row for each element of the outputs, one column for each of the inputs; `known` are the values of arrays of
    integers that the program only reads, and of its integer parameters."""
    sizes = [prod(program.arrays[name].shape) for name in inputs]
    starts = np.cumsum([0, *sizes])
    whole = sum(sizes)
    state = {
        name: sparse.csr_array((np.ones(size, bool), (np.arange(size), start + np.arange(size))), shape=(size, whole))
        for name, size, start in zip(inputs, sizes, starts, strict=False)
    }
    arrays = {name: value for name, value in known.items() if name in program.arrays}
    values = {name: int(known[name]) for name in program.integers if name in known}
    flow = _Flow(program, arrays, whole)
    found = flow.body(program.body, state, values)
    rows = [found.get(name, flow.nothing(name)) for name in outputs]
    return _tidy(sparse.vstack(rows, format="csr", dtype=bool))


def _tidy(columns: Columns) -> Columns:
    columns.sum_duplicates()
    columns.sort_indices()
    return columns


@dataclass(frozen=True)
class Rows:
    """Where an access goes: for each point the place along the axes that are known, and how these lie in the array."""

    places: np.ndarray
    is_inside: np.ndarray
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def is_exact(self) -> bool:
        return len(self.axes) == len(self.shape)

    @cached_property
    def fold(self) -> Columns:
        """From all elements to places along the known axes."""
        kept = [self.shape[axis] for axis in self.axes]
        grids, size = np.indices(self.shape).reshape(len(self.shape), -1), prod(self.shape)
        place = np.ravel_multi_index([grids[axis] for axis in self.axes], kept) if kept else np.zeros(size, np.int64)
        return sparse.csr_array((np.ones(size, bool), (place, np.arange(size))), shape=(prod(kept), size))


@dataclass(frozen=True)
class _Flow:
    program: Program
    arrays: Mapping[str, np.ndarray]
    whole: int

    def nothing(self, name: str) -> Columns:
        return sparse.csr_array((prod(self.program.arrays[name].shape), self.whole), dtype=bool)

    def body(self, body: tuple[Node, ...], state: State, values: Mapping[str, int]) -> State:
        for node in body:
            if isinstance(node, Nest):
                state = self.nest(node, state, values)
            elif isinstance(node, Loop):
                state = self.loop(node, state, values)
            else:
                state = self.branch(node, state, values)
        return state

    def branch(self, node: Branch, state: State, values: Mapping[str, int]) -> State:
        return self.union(self.body(node.then, state, values), self.body(node.orelse, state, values))

    def loop(self, loop: Loop, state: State, values: Mapping[str, int]) -> State:
        ends = [self.number(end, values) for end in (loop.start, loop.stop)]
        if ends[0] is not None and ends[1] is not None:
            trips = range(ends[0], ends[1], loop.step)
            if len(trips) * sum(1 for _ in nests(loop.body)) <= MOST:
                return self.iterations(loop, trips, state, values)
        return self.any_iterations(loop, state, values)

    def iterations(self, loop: Loop, trips: range, state: State, values: Mapping[str, int]) -> State:
        """One after the other, until nothing changes any more and the variable does not count."""
        is_used = any(loop.var in variables(index) for index in _indices(loop.body))
        for value in trips:
            before = state
            state = self.body(loop.body, state, {**values, loop.var: value})
            if not is_used and _are_equal(before, state):
                break
        return state

    def any_iterations(self, loop: Loop, state: State, values: Mapping[str, int]) -> State:
        """Any number of them, the variable being anything."""
        outer = {name: value for name, value in values.items() if name != loop.var}
        while True:
            wider = self.union(state, self.body(loop.body, state, outer))
            if _are_equal(wider, state):
                return state
            state = wider

    def number(self, index: Index, values: Mapping[str, int]) -> int | None:
        found = self.values(index, Evaluation(self.arrays, dict(values)), values)
        return None if found is None else int(found)

    def union(self, a: State, b: State) -> State:
        found = dict(a)
        for name, columns in b.items():
            if name not in found:
                found[name] = columns
            elif found[name] is not columns:
                found[name] = _tidy(found[name] + columns)
        return found

    def nest(self, nest: Nest, state: State, values: Mapping[str, int]) -> State:
        points = self.points(nest, values)
        if points is None:
            return state
        found = dict(state)
        for assign in nest.assigns:
            array = self.program.arrays[assign.target.array]
            if np.dtype(array.dtype).kind == "f":
                self.assign(assign, array, found, points)
        return found

    def points(self, nest: Nest, values: Mapping[str, int]) -> dict[str, Any] | None:
        """The variables whose values are known, with one number for each point; None where there is no point."""
        axes: dict[str, np.ndarray] = {}
        for each in nest.domain:
            ends = [self.number(end, values) for end in (each.start, each.stop)]
            if ends[0] is None or ends[1] is None:
                continue
            axes[each.var] = np.arange(ends[0], ends[1])
        if any(axis.size == 0 for axis in axes.values()):
            return None
        grids = np.meshgrid(*axes.values(), indexing="ij")
        return {**values, **{name: grid.ravel() for name, grid in zip(axes, grids, strict=True)}}

    def assign(self, assign: Assign, array: Array, state: dict[str, Columns], points: Mapping[str, Any]) -> None:
        count = max((p.size for p in points.values() if isinstance(p, np.ndarray)), default=1)
        target = self.rows(assign.target, array.shape, points, count)
        height = target.fold.shape[0] if not target.is_exact else prod(array.shape)
        terms = []
        for load in _float_loads(assign):
            if load.array not in state:
                continue
            source = self.rows(load, self.program.arrays[load.array].shape, points, count)
            columns = state[load.array] if source.is_exact else source.fold @ state[load.array]
            is_pair = target.is_inside & source.is_inside
            pairs = target.places[is_pair], source.places[is_pair]
            shape = (height, columns.shape[0])
            terms.append(sparse.csr_array((np.ones(pairs[0].size, bool), pairs), shape=shape) @ columns)
        added = reduce(lambda a, b: a + b, terms) if terms else None
        if added is not None and not target.is_exact:
            added = target.fold.T.tocsr() @ added
        name = assign.target.array
        kept = self.kept(assign, target, state.get(name))
        if kept is None and added is None:
            state.pop(name, None)
        else:
            state[name] = _tidy(added if kept is None else kept if added is None else kept + added)

    def kept(self, assign: Assign, target: Rows, before: Columns | None) -> Columns | None:
        """What the target depended on and goes on to depend on."""
        if before is None or assign.op != "=" or not target.is_exact:
            return before
        left = np.ones(before.shape[0], bool)
        left[target.places[target.is_inside]] = False
        if not left.any():
            return None
        return sparse.csr_array(sparse.diags_array(left, dtype=bool) @ before)

    def rows(self, place: Access | Load, shape: tuple[int, ...], points: Mapping[str, Any], count: int) -> Rows:
        evaluation = Evaluation(self.arrays, dict(points))
        axes: list[int] = []
        along: list[np.ndarray] = []
        is_inside = np.ones(count, bool)
        for axis, index in enumerate(place.index):
            values = self.values(index, evaluation, points)
            if values is None:
                continue
            full = np.broadcast_to(np.asarray(values, np.int64), (count,))
            is_inside &= (full >= 0) & (full < shape[axis])
            axes.append(axis)
            along.append(np.clip(full, 0, max(shape[axis] - 1, 0)))
        kept = [shape[axis] for axis in axes]
        places = np.ravel_multi_index(along, kept) if axes else np.zeros(count, np.int64)
        return Rows(places, is_inside, tuple(axes), shape)

    def values(self, index: Index, evaluation: Evaluation, points: Mapping[str, Any]) -> Any:
        """Of an index at all points; None where they are not known."""
        if not set(variables(index)) <= points.keys() or any(x.array not in self.arrays for x in loads(index)):
            return None
        try:
            with np.errstate(all="ignore"):
                return evaluation.index(index)
        except IndexOutside:
            return None


def _float_loads(assign: Assign) -> list[Load]:
    return [load for load in loads(assign.value) if np.dtype(load.dtype).kind == "f"]


def _indices(body: tuple[Node, ...]) -> list[Index]:
    """All indices and bounds of a body."""
    found: list[Index] = []
    for node in body:
        if isinstance(node, Nest):
            found += [end for each in node.domain for end in (each.start, each.stop)]
            found += [index for a in node.assigns for index in a.target.index]
            found += [index for a in node.assigns for load in loads(a.value) for index in load.index]
        elif isinstance(node, Loop):
            found += [node.start, node.stop, *_indices(node.body)]
        elif isinstance(node, Branch):
            found += _indices((*node.then, *node.orelse))
    return found


def _are_equal(a: State, b: State) -> bool:
    return a.keys() == b.keys() and all(_is_same(a[name], b[name]) for name in a)


def _is_same(a: Columns, b: Columns) -> bool:
    return a is b or (a.nnz == b.nnz and np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices))
