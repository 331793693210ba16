"""Local arrays lie in memory the way that loops run through them: the index that moves fastest comes last.

    program f(x: float64[900], y: float64[900])
      local t: float64[900, 900]
      for i in 0 .. 900:  t[i, 0] = x[i]
      loop k = 1 .. 900:
        for i in 0 .. 900:  t[i, k] = t[i, k - 1] * x[i]
      for i in 0 .. 900:  y[i] = t[i, 899]

becomes

    program f(x: float64[900], y: float64[900])
      local t: float64[900, 900]
      for i in 0 .. 900:  t[0, i] = x[i]
      loop k = 1 .. 900:
        for i in 0 .. 900:  t[k, i] = t[k - 1, i] * x[i]
      for i in 0 .. 900:  y[i] = t[899, i]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from daad.analysis.alias import Place, reads_of
from daad.analysis.cost.execution_time import Ranges, iterations, points_of
from daad.analysis.matrix_products import multiplies
from daad.analysis.subscripts import subscript
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Branch, Nest, Node, Program
from daad.ir.walk import nests, reindexed, variables
from daad.passes.definition import Pass

Part = TypeVar("Part")
LEAST_BYTES = 2**14  # what is smaller stays near the core anyway
CLEAR = 2  # times more points must run along the other axis


PASS = Pass(
    "data-layout",
    lambda program, goal: lay_out(program, goal.live),
    "The index that moves fastest comes last in local arrays.",
    source="Kandemir et al. 1999",
)


def lay_out(program: Program, live: frozenset[str]) -> Program:
    """The program with axes of local arrays moved to the end; `live` arrays are seen from outside."""
    movable = _movable(program, live)
    if not movable:
        return program
    votes = {name: Counter[int]() for name in movable}
    for nest, times in _executions(program.body, {}, 1):
        var = fastest(nest, movable)
        for place in accesses(nest):
            axis = axis_of(place, var) if place.array in movable else None
            if axis is not None:
                votes[place.array][axis] += times
    moved = {name: axis for name in sorted(movable) if (axis := _chosen(program.arrays[name], votes[name])) is not None}
    return _with_moved(program, moved) if moved else program


def _movable(program: Program, live: frozenset[str]) -> frozenset[str]:
    """Large local arrays that are in no product: those are BLAS's."""
    factors = {place.array for nest in nests(program.body) if multiplies(nest) for place in accesses(nest)}
    hidden = Usage(program, live).hidden - factors
    arrays = (program.arrays[name] for name in hidden)
    return frozenset(a.name for a in arrays if len(a.shape) > 1 and not a.extents and a.nbytes >= LEAST_BYTES)


def _executions(body: Iterable[Node], ranges: Ranges, times: int) -> Iterator[tuple[Nest, int]]:
    """Every nest, and how many points it has altogether."""
    for node in body:
        if isinstance(node, Nest):
            yield node, times * points_of(node, ranges)
        elif isinstance(node, Branch):
            yield from _executions((*node.then, *node.orelse), ranges, times)
        else:
            low, high = iterations(node, ranges)
            inner = {**ranges, node.var: ((low + high) // 2,) * 2}
            yield from _executions(node.body, inner, times * (high - low + 1))


def accesses(nest: Nest) -> Iterator[Place]:
    for assign in nest.assigns:
        yield assign.target
        yield from reads_of(assign)


def fastest(nest: Nest, movable: frozenset[str]) -> str:
    """The variable along which most that cannot be moved is contiguous; if nothing is, most of everything."""
    places = [place for place in accesses(nest) if place.index]
    fixed = [place for place in places if place.array not in movable]
    names = [r.var for r in nest.domain]
    for among in (fixed, places):
        if any(_is_contiguous(place, name) for place in among for name in names):
            return max(reversed(names), key=lambda name: sum(_ease(place, name) for place in among))
    return names[-1] if names else ""


def _is_contiguous(place: Place, name: str) -> bool:
    return axis_of(place, name) == len(place.index) - 1


def _ease(place: Place, name: str) -> float:
    """How well an access goes with a loop over the variable: along memory, at one element, or from line to line."""
    if _is_contiguous(place, name):
        return 1.0
    return -1.0 if any(name in variables(form) for form in place.index) else 0.5


def axis_of(place: Place, name: str) -> int | None:
    """The one axis along which the variable steps from element to element."""
    moving = [axis for axis, form in enumerate(place.index) if isinstance(form, Affine) and form.coefficient(name)]
    if len(moving) != 1:
        return None
    return None if subscript(place.index[moving[0]], {name}) is None else moving[0]


def _chosen(array: Array, votes: Counter[int]) -> int | None:
    """The axis that goes to the end, None if they stay."""
    if not votes:
        return None
    last = len(array.shape) - 1
    best = max(sorted(votes), key=lambda axis: votes[axis])
    return best if best != last and votes[best] > CLEAR * votes[last] else None


def _with_moved(program: Program, moved: Mapping[str, int]) -> Program:
    changes = {name: partial(_to_end, axis=axis) for name, axis in moved.items()}
    body = tuple(reindexed(node, changes) for node in program.body)
    shapes = {n: replace(a, shape=_to_end(a.shape, moved[n])) if n in moved else a for n, a in program.arrays.items()}
    return replace(program, body=body, arrays=shapes)


def _to_end(parts: Sequence[Part], axis: int) -> tuple[Part, ...]:
    return (*parts[:axis], *parts[axis + 1 :], parts[axis])
