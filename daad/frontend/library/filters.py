"""Filters of `scipy.ndimage` and convolutions of `scipy.signal` as NumPy programs: sums of shifted arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read

PADDING: dict[str, Any] = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}
"""What NumPy calls SciPy's ways to go on beyond the border."""
BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}
"""Those of `scipy.signal` as `scipy.ndimage` calls them."""


def correlate(input: Array, weights: Array, mode: str = "reflect", cval: float = 0.0, origin: Any = 0) -> Array:
    image, weights = _image(input), np.asarray(weights)
    before = [size // 2 + shift for size, shift in zip(weights.shape, _each(origin, image), strict=True)]
    return _correlated(_around(image, weights.shape, before, mode, cval), weights, image)


def convolve(input: Array, weights: Array, mode: str = "reflect", cval: float = 0.0, origin: Any = 0) -> Array:
    image, weights = _image(input), np.asarray(weights)
    before = [(size - 1) // 2 - shift for size, shift in zip(weights.shape, _each(origin, image), strict=True)]
    return _correlated(_around(image, weights.shape, before, mode, cval), np.flip(weights), image)


def correlate1d(
    input: Array,
    weights: Array,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Array:
    image, weights = _image(input), np.asarray(weights)
    along = [1] * image.ndim
    along[axis] = len(weights)
    shift = [0] * image.ndim
    shift[axis] = origin
    return correlate(image, weights.reshape(along), mode, cval, shift)


def convolve1d(
    input: Array,
    weights: Array,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Array:
    weights = np.asarray(weights)
    return correlate1d(input, weights[::-1], axis, mode, cval, -origin - (len(weights) + 1) % 2)


def gaussian_filter1d(
    input: Array,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Array:
    if order != 0:
        raise ValueError("Derivatives of a Gaussian are not supported")
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(-reach, reach + 1) ** 2)
    return correlate1d(input, weights / np.sum(weights), axis, mode, cval)


def gaussian_filter(
    input: Array,
    sigma: Any,
    order: Any = 0,
    mode: Any = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
) -> Array:
    image = _image(input)
    ways = zip(*(_each(way, image) for way in (sigma, order, mode, radius)), strict=True)
    for axis, (width, power, beyond, reach) in enumerate(ways):
        if reach is not None or not isinstance(width, int | float) or width > 1e-15:
            image = gaussian_filter1d(image, width, axis, power, beyond, cval, truncate, radius=reach)
    return image


def uniform_filter1d(
    input: Array,
    size: int,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Array:
    return correlate1d(input, np.full(size, 1.0 / size), axis, mode, cval, origin)


def uniform_filter(input: Array, size: Any = 3, mode: Any = "reflect", cval: float = 0.0, origin: Any = 0) -> Array:
    image = _image(input)
    ways = zip(*(_each(way, image) for way in (size, mode, origin)), strict=True)
    for axis, (length, beyond, shift) in enumerate(ways):
        image = uniform_filter1d(image, length, axis, beyond, cval, shift)
    return image


def laplace(input: Array, mode: str = "reflect", cval: float = 0.0) -> Array:
    image = _image(input)
    return sum(correlate1d(image, [1.0, -2.0, 1.0], axis, mode, cval) for axis in range(image.ndim))


def sobel(input: Array, axis: int = -1, mode: str = "reflect", cval: float = 0.0) -> Array:
    return _edges(_image(input), axis, [1.0, 2.0, 1.0], mode, cval)


def prewitt(input: Array, axis: int = -1, mode: str = "reflect", cval: float = 0.0) -> Array:
    return _edges(_image(input), axis, [1.0, 1.0, 1.0], mode, cval)


def _windows(input: Array, size: Any, footprint: Any, mode: str, cval: float, origin: Any) -> Array:
    """All elements around each one, along the first axis."""
    image = _image(input)
    if size is None or footprint is not None:
        raise ValueError("Filters of ranks are supported with a 'size', without a 'footprint'")
    sizes = tuple(_each(size, image))
    before = [n // 2 + shift for n, shift in zip(sizes, _each(origin, image), strict=True)]
    around = _around(image, sizes, before, mode, cval)
    places = itertools.product(*map(range, sizes))
    slices = [tuple(slice(i, i + n) for i, n in zip(place, image.shape, strict=True)) for place in places]
    return np.stack([around[one] for one in slices])


def maximum_filter(
    input: Array, size: Any = None, footprint: Any = None, mode: str = "reflect", cval: float = 0.0, origin: Any = 0
) -> Array:
    return np.max(_windows(input, size, footprint, mode, cval, origin), axis=0)


def minimum_filter(
    input: Array, size: Any = None, footprint: Any = None, mode: str = "reflect", cval: float = 0.0, origin: Any = 0
) -> Array:
    return np.min(_windows(input, size, footprint, mode, cval, origin), axis=0)


def rank_filter(
    input: Array,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
) -> Array:
    return np.sort(_windows(input, size, footprint, mode, cval, origin), axis=0)[rank]


def median_filter(
    input: Array, size: Any = None, footprint: Any = None, mode: str = "reflect", cval: float = 0.0, origin: Any = 0
) -> Array:
    windows = _windows(input, size, footprint, mode, cval, origin)
    return np.sort(windows, axis=0)[len(windows) // 2]


def _edges(image: Array, axis: int, across: list[float], mode: str, cval: float) -> Array:
    result = correlate1d(image, [-1.0, 0.0, 1.0], axis, mode, cval)
    for other in range(image.ndim):
        if other != axis % image.ndim:
            result = correlate1d(result, across, other, mode, cval)
    return result


def convolve2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Array:
    return _overlapped(in1, np.flip(np.asarray(in2)), mode, boundary, fillvalue, 0)


def correlate2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Array:
    return _overlapped(in1, np.asarray(in2), mode, boundary, fillvalue, 1)


def convolve_of_signals(in1: Array, in2: Array, mode: str = "full") -> Array:
    return _overlapped(in1, np.flip(np.asarray(in2)), mode, "fill", 0, 0)


def correlate_of_signals(in1: Array, in2: Array, mode: str = "full") -> Array:
    return _overlapped(in1, np.asarray(in2), mode, "fill", 0, 0)


def _image(input: Array) -> Array:
    image = np.asarray(input)
    if image.dtype.kind != "f":
        raise ValueError("Filters of floats are supported")
    return image


def _each(way: Any, image: Array) -> list[Any]:
    """An argument for each axis."""
    return list(way) if isinstance(way, list | tuple) else [way] * image.ndim


def _around(image: Array, sizes: tuple[int, ...], before: list[int], mode: str, cval: float) -> Array:
    """With what weights of these sizes reach beyond the border."""
    return _padded(image, [(first, size - 1 - first) for size, first in zip(sizes, before, strict=True)], mode, cval)


def _padded(image: Array, widths: list[tuple[int, int]], mode: str, cval: float) -> Array:
    if PADDING[mode] == "constant":
        return np.pad(image, widths, mode="constant", constant_values=cval)
    return np.pad(image, widths, mode=PADDING[mode])


def _overlapped(in1: Array, weights: Array, mode: str, boundary: str, fillvalue: float, shift: int) -> Array:
    """Where `weights` overlap the first array at all, wholly, or as many places as it has elements."""
    image = np.asarray(in1) * 1.0
    larger = [a >= b for a, b in zip(image.shape, weights.shape, strict=True)]
    if mode == "valid" and not all(larger):
        raise ValueError("The first array must be the larger one")
    widths = [_margins(n, (n - shift) // 2)[mode] for n in weights.shape]
    padded = _padded(image, widths, BOUNDARIES[boundary], fillvalue)
    shape = [n - k + 1 for n, k in zip(padded.shape, weights.shape, strict=True)]
    return _correlated(padded, weights, np.zeros(shape, padded.dtype))


def _margins(size: int, half: int) -> dict[str, tuple[int, int]]:
    return {"full": (size - 1, size - 1), "same": (half, size - 1 - half), "valid": (0, 0)}


def _correlated(padded: Array, weights: Array, like: Array) -> Array:
    """For each element of `like`, the sum of what `weights` lie upon, of a `padded` array."""
    if weights.ndim != padded.ndim:
        raise ValueError("Array and weights must have as many dimensions")
    result = np.zeros_like(like)
    if padded.ndim == 2:
        rows, columns = like.shape
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                result += weights[i, j] * padded[i : i + rows, j : j + columns]
        return result
    for place in itertools.product(*map(range, weights.shape)):
        result += weights[place] * padded[tuple(slice(i, i + n) for i, n in zip(place, like.shape, strict=True))]
    return result


NDIMAGE: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(correlate, convolve, correlate1d, convolve1d, gaussian_filter, gaussian_filter1d, uniform_filter),
        *(uniform_filter1d, laplace, sobel, prewitt, maximum_filter, minimum_filter, median_filter, rank_filter),
    )
}
SIGNAL: dict[str, Callable[..., Any]] = {
    "convolve2d": convolve2d,
    "correlate2d": correlate2d,
    "convolve": convolve_of_signals,
    "fftconvolve": convolve_of_signals,
    "correlate": correlate_of_signals,
}
