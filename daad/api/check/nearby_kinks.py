"""Kinks and jumps that the point sits on: ties, conditions whose two sides are equal, roots of zero, whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from daad.api.check.directions import Direction
from daad.api.check.observed_primal import Seen, Watch
from daad.api.check.reference_program import Scene
from daad.errors import IndexOutside, Location
from daad.ir.dtypes import is_float
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family
from daad.ir.operations.updates import Combine
from daad.passes.redundancy.dead_code import remove_dead

REACH = 1e-6
"""A kink counts if a step of this size along a random direction may cross it."""

Gap = Callable[..., np.ndarray]
"""How far operands are from a kink; the sign does not matter."""


@dataclass(frozen=True, kw_only=True)
class Kink:
    """Where an operation has no derivative at the point: how many elements, and the operands of the first."""

    at: Location | None
    operation: str
    operands: tuple[float, ...]
    count: int

    @property
    def spelled(self) -> str:
        """The operation with the first element's operands."""
        return SPELLED[self.operation].format(", ".join(f"{v:.6g}" for v in self.operands))


EXTREMA = [combine for combine in Combine if combine.is_extremum]
GAPS: dict[str, Gap] = {
    **{name: row.kink for name, row in OPERATIONS.items() if row.kink is not None},
    **{combine.sign: combine.operation.kink for combine in EXTREMA if combine.operation.kink is not None},
}
SIGNS = {name: row.infix[0] for name, row in OPERATIONS.items() if row.family is Family.COMPARISON and row.infix}
SPELLED: dict[str, str] = {
    **{name: f"{name}({{}})" for name in GAPS},
    **{name: f"equal sides of '{sign}' ({{}})" for name, sign in SIGNS.items()},
    "cast": "int({})",
    "absolute": "abs({})",
    **{combine.sign: f"a tie of {combine.clause} ({{}})" for combine in EXTREMA},
}


def find_kinks(scene: Scene, direction: Direction) -> tuple[Kink, ...]:
    """All kinks that a small step along the direction reaches, by line and operation, in the order of execution."""
    outputs = frozenset(s.output for s in scene.seeds)
    scene = replace(scene, program=remove_dead(scene.program, outputs))
    (arrays, values), (beside, _) = scene.start(), scene.moved(direction, REACH).start()
    watch = Watch(arrays=arrays, values=values, beside=beside, wanted=frozenset(GAPS))
    found: dict[tuple[Location | None, str], Kink] = {}
    for seen, reached in _reached(watch, scene):
        known = found.get((seen.at, seen.operation))
        first = tuple(float(np.broadcast_to(o, reached.shape)[reached][0]) for o in _compared(seen)[0])
        count = int(reached.sum()) + (known.count if known else 0)
        operands = known.operands if known else first
        found[seen.at, seen.operation] = Kink(at=seen.at, operation=seen.operation, operands=operands, count=count)
    return tuple(found.values())


def _reached(watch: Watch, scene: Scene) -> Iterator[tuple[Seen, np.ndarray]]:
    try:
        for seen in watch.run(scene.program.body):
            if _may_kink(seen):
                reached = _crossed(seen)
                if reached.any():
                    yield seen, reached
    except IndexOutside:  # a step away, where an index made from floats may leave its axis
        return


def _may_kink(seen: Seen) -> bool:
    """Whether the operation is on floats; a cast, from floats to whole numbers or truth values."""
    of_floats = all(o.dtype.kind == "f" for o in seen.operands)
    return of_floats and (seen.operation != "cast" or not is_float(seen.dtype))


def _crossed(seen: Seen) -> np.ndarray:
    """Where the step moves the operands at least as far as they are from the kink."""
    here, there = _compared(seen)
    with np.errstate(all="ignore"):
        gap = GAPS[seen.operation]
        distance, moved = gap(*here), gap(*there)
        return np.atleast_1d((moved != distance) & (np.abs(distance) <= np.abs(moved - distance)))


def _compared(seen: Seen) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """An extremum over elements: each value with the result; two of them that are equal tie."""
    if seen.operation not in {combine.sign for combine in EXTREMA}:
        return seen.operands, seen.beside
    assert seen.result_beside is not None, "kinks are looked for a step away"
    return (seen.operands[0], seen.result), (seen.beside[0], seen.result_beside)
