"""Which steps a rule takes from one time to the next: their lengths follow from estimated errors, at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read
Try = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
"""`(t, y, h) -> (y at the end, its estimated error, whether there is an end)`."""
FIRST, RELATIVE, ABSOLUTE = 1e-3, 1e-8, 1e-10
"""The first step, as a part of the time in all, and what a step may be wrong by."""


def steps(trial: Try, order: int, most: int, y0: Array, times: Array) -> tuple[Array, Array, Array, Array, int]:
    """Between which times each step lies, and, as parts of the time between, where it begins and how long it is; how
    many there are, and at which time they end. `order` is that of the error."""
    places, starts, widths, count = np.empty(most, int), np.empty(most), np.empty(most), 0
    y, last = y0, len(times) - 1
    j = 0
    part: Array = 0.0
    length: Array = FIRST * np.max(np.abs(times - times[0]))
    for _ in range(2 * most):
        if j == last or count == most:
            break
        whole = times[j + 1] - times[j]
        size = np.abs(whole)
        rest = 1.0 - part
        width = np.where(length < rest * size, length / np.where(size > 0.0, size, 1.0), rest)
        then, wrong, ends = trial(times[j] + part * whole, y, width * whole)
        allowed = allowance(y, then)
        error = np.where(ends, np.sqrt(np.mean((wrong / allowed) ** 2)), 1e10)
        if error <= 1.0:
            places[count], starts[count], widths[count] = j, part, width
            y, count = then, count + 1
            if width < rest:
                part = part + width
            else:
                j, part = j + 1, 0.0
        tried = width * size
        if error > 1.0 or width < rest:  # a step that a time cut short says nothing against the longer one
            length = tried * np.minimum(np.maximum(0.9 * np.maximum(error, 1e-10) ** (-1.0 / order), 0.2), 5.0)
    return places, starts, widths, np.where(j == last, count, 0), j


def allowance(y: Array, then: Array) -> Array:
    """What each number may be wrong by."""
    return ABSOLUTE * (1e-3 + np.max(np.abs(then))) + RELATIVE * np.maximum(np.abs(y), np.abs(then))
