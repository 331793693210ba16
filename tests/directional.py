"""Gradients of programs that run long: differences along directions of the size of the arguments, with any step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.corpus.case import Case
from tests.oracle import Estimate, check_form, describe, extrapolated, moved, output, positions, weighted

FIRST_STEPS = (1e-5, 1e-3, 1e-7)
"""Relative to the arguments; the last is for programs that jump, which a short step seldom crosses."""
EPSILON = float(np.finfo(np.float64).eps)


def check_along(gradients: Sequence[Any], case: Case, count: int = 1) -> None:
    """Raises AssertionError unless `gradients` agree with differences in all arguments at once and in each scalar.

    What differences cannot tell to the tolerance is an error too.
    """
    check_form(gradients, case)
    size = abs(weighted(output_of(case), case.seed, None))
    for direction in scaled_directions(case, count):
        terms = [weighted(g, d, None) for g, d in zip(gradients, direction, strict=True)]
        found = sum(terms)
        scale = case.rtol * (abs(found) + 1e-3 * max(map(abs, terms)) + 1e-3 * size) + 1e-13
        wanted = settled(case, direction, scale)
        where = f"{case.name}: along {describe(direction, case)}"
        assert wanted.error <= scale, f"{where} differences say nothing: {wanted}"
        assert abs(found - wanted.value) <= 2 * scale, f"{where} the gradient gives {found:.12g}, differences {wanted}"


def settled(case: Case, direction: Sequence[np.ndarray], allowed: float) -> Estimate:
    """An estimate with an error (at least that of rounding) below `allowed`, or the best there is."""
    noise = EPSILON * float(np.linalg.norm(output_of(case) * case.seed))

    def slope(step: float) -> float:
        ends = [value_along(case, direction, sign * step) for sign in (1, -1)]
        return weighted(ends[0] - ends[1], case.seed, None) / (2 * step)

    best = Estimate(np.nan, np.inf)
    for step in FIRST_STEPS:
        found = extrapolated(slope, step)
        best = min(best, Estimate(found.value, max(found.error, noise / step)), key=lambda one: one.error)
        if best.error <= allowed:
            break
    return best


def output_of(case: Case) -> np.ndarray:
    """The differentiated output, in float64."""
    return value_along(case, [], 0.0)


def value_along(case: Case, direction: Sequence[np.ndarray], step: float) -> np.ndarray:
    """The output after a step, in float64."""
    places = positions(case.numpy_function, case.wrt)[: len(direction)]
    arguments = moved(case.arguments(), places, direction, step)
    with np.errstate(all="ignore"):
        return np.asarray(output(case.numpy_function, arguments, case.of), dtype=np.float64)


def scaled_directions(case: Case, count: int) -> Iterator[list[np.ndarray]]:
    """`count` random directions in all arguments, and one in each scalar."""
    random = np.random.default_rng(22)
    arguments = case.arguments()
    values = [np.asarray(arguments[place], dtype=np.float64) for place in positions(case.function, case.wrt)]
    sizes = [size_of(value) for value in values]
    for _ in range(count):
        yield [size * random.standard_normal(value.shape) for size, value in zip(sizes, values, strict=True)]
    for place in (place for place, value in enumerate(values) if value.ndim == 0):
        alone = np.arange(len(values)) == place
        yield [is_moved * size * np.ones(v.shape) for is_moved, size, v in zip(alone, sizes, values, strict=True)]


def size_of(value: np.ndarray) -> float:
    """The root of the mean square; one for zeros."""
    return float(np.sqrt(np.mean(np.square(value, dtype=np.float64)))) or 1.0
