"""Which statement's adjoint is wrong: a search over the executions of all statements, for the first in reverse order.

If every statement's adjoint is right, the fault is in a later stage: an optimisation, or the compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

import numpy as np

from daad.api.check.directions import Direction, random_direction
from daad.api.check.observed_adjoint import Product, Reversal
from daad.errors import Location, source_excerpt

CUTS = 1024
MOST_BYTES = 2**28
"""All tangents that are kept at once."""
NOISE = 1e-10
"""Of an inner product, relative to its terms: what rounding and the step leave."""
ROUNDING = 1e-13
"""Of the terms of an inner product: what is put down to rounding."""


class Stage(Enum):
    """Where a wrong gradient went wrong."""

    READING = "reading"
    STATEMENT = "statement"
    PLAN = "plan"
    OPTIMISATION = "optimisation"
    ROUNDING = "rounding"
    COMPILED = "compiled code"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """The stage at fault; for a statement its place, the iteration, and the array whose adjoint is wrong there.

    `expected` is the derivative of the rest of the program along a direction in that array, `found` the adjoint's.
    """

    stage: Stage
    at: Location | None = None
    iteration: Mapping[str, int] | None = None
    array: str | None = None
    expected: float | None = None
    found: float | None = None

    @property
    def error(self) -> float | None:
        """Relative to what is expected."""
        if self.expected is None or self.found is None:
            return None
        gap = abs(self.found - self.expected)
        return gap / abs(self.expected) if self.expected else float("inf") if gap else 0.0

    def __str__(self) -> str:
        if self.stage is not Stage.STATEMENT:
            return WHERE[self.stage]
        trips = ", ".join(f"{name} = {value}" for name, value in (self.iteration or {}).items())
        where = f"{self.at or 'an unknown line'}" + (f", in iteration {trips}" if trips else "")
        what = "The adjoint" if self.array is None else f"The adjoint of '{self.array}'"
        by = "" if self.error is None else f" (relative error {self.error:.1e})"
        return "\n".join([f"{what} is wrong{by} at {where}:", *source_excerpt(self.at)])


WHERE = {
    Stage.READING: "The program as daad reads it is not the program that Python runs: the fault is in the frontend.",
    Stage.PLAN: "The adjoint of each statement is right: the fault is in what the plan keeps or runs again.",
    Stage.OPTIMISATION: "The adjoint of each statement is right: the fault is in an optimisation of the program.",
    Stage.ROUNDING: "The adjoint of each statement is right: the rest is rounding (of float32, or where terms cancel).",
    Stage.COMPILED: "The interpreted gradient is right: the fault is in lowering, or in the compiler.",
    Stage.UNKNOWN: "Too many statements are executed to look for the one at fault; check a smaller case.",
}


def wrong_statement(reversal: Reversal, direction: Direction, step: float, tolerance: float) -> Fault | None:
    """The first statement, in reverse order, whose adjoint is wrong; None if the whole gradient is right."""
    first, last = 0, len(reversal.trace)
    products = _products(reversal, direction, step, first, last)
    if _is_right(products, tolerance):
        return None
    if _is_rounding(products):
        return Fault(stage=Stage.ROUNDING)
    while True:
        first, last = _latest_jump(products)
        if last - first <= 1:
            return _fault(reversal, first, step)
        products = _products(reversal, direction, step, first, last)


def _products(
    reversal: Reversal, direction: Direction, step: float, first: int, last: int
) -> list[tuple[int, Product]]:
    """The inner products at moments between two, as many as memory allows."""
    bytes_each = sum(8 * reversal.scene.program.arrays[n].size for n in reversal.active)
    cuts = int(np.clip(MOST_BYTES // max(bytes_each, 1), 2, CUTS))
    moments = sorted({int(m) for m in np.linspace(first, last, cuts + 1)})
    return sorted(reversal.products(reversal.tangents(direction, step, moments)).items())


def _is_right(products: list[tuple[int, Product]], tolerance: float) -> bool:
    (_, start), (_, end) = products[0], products[-1]
    scale = max(abs(end.value), 1e-3 * max(start.size, end.size))
    return abs(start.value - end.value) <= tolerance * scale


def _is_rounding(products: list[tuple[int, Product]]) -> bool:
    """Whether so little is wrong because far larger terms cancel."""
    return abs(products[0][1].value - products[-1][1].value) <= ROUNDING * max(p.size for _, p in products)


def _latest_jump(products: list[tuple[int, Product]]) -> tuple[int, int]:
    """The latest neighbouring moments between which the inner product changes."""
    pairs = list(pairwise(products))
    jumps = {(m, n): abs(before.value - after.value) for (m, before), (n, after) in pairs}
    noise = NOISE * max(p.size for _, p in products)
    worst = max(jumps.values())
    return max(pair for pair, jump in jumps.items() if jump == worst or jump > max(0.01 * worst, noise))


def _fault(reversal: Reversal, moment: int, step: float) -> Fault:
    """Names the array, of those that the statement touches, whose adjoint differs most from differences of the rest."""
    integers = reversal.scene.program.integers
    state, bars = reversal.state(moment), reversal.bars(moment)
    rng = np.random.default_rng(20)
    rows: list[tuple[float, str, float, float]] = []
    for name in reversal.touched(moment):
        along = random_direction(rng, state[name])
        expected = reversal.rest(moment, state, name, along, step)
        found = float(np.sum(bars[name] * along))
        scale = max(abs(expected), 1e-3 * float(np.sum(np.abs(bars[name] * along))), 1e-300)
        rows.append((abs(found - expected) / scale, name, expected, found))
    _, array, expected, found = max(rows)
    return Fault(
        stage=Stage.STATEMENT,
        at=reversal.place(moment),
        iteration={n: v for n, v in reversal.trace[moment].values.items() if n not in integers},
        array=array,
        expected=expected,
        found=found,
    )
