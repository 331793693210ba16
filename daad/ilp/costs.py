"""How long statements take, roughly: what the plan weighs against memory.

A nest takes as long as its operations, or as the nearer caches take to bring its bytes, whichever is more: both
overlap. What comes from further away is waited for; several arrays are fetched at the same time. A cache holds what is
touched again before as much else is as it is large. So the time of a byte depends on what the loops around work on, not
on the size of its array: iterations that run again on a few arrays are fast, a tape that is filled from one end to the
other and read back is far.

The constants started from simple loops on one core (a polynomial of two arrays, a copy, a stencil, and its reversal,
within arrays from 16 KiB to 1 GiB) and were adjusted to most of the programs of `benchmarks/order_programs.py`, as
docs/memory.md says; only ratios matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from daad.ilp.traffic import Either, Middles, Repeated, Stage, Work, stages, total, trips_of
from daad.optimize.cost import count, work
from daad.program.nodes import Array, Assign, Loop, Node

OPERATION = 0.0035e-9
"""Seconds of an elementary operation in a vectorised nest, or of an element read, for each byte of its result."""

NEAR = ((2**15, 0.006e-9), (5 * 2**19, 0.026e-9))
"""Seconds to read or write a byte, where no more bytes than that are touched until it is touched again."""

FAR = ((2**26, 0.065e-9), (float("inf"), 0.11e-9))
"""The same for caches that are waited for, and for memory, which the process has used before."""

TOGETHER = 0.5
"""The part of these times that a byte takes where those of several arrays are moved at the same time."""

STATEMENT = 0.1e-6
"""Seconds that any statement takes."""

CALL = 1e-6
"""Seconds that a call takes at least."""

SLOW_OPERATION, COSTLY_OPERATION = 33, 30
"""Elementary operations that divisions and roots, and functions such as the sine, take as long as."""

Frames = tuple[tuple[str, float], ...]
"""Loops around, innermost first: the variable, and the bytes that an iteration touches; the last one is the program."""

_NOWHERE: Frames = (("", 0.0),)


def seconds(body: tuple[Node, ...], arrays: Mapping[str, Array], middles: Middles) -> float:
    """The time of a body once, with the variables around at the middle of their ranges."""
    found = stages(body, arrays, middles)
    return _total(found, lambda nest, distances: _nest_seconds(nest, arrays, distances), (("", total(found)),))


def iteration_seconds(loop: Loop, arrays: Mapping[str, Array], middles: Middles) -> float:
    """The time of one of many iterations of a loop."""
    return seconds((loop,), arrays, middles) / max(1.0, trips_of(loop, middles))


def operations(body: tuple[Node, ...], middles: Middles) -> float:
    """The elementary operations of a body."""
    return _total(
        stages(body, {}, middles), lambda found, _: found.points * sum(map(_operations, found.nest.assigns)), ()
    )


Cost = Callable[[Work, Mapping[str, float]], float]
"""The time of a nest, given how many bytes are touched until it touches those of each array again."""


def _total(found: tuple[Stage, ...], cost: Cost, frames: Frames) -> float:
    return _sequence(found, cost, frames, set())


def _sequence(found: tuple[Stage, ...], cost: Cost, frames: Frames, recent: set[str]) -> float:
    """`recent` are arrays that were touched before in the same iteration."""
    time = 0.0
    for stage in found:
        if isinstance(stage, Repeated):
            time += stage.trips * _total(stage.body, cost, ((stage.var, stage.nbytes), *frames))
        elif isinstance(stage, Either):
            time += max(_sequence(side, cost, frames, set(recent)) for side in stage.sides)
        else:
            time += cost(stage, _distances(stage, frames, recent))
        recent |= stage.touched.keys()
    return time


def _distances(found: Work, frames: Frames, recent: set[str]) -> dict[str, float]:
    """For each array, up to where the loops around work on the same part of it."""
    return {
        name: frames[0][1] if name in recent else next((n for var, n in frames if var not in each.varies), 0.0)
        for name, each in found.touched.items()
    }


def _nest_seconds(found: Work, arrays: Mapping[str, Array], distances: Mapping[str, float]) -> float:
    sizes = [np.dtype(arrays[a.target.array].dtype).itemsize for a in found.nest.assigns]
    each = sum(size * _work(a) for size, a in zip(sizes, found.nest.assigns, strict=True))
    each += found.accesses * max(sizes, default=0)
    bounds = (0, NEAR[-1][0], *(size for size, _ in FAR))
    near, *far = (
        [t.nbytes * _byte(distances[name]) for name, t in found.touched.items() if low <= distances[name] < high]
        for low, high in pairwise(bounds)
    )
    return STATEMENT + max(found.points * each * OPERATION, _together(near)) + sum(map(_together, far))


def _together(moved: list[float]) -> float:
    return max(TOGETHER * sum(moved), max(moved, default=0.0))


def _work(assign: Assign) -> float:
    return count(assign.value, SLOW_OPERATION, COSTLY_OPERATION) + (assign.op != "=")


def _operations(assign: Assign) -> float:
    return work(assign.value) + (assign.op != "=")


def _byte(nbytes: float) -> float:
    return next(cost for size, cost in (*NEAR, *FAR) if nbytes < size)


def copy_seconds(nbytes: float, array: float = 0) -> float:
    """Seconds to write bytes of an array (of that many bytes altogether) once and read them once."""
    return 2 * nbytes * _byte(max(nbytes, array))


def state_seconds(nbytes: float, held: float) -> float:
    """Seconds to copy the state of a loop to where states of so many bytes are kept, and back."""
    return copy_seconds(nbytes, held) + copy_seconds(nbytes)
