"""How long statements take, roughly: what the plan weighs against memory.

The constants are fitted to the plans of some programs of `benchmarks/memory.py` on two cores; only ratios matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from daad.ccs.sites import loop_bounds
from daad.optimize.cost import work
from daad.program.affine import Affine
from daad.program.nodes import Array, Assign, Branch, Const, Index, Loop, Nest, Node, Op
from daad.program.walk import loads

OPERATION = 0.009e-9
"""Seconds of an elementary operation in a vectorised nest, for each byte of its result."""

TRANSFER = ((2**20, 0.005e-9), (2**25, 0.01e-9))
"""Seconds to read or write a byte of an array up to that size, which the caches hold."""

FAR = 0.025e-9
"""Seconds to read or write a byte of a larger array, in memory that the process has used before."""

STATEMENT = 0.5e-6
"""Seconds that any statement takes."""

CALL = 1e-6
"""Seconds that a call takes at least."""

UNKNOWN = 16.0
"""Iterations of a loop whose bounds are computed."""

Middles = Mapping[str, float]


def seconds(body: tuple[Node, ...], arrays: Mapping[str, Array], middles: Middles) -> float:
    """The time of a body once, with the variables around at the middle of their ranges."""
    return _total(body, middles, lambda nest, inner: _nest_seconds(nest, arrays, inner))


def operations(body: tuple[Node, ...], middles: Middles) -> float:
    """The elementary operations of a body."""
    return _total(body, middles, lambda nest, inner: _points(nest, inner) * sum(map(_work, nest.assigns)))


def _total(body: tuple[Node, ...], middles: Middles, of_nest: Callable[[Nest, Middles], float]) -> float:
    return sum(_of_node(node, middles, of_nest) for node in body)


def _of_node(node: Node, middles: Middles, of_nest: Callable[[Nest, Middles], float]) -> float:
    if isinstance(node, Loop):
        trips = trips_of(node, middles)
        return trips * _total(node.body, inside(node, middles), of_nest) if trips else 0.0
    if isinstance(node, Branch):
        return max(_total(side, middles, of_nest) for side in (node.then, node.orelse))
    return of_nest(node, middles)


def inside(loop: Loop, middles: Middles) -> dict[str, float]:
    """The middles with that of the loop's variable."""
    low, high = (_value(end, middles) for end in loop_bounds(loop))
    return {**middles, loop.var: (low + high - 1) / 2 if low is not None and high is not None else 0.0}


def trips_of(loop: Loop, middles: Middles) -> float:
    """How many iterations the loop has, on average."""
    low, high = (_value(end, middles) for end in loop_bounds(loop))
    return UNKNOWN if low is None or high is None else max(0.0, high - low)


def _value(index: Index, middles: Middles) -> float | None:
    if isinstance(index, Op) and index.name == "minimum":  # the end of a block, of which only the last is shorter
        return min((arg.value for arg in index.args if isinstance(arg, Const)), default=None)
    if not isinstance(index, Affine) or any(name not in middles for name in index.names):
        return None
    return index.const + sum(factor * middles[name] for name, factor in index.terms)


def _nest_seconds(nest: Nest, arrays: Mapping[str, Array], middles: Middles) -> float:
    sizes = [np.dtype(arrays[a.target.array].dtype).itemsize if a.target.array in arrays else 8 for a in nest.assigns]
    each = sum(size * _work(a) for size, a in zip(sizes, nest.assigns, strict=True)) * OPERATION
    touched = {a.target.array for a in nest.assigns} | {x.array for a in nest.assigns for x in loads(a.value)}
    moved = sum(_transfer(arrays[name]) for name in touched if name in arrays)
    return STATEMENT + _points(nest, middles) * (each + moved)


def _points(nest: Nest, middles: Middles) -> float:
    points = 1.0
    for r in nest.domain:
        low, high = _value(r.start, middles), _value(r.stop, middles)
        points *= UNKNOWN if low is None or high is None else max(0.0, high - low)
    return points


def _work(assign: Assign) -> float:
    return work(assign.value) + (assign.op != "=")


def _transfer(array: Array) -> float:
    """Seconds to move one element."""
    return np.dtype(array.dtype).itemsize * _byte(array.nbytes)


def _byte(nbytes: float) -> float:
    return next((cost for size, cost in TRANSFER if nbytes <= size), FAR)


def copy_seconds(nbytes: float, array: float = 0) -> float:
    """Seconds to write bytes of an array (of that many bytes altogether) once and read them once."""
    return 2 * nbytes * _byte(max(nbytes, array))
