"""What `scipy.ndimage` has in C, as NumPy programs that write into an array that is given: sums, extrema and ranks of
what lies around each element. What SciPy writes around them in Python is read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, known_elements, python_function
from daad.frontend.library.solvers.primitives import natively, true_places
from daad.frontend.library.solvers.sampling import delivered

Array = Any  # staged while the program is read

BORDERS: Any = ("edge", "wrap", "symmetric", "reflect", "constant", "wrap", "constant")
"""What NumPy calls the ways to go on beyond the border, by SciPy's numbers for them."""
LEAST = np.finfo(float).eps
"""Weights up to this are none for SciPy, in more than one dimension."""
SPLINES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant")


def _padded(image: Array, widths: Sequence[tuple[int, int]], mode: int, cval: float) -> Array:
    if BORDERS[mode] == "constant":
        return np.pad(image, widths, mode="constant", constant_values=cval)
    return np.pad(image, widths, mode=BORDERS[mode])


def around(image: Array, sizes: Sequence[int], origins: Sequence[int], mode: int, cval: float) -> Array:
    before = [size // 2 + origin for size, origin in zip(sizes, origins, strict=True)]
    widths = [(first, size - 1 - first) for size, first in zip(sizes, before, strict=True)]
    return _padded(image, widths, mode, cval)


def at(padded: Array, place: Sequence[int], like: Array) -> Array:
    return padded[tuple(slice(i, i + n) for i, n in zip(place, like.shape, strict=True))]


def _sums(output: Array) -> Array:
    """Zeros in double precision, in the output itself where that is."""
    if output.dtype != np.float64:
        return np.zeros(output.shape)
    output[...] = 0.0
    return output


def _along(axis: int, value: int, other: int, like: Array) -> list[int]:
    """A number for each axis."""
    return [value if k == axis % like.ndim else other for k in range(like.ndim)]


def _whole(name: str, before: tuple[Any, ...], output: Array, after: tuple[Any, ...]) -> None:
    """Sums that are cut to whole numbers, which have no derivative: those of SciPy's own, whose last bit decides."""

    def run() -> Array:
        found = np.zeros(output.shape, output.dtype)
        python_function("scipy.ndimage._nd_image", name)(*before, found, *after)
        return found

    output[...] = by_python(run, np.zeros(output.shape, output.dtype))


def _is_whole(output: Array) -> bool:
    return output.dtype.kind in "biu"


def correlate1d(input: Array, weights: Array, axis: int, output: Array, mode: int, cval: float, origin: int) -> None:
    if _is_whole(output):
        _whole("correlate1d", (input, weights, axis), output, (mode, cval, origin))
        return
    sizes = _along(axis, len(weights), 1, input)
    padded = around(input * 1.0, sizes, _along(axis, origin, 0, input), mode, cval)
    total = _sums(output)
    for k in range(len(weights)):
        total += weights[k] * at(padded, _along(axis, k, 0, input), input)
    if output.dtype != np.float64:
        output[...] = total


def correlate(input: Array, weights: Array, output: Array, mode: int, cval: float, origins: Sequence[int]) -> None:
    if _is_whole(output):
        _whole("correlate", (input, weights), output, (mode, cval, origins))
        return
    padded = around(input * 1.0, weights.shape, origins, mode, cval)
    total, known = _sums(output), known_elements(weights)
    for place in itertools.product(*map(range, weights.shape)):
        if known is None or np.abs(known[place]) > LEAST:  # SciPy leaves out the others, NaN beneath them too
            total += weights[place] * at(padded, place, input)
    if output.dtype != np.float64:
        output[...] = total


def uniform_filter1d(input: Array, size: int, axis: int, output: Array, mode: int, cval: float, origin: int) -> None:
    if _is_whole(output):
        _whole("uniform_filter1d", (input, size, axis), output, (mode, cval, origin))
        return
    correlate1d(input, np.full(size, 1.0 / size), axis, output, mode, cval, origin)


def _moved(input: Array, sizes: Sequence[int], mode: int, cval: float, origins: Sequence[int]) -> Any:
    """The image moved to a place of a footprint."""
    padded = around(input, sizes, origins, mode, cval)
    return lambda place: at(padded, place, input)


def _windows(
    input: Array, footprint: Array, mode: int, cval: float, origins: Sequence[int], rest: float
) -> list[tuple[Any, Array]]:
    """The image moved to each place of the footprint, with the place; where data decide which these are, `rest` stands
    at the others."""
    moved = _moved(input, footprint.shape, mode, cval, origins)
    places = true_places(footprint)
    if places is not None:
        return [(place, moved(place)) for place in places]
    everywhere = itertools.product(*map(range, footprint.shape))
    return [(place, np.where(footprint[place], moved(place), rest)) for place in everywhere]


def min_or_max_filter1d(
    input: Array, size: int, axis: int, output: Array, mode: int, cval: float, origin: int, minimum: int
) -> None:
    moved = _moved(input, _along(axis, size, 1, input), mode, cval, _along(axis, origin, 0, input))
    windows = np.stack([moved(_along(axis, k, 0, input)) for k in range(size)])
    output[...] = np.min(windows, axis=0) if minimum else np.max(windows, axis=0)


def min_or_max_filter(
    input: Array,
    footprint: Array,
    structure: Array,
    output: Array,
    mode: int,
    cval: float,
    origins: Sequence[int],
    minimum: int,
) -> None:
    """With a structure, of differences to it, or of sums with it."""
    if structure is not None and output.dtype.kind == "b":
        raise ValueError("Sums of truth values and a structure are not supported")
    pairs = _windows(input, footprint, mode, cval, origins, np.inf if minimum else -np.inf)
    sign = -1.0 if minimum else 1.0
    windows = np.stack([one if structure is None else one + sign * structure[place] for place, one in pairs])
    output[...] = np.min(windows, axis=0) if minimum else np.max(windows, axis=0)


def rank_filter(
    input: Array, rank: int, footprint: Array, output: Array, mode: int, cval: float, origins: Sequence[int]
) -> None:
    pairs = _windows(input, footprint, mode, cval, origins, np.inf)
    output[...] = np.sort(np.stack([one for _, one in pairs]), axis=0)[rank]


def rank_filter_of_lines(
    input: Array, rank: int, size: int, output: Array, mode: int, cval: float, origin: int
) -> None:
    rank_filter(input, rank, np.ones(size, bool), output, mode, cval, [origin])


def spline_filter1d(input: Array, order: int, axis: int, output: Array, mode: int) -> None:
    matrix = natively("scipy.ndimage", "spline_filter1d", np.eye(input.shape[axis]), order, 0, float, SPLINES[mode])
    output[...] = np.moveaxis(np.tensordot(matrix, input * 1.0, (1, axis)), 0, axis)


CODES = {"nearest": 0, "wrap": 1, "reflect": 2, "grid-mirror": 2, "mirror": 3, "constant": 4}
CODES |= {"grid-wrap": 1, "grid-constant": 4}


def each(way: Any, dimensions: int) -> list[Any]:
    return [way] * dimensions if np.ndim(way) == 0 else [*way]


def _ranked(input: Array, rank: Any, size: Any, footprint: Any, output: Any, border: Any) -> Array:
    """Sorted windows at a place that the number of their elements tells, in SciPy's order of rules."""
    image, (mode, cval, origin) = np.asarray(input), border
    if footprint is None:
        footprint = np.ones(tuple(each(size, image.ndim)), bool)
    footprint = np.asarray(footprint) != 0
    places = true_places(footprint)
    count = np.sum(footprint) if places is None else len(places)
    found = np.zeros(image.shape, image.dtype)
    rank_filter(image, rank(count), footprint, found, CODES[mode], cval, each(origin, image.ndim))
    return delivered(found, output)


def median_filter(
    input: Array,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
) -> Array:
    return _ranked(input, lambda count: count // 2, size, footprint, output, (mode, cval, origin))


def rank_filter_of_images(
    input: Array,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
) -> Array:
    def place(count: Any) -> Any:
        return rank + count if rank < 0 else rank

    return _ranked(input, place, size, footprint, output, (mode, cval, origin))


def percentile_filter(
    input: Array,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
) -> Array:
    part = percentile + 100.0 if percentile < 0.0 else percentile

    def place(count: Any) -> Any:
        return count - 1 if part == 100.0 else int(1.0 * count * part / 100.0)

    return _ranked(input, place, size, footprint, output, (mode, cval, origin))


RANKS: dict[str, Callable[..., Any]] = {
    "median_filter": median_filter,
    "rank_filter": rank_filter_of_images,
    "percentile_filter": percentile_filter,
}
KERNELS: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(correlate1d, correlate, uniform_filter1d, min_or_max_filter1d, min_or_max_filter, rank_filter),
        spline_filter1d,
    )
}
LINES: dict[str, Callable[..., Any]] = {"rank_filter": rank_filter_of_lines}
