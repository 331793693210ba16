"""Filters of `scipy.ndimage` by functions of the program, transformations by them, and filters in Fourier space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.image_kernels import CODES, around, at, each
from daad.frontend.library.solvers.primitives import true_places
from daad.frontend.library.solvers.sampling import delivered

Array = Any  # staged while the program is read
Function = Callable[..., Any]


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
    given = np.asarray(input)
    image = given * 1.0
    mask = np.ones(each(size, image.ndim), bool) if footprint is None else np.asarray(footprint) != 0
    padded = around(image, mask.shape, each(origin, image.ndim), CODES[mode], cval)
    places = true_places(mask)
    if places is None:
        raise ValueError("The footprint depends on data")
    windows = np.stack([at(padded, place, image).ravel() for place in places], axis=1)
    found, named = np.zeros(len(windows)), {} if extra_keywords is None else extra_keywords
    for i in range(len(windows)):
        found[i] = function(windows[i], *extra_arguments, **named)
    return found.reshape(image.shape).astype(given.dtype)


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
    image, named = np.asarray(input), {} if extra_keywords is None else extra_keywords
    shape = image.shape if output_shape is None else output_shape
    grid = np.indices(shape).reshape((len(shape), -1))
    places = np.zeros((image.ndim, grid.shape[1]))
    for i in range(grid.shape[1]):
        found = mapping(tuple(row[i] for row in grid), *extra_arguments, **named)
        for k in range(image.ndim):
            places[k, i] = found[k]
    sample = python_function("scipy.ndimage", "map_coordinates")
    return sample(image, places.reshape((image.ndim, *shape)), order=order, mode=mode, cval=cval, prefilter=prefilter)


def _frequencies(count: int, n: int, is_axis: bool) -> Array:
    """Those of one axis; `n`: points that a real transform along it had."""
    number = np.arange(count)
    if n >= 0 and is_axis:
        return number * 1.0 / n
    return np.where(number < (count + 1) // 2, number, number - count) * 1.0 / count


def _along(image: Array, n: int, axis: int, factor: Function, sizes: Any) -> Array:
    """The image times a factor of each frequency and size along the axes; `n`: points that a real transform had."""
    found = image * 1.0
    for k, size in enumerate(each(sizes, image.ndim)):
        share = factor(_frequencies(image.shape[k], n, k == axis % image.ndim), size)
        found = found * np.reshape(share, [-1 if j == k else 1 for j in range(image.ndim)])
    return found


def _gaussian(frequency: Array, size: Array) -> Array:
    return np.exp(-2.0 * (np.pi * frequency * size) ** 2)


def _uniform(frequency: Array, size: Array) -> Array:
    return np.sinc(frequency * size)


def _shift(frequency: Array, size: Array) -> Array:
    return np.exp(-2j * np.pi * frequency * size)


def _filtered(factor: Function, input: Array, sizes: Any, n: int, axis: int, output: Any) -> Array:
    image = np.asarray(input)
    return _delivered(_along(image, n, axis, factor, sizes), image, output)


def _delivered(found: Array, image: Array, output: Any) -> Array:
    """In an image's own precision, unless an array is given for it."""
    keeps = image.dtype == np.complex64 or (image.dtype == np.float32 and not np.iscomplexobj(found))
    return delivered(found.astype(image.dtype) if keeps and output is None else found, output)


def fourier_gaussian(input: Array, sigma: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filtered(_gaussian, input, sigma, n, axis, output)


def fourier_uniform(input: Array, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filtered(_uniform, input, size, n, axis, output)


def fourier_shift(input: Array, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    return _filtered(_shift, input, shift, n, axis, output)


def fourier_ellipsoid(input: Array, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> Array:
    """The transform of an interval, a disc or a ball, of the length of the frequencies in its axes."""
    image = np.asarray(input)
    if image.ndim > 3:
        raise ValueError("'scipy.ndimage.fourier_ellipsoid' in more than three dimensions is not supported")
    if image.ndim == 1:
        return _filtered(_uniform, input, size, n, axis, output)
    square = np.zeros(image.shape)
    for k, one in enumerate(each(size, image.ndim)):
        shares = _frequencies(image.shape[k], n, k == axis % image.ndim) * one * np.pi
        square = square + np.reshape(shares * shares, [-1 if j == k else 1 for j in range(image.ndim)])
    length = np.sqrt(np.where(square > 0.0, square, 1.0))
    if image.ndim == 2:
        factor = 2.0 * python_function("scipy.special", "j1")(length) / length
    else:
        factor = 3.0 * (np.sin(length) - length * np.cos(length)) / (length * length * length)
    return _delivered(image * np.where(square > 0.0, factor, 1.0), image, output)


FUNCTIONS: dict[str, Function] = {
    program.__name__: program
    for program in (
        *(generic_filter, geometric_transform),
        *(fourier_gaussian, fourier_uniform, fourier_shift, fourier_ellipsoid),
    )
}
