"""Filters of `scipy.ndimage` by functions of the program, transformations by them, and filters in Fourier space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers.primitives import true_places

Array = Any  # staged while the program is read
Function = Callable[..., Any]
PADDED = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}
"""NumPy's names for what lies beyond an image."""


def _each(value: Any, count: int) -> list[Any]:
    return [value] * count if np.ndim(value) == 0 else list(value)


def generic_filter(
    input: Array,
    function: Function,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    extra_arguments: Any = (),
    extra_keywords: Any = None,
    axes: Any = None,
) -> Array:
    """The function gets what lies in the footprint around each place, in a vector."""
    if output is not None or axes is not None or not isinstance(mode, str):
        raise ValueError("'generic_filter' with 'output', 'axes' or several modes is not supported")
    image = np.asarray(input) * 1.0
    mask = np.ones(_each(size, image.ndim), bool) if footprint is None else np.asarray(footprint) != 0
    before = [n // 2 + k for n, k in zip(mask.shape, _each(origin, image.ndim), strict=True)]
    margins = [(k, n - 1 - k) for n, k in zip(mask.shape, before, strict=True)]
    beyond: Any = {"constant_values": cval} if PADDED[mode] == "constant" else {}
    way: Any = PADDED[mode]
    padded = np.pad(image, margins, way, **beyond)
    places = true_places(mask)
    if places is None:
        raise ValueError("The footprint depends on data")
    windows = np.stack([_shifted(padded, place, image.shape) for place in places], axis=1)
    found, named = np.zeros(len(windows)), {} if extra_keywords is None else extra_keywords
    for i in range(len(windows)):
        found[i] = function(windows[i], *extra_arguments, **named)
    return found.reshape(image.shape)


def _shifted(padded: Array, place: Any, shape: Any) -> Array:
    return padded[tuple(slice(first, first + n) for first, n in zip(place, shape, strict=True))].ravel()


def geometric_transform(
    input: Array,
    mapping: Function,
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    extra_arguments: Any = (),
    extra_keywords: Any = None,
) -> Array:
    """The function says where in the image each place of the result comes from."""
    if output is not None:
        raise ValueError("'geometric_transform' with 'output' is not supported")
    image, named = np.asarray(input) * 1.0, {} if extra_keywords is None else extra_keywords
    shape = image.shape if output_shape is None else output_shape
    grid = np.indices(shape).reshape((len(shape), -1))
    places = np.zeros((image.ndim, grid.shape[1]))
    for i in range(grid.shape[1]):
        found = mapping(tuple(row[i] for row in grid), *extra_arguments, **named)
        for k in range(image.ndim):
            places[k, i] = found[k]
    sample = python_function("scipy.ndimage", "map_coordinates")
    at = places.reshape((image.ndim, *shape))
    return sample(image, at, order=order, mode=mode, cval=cval, prefilter=prefilter)


def _along(image: Array, n: int, axis: int, factor: Function, sizes: Any) -> Array:
    """The image times a factor of each frequency and size along the axes; `n`: points that a real transform had."""
    found = image + 0j
    for k, size in enumerate(_each(sizes, image.ndim)):
        count = image.shape[k]
        number = np.arange(count)
        is_half = n >= 0 and k == axis % image.ndim
        if not is_half:
            number = np.where(number < (count + 1) // 2, number, number - count)
        share = factor(number * 1.0 / (n if is_half else count), size)
        found = found * np.reshape(share, [-1 if j == k else 1 for j in range(image.ndim)])
    return found


def _gaussian(frequency: Array, size: Array) -> Array:
    return np.exp(-2.0 * (np.pi * frequency * size) ** 2)


def _uniform(frequency: Array, size: Array) -> Array:
    return np.sinc(frequency * size)


def _shift(frequency: Array, size: Array) -> Array:
    return np.exp(-2j * np.pi * frequency * size)


def _filter(factor: Function) -> Function:
    def fourier(input: Array, sizes: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
        if output is not None:
            raise ValueError("Filters in Fourier space with 'output' are not supported")
        return _along(np.asarray(input), n, axis, factor, sizes)

    return fourier


def fourier_gaussian(input: Array, sigma: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filter(_gaussian)(input, sigma, n, axis, output)


def fourier_uniform(input: Array, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filter(_uniform)(input, size, n, axis, output)


def fourier_shift(input: Array, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filter(_shift)(input, shift, n, axis, output)


FUNCTIONS: dict[str, Function] = {
    program.__name__: program
    for program in (generic_filter, geometric_transform, fourier_gaussian, fourier_uniform, fourier_shift)
}
