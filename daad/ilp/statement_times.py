"""How long statements take, roughly: what the plan weighs against memory.

A nest takes as long as its operations and the beginnings of its rows, or as the nearer caches take to bring its bytes,
whichever is more: they overlap. What comes from further away is waited for. A cache holds what is touched again before
as much else is as it is large (reuse_distance.py). So the time of a byte depends on what the loops around work on, not
on the size of its array: iterations that run again on a few arrays are fast, a tape that is filled from one end to the
other and read back is far.

The prices are those of simple loops, timed on one core; docs/memory_measured.md says which, and how well they foretell
the time of plans. Only ratios matter.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping
from math import log2
from statistics import fmean

import numpy as np

from daad.analysis.cost.machine import LINE
from daad.analysis.cost.operation_cost import count, is_short_power, work
from daad.analysis.matrix_products import multiplies
from daad.ilp.cache_traffic import Either, Middles, Repeated, Stage, Touched, Work, stages, total, trips_of
from daad.ilp.reuse_distance import Around, Found, Recent
from daad.ir.nodes import Array, Assign, Expr, Index, Loop, Node, Op, variables
from daad.ir.operations import OPERATIONS

OPERATION = 0.006e-9
"""Seconds of an elementary operation in a vectorised nest, or of an element read, for each byte of its result."""

CACHES = (
    (2**15, 0.004e-9, 0.006e-9),
    (2**16, 0.011e-9, 0.025e-9),
    (2**21, 0.011e-9, 0.025e-9),
    (2**22, 0.03e-9, 0.045e-9),
    (2**24, 0.045e-9, 0.05e-9),
    (3 * 2**24, 0.06e-9, 0.12e-9),
    (2**27, 0.085e-9, 0.145e-9),
)
"""Seconds to read and to write a byte, where so many bytes are touched until it is touched again; between these sizes
they grow with the logarithm. The last ones are those of memory that the process has used before."""

NEAR = 5 * 2**19
"""So many bytes are in caches that are not waited for."""

AHEAD = 256
"""Bytes that a piece of an array further away takes as long as in addition; a nearer one brings about one line more."""

STATEMENT = 4e-9
"""Seconds that any statement takes."""

ROW = 8e-9
"""Seconds that an innermost loop takes to begin and to end."""

CALL = 1e-6
"""Seconds that a call takes at least."""

BY_RECIPROCAL, MANY = 4, 32
"""Elementary operations that a division takes as long as, where at least so many values are divided by one."""

SHORT_POWER = 4
"""The same for powers that are computed as products."""

PRODUCT = 1.2
"""The same for a multiplication and an addition in a product of matrices."""


def seconds(body: tuple[Node, ...], arrays: Mapping[str, Array], middles: Middles) -> float:
    """The time of a body once, with the variables around at the middle of their ranges."""
    found = stages(body, arrays, middles)
    return _total(found, lambda nest, where: _nest_seconds(nest, arrays, where))


def iteration_seconds(loop: Loop, arrays: Mapping[str, Array], middles: Middles) -> float:
    """The time of one of many iterations of a loop."""
    return seconds((loop,), arrays, middles) / max(1.0, trips_of(loop, middles))


def operations(body: tuple[Node, ...], middles: Middles) -> float:
    """The elementary operations of a body."""
    return _total(stages(body, {}, middles), lambda found, _: found.points * sum(map(_operations, found.nest.assigns)))


Cost = Callable[[Work, Mapping[str, Found]], float]
"""The time of a nest, given where each array is found."""


def _total(found: tuple[Stage, ...], cost: Cost) -> float:
    return _sequence(found, cost, Around(Recent(), (), total(found)))


def _sequence(found: tuple[Stage, ...], cost: Cost, around: Around) -> float:
    time = 0.0
    for stage in found:
        if isinstance(stage, Repeated):
            time += stage.trips * _sequence(stage.body, cost, around.inside(stage))
        elif isinstance(stage, Either):
            time += fmean(_sequence(side, cost, around.apart()) for side in stage.sides)
        else:
            time += cost(stage, {name: around.found(name, each) for name, each in stage.touched.items()})
        around.recent.add(stage)
    return time


def _nest_seconds(found: Work, arrays: Mapping[str, Array], where: Mapping[str, Found]) -> float:
    size = max((np.dtype(arrays[a.target.array].dtype).itemsize for a in found.nest.assigns), default=0)
    whole = multiplies(found.nest) and all(_elements(t, arrays[n]) < found.points for n, t in found.touched.items())
    each = PRODUCT if whole else _work(found) + found.accesses
    rows = 0.0 if whole else ROW * found.rows
    near = far = 0.0
    for name, touched in found.touched.items():
        for part, distance in where[name]:
            nbytes = touched.nbytes + touched.pieces * (LINE if distance < NEAR else AHEAD)
            moved = part * nbytes * _byte(distance)[touched.written]
            near, far = (near + moved, far) if distance < NEAR else (near, far + moved)
    return STATEMENT + max(rows + found.points * each * size * OPERATION, near) + far


def _elements(touched: Touched, array: Array) -> float:
    return touched.nbytes / np.dtype(array.dtype).itemsize


def _work(found: Work) -> float:
    """Elementary operations at a point; what does not depend on the innermost variable is computed before its loop."""
    points = found.points

    def often(value: Index) -> float:
        own = variables(value) & found.extents.keys()
        return 1.0 if found.innermost in own or not points else found.points_of(own) / points

    def price(op: Op) -> float:
        if op.name == "divide" and MANY * often(op.args[1]) <= 1:
            return BY_RECIPROCAL
        return often(op) * (SHORT_POWER if is_short_power(op) else OPERATIONS[op.name].price)

    assigns = found.nest.assigns
    return count(map(_subtracted, assigns), price) + sum(a.op != "=" for a in assigns)


def _subtracted(assign: Assign) -> Expr:
    """The value; what is negated for an update is subtracted instead."""
    value = assign.value
    return value.args[0] if assign.op == "+=" and isinstance(value, Op) and value.name == "negative" else value


def _operations(assign: Assign) -> float:
    return work(assign.value) + (assign.op != "=")


def _byte(nbytes: float) -> tuple[float, float]:
    """Seconds to read and to write a byte."""
    at = bisect(CACHES, (nbytes,))
    (size, *_), (larger, *_) = low, high = CACHES[max(0, at - 1)], CACHES[min(at, len(CACHES) - 1)]
    part = log2(nbytes / size) / log2(larger / size) if larger > size else 0.0
    reading, writing = (one + part * (other - one) for one, other in zip(low[1:], high[1:], strict=True))
    return reading, writing


def copy_seconds(nbytes: float, array: float = 0) -> float:
    """Seconds to write bytes of an array (of that many bytes altogether) once and read them once."""
    return nbytes * sum(_byte(max(nbytes, array)))


def state_seconds(nbytes: float, held: float) -> float:
    """Seconds to copy the state of a loop to where states of so many bytes are kept, and back."""
    return copy_seconds(nbytes, held) + copy_seconds(nbytes)
