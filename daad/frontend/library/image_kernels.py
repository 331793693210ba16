"""What `scipy.ndimage` has in C, as NumPy programs that write into an array that is given: sums, extrema and ranks of
what lies around each element. What SciPy writes around them in Python is read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.library.solvers.primitives import natively

Array = Any  # staged while the program is read

BORDERS = ("edge", "wrap", "symmetric", "reflect", "constant", "wrap", "constant")
"""What NumPy calls the ways to go on beyond the border, by SciPy's numbers for them."""
SPLINES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant")


def _padded(image: Array, widths: Sequence[tuple[int, int]], mode: int, cval: float) -> Array:
    if BORDERS[mode] == "constant":
        return np.pad(image, widths, mode="constant", constant_values=cval)
    return np.pad(image, widths, mode=BORDERS[mode])


def _around(image: Array, sizes: Sequence[int], origins: Sequence[int], mode: int, cval: float) -> Array:
    before = [size // 2 + origin for size, origin in zip(sizes, origins, strict=True)]
    widths = [(first, size - 1 - first) for size, first in zip(sizes, before, strict=True)]
    return _padded(image, widths, mode, cval)


def _at(padded: Array, place: Sequence[int], like: Array) -> Array:
    return padded[tuple(slice(i, i + n) for i, n in zip(place, like.shape, strict=True))]


def _along(axis: int, value: int, other: int, like: Array) -> list[int]:
    """A number for each axis."""
    return [value if k == axis % like.ndim else other for k in range(like.ndim)]


def correlate1d(input: Array, weights: Array, axis: int, output: Array, mode: int, cval: float, origin: int) -> None:
    sizes = _along(axis, len(weights), 1, input)
    padded = _around(input * 1.0, sizes, _along(axis, origin, 0, input), mode, cval)
    total = np.zeros(input.shape)
    for k in range(len(weights)):
        total += weights[k] * _at(padded, _along(axis, k, 0, input), input)
    output[...] = total


def correlate(input: Array, weights: Array, output: Array, mode: int, cval: float, origins: Sequence[int]) -> None:
    padded = _around(input * 1.0, weights.shape, origins, mode, cval)
    total = np.zeros(input.shape)
    for place in itertools.product(*map(range, weights.shape)):
        total += weights[place] * _at(padded, place, input)
    output[...] = total


def uniform_filter1d(input: Array, size: int, axis: int, output: Array, mode: int, cval: float, origin: int) -> None:
    correlate1d(input, np.full(size, 1.0 / size), axis, output, mode, cval, origin)


def _windows(input: Array, footprint: Any, mode: int, cval: float, origins: Sequence[int]) -> list[Array]:
    """The image moved to each place of the footprint."""
    padded = _around(input, footprint.shape, origins, mode, cval)
    places = itertools.product(*map(range, footprint.shape))
    return [_at(padded, place, input) for place in places if footprint[place]]


def min_or_max_filter1d(
    input: Array, size: int, axis: int, output: Array, mode: int, cval: float, origin: int, minimum: int
) -> None:
    footprint = np.ones(_along(axis, size, 1, input), bool)
    windows = np.stack(_windows(input, footprint, mode, cval, _along(axis, origin, 0, input)))
    output[...] = np.min(windows, axis=0) if minimum else np.max(windows, axis=0)


def min_or_max_filter(
    input: Array,
    footprint: Any,
    structure: Array,
    output: Array,
    mode: int,
    cval: float,
    origins: Sequence[int],
    minimum: int,
) -> None:
    """With a structure, of differences to it, or of sums with it."""
    windows = _windows(input, footprint, mode, cval, origins)
    if structure is not None:
        places = [place for place in itertools.product(*map(range, footprint.shape)) if footprint[place]]
        sign = -1.0 if minimum else 1.0
        windows = [one + sign * structure[place] for one, place in zip(windows, places, strict=True)]
    output[...] = np.min(np.stack(windows), axis=0) if minimum else np.max(np.stack(windows), axis=0)


def rank_filter(
    input: Array, rank: int, footprint: Any, output: Array, mode: int, cval: float, origins: Sequence[int]
) -> None:
    output[...] = np.sort(np.stack(_windows(input, footprint, mode, cval, origins)), axis=0)[rank]


def rank_filter_of_lines(
    input: Array, rank: int, size: int, output: Array, mode: int, cval: float, origin: int
) -> None:
    rank_filter(input, rank, np.ones(size, bool), output, mode, cval, [origin])


def spline_filter1d(input: Array, order: int, axis: int, output: Array, mode: int) -> None:
    matrix = natively("scipy.ndimage", "spline_filter1d", np.eye(input.shape[axis]), order, 0, float, SPLINES[mode])
    output[...] = np.moveaxis(np.tensordot(matrix, input * 1.0, (1, axis)), 0, axis)


KERNELS: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(correlate1d, correlate, uniform_filter1d, min_or_max_filter1d, min_or_max_filter, rank_filter),
        spline_filter1d,
    )
}
LINES: dict[str, Callable[..., Any]] = {"rank_filter": rank_filter_of_lines}
