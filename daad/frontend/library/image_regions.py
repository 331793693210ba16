"""Regions of images, of `scipy.ndimage`: labels and masks, which have no derivative, and sums over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, held, python_function
from daad.frontend.library.solvers.sampling import delivered

Array = Any  # staged while the program is read

of_scipy = partial(python_function, "scipy.ndimage")


def _marks(input: Array) -> Array:
    """What is marked: all that counts of an image for these functions."""
    return np.asarray(input) != 0


def _mask_of(name: str) -> Callable[..., Array]:
    """A function that gives a mask of the image's shape."""

    def binary(input: Array, structure: Any = None, output: Any = None, **rest: Any) -> Array:
        marks, shape = _marks(input), structure if structure is None else _marks(structure)
        place = None if isinstance(output, type | np.dtype | str) else output
        return delivered(by_python(lambda: of_scipy(name)(marks, shape, **rest), marks), place)

    return binary


def binary_hit_or_miss(input: Array, structure1: Any = None, structure2: Any = None, **rest: Any) -> Array:
    marks = _marks(input)
    shapes = [one if one is None else _marks(one) for one in (structure1, structure2)]
    return by_python(lambda: of_scipy("binary_hit_or_miss")(marks, *shapes, **rest), marks)


def label(input: Array, structure: Any = None) -> Any:
    marks = _marks(input)
    return by_python(lambda: tuple(of_scipy("label")(marks, structure)), (np.zeros(marks.shape, np.int32), 0))


def _regions(input: Array, labels: Any, index: Any) -> tuple[Array, Array]:
    """The image, and whether an element belongs to a region: numbers of regions come first."""
    image = np.asarray(input) if np.ndim(index) == 0 else np.asarray(input) * np.float64(1.0)
    if labels is None:
        return image, np.ones(image.shape, bool)
    labels = np.broadcast_to(np.asarray(labels), image.shape)
    if index is None:
        return image, labels > 0
    index = np.asarray(index)
    if index.dtype.kind == "f" and index.ndim and labels.dtype.kind in "biu":
        counted = (np.min(labels) >= 0) & (np.max(labels) <= labels.size)
        index = np.where(counted, np.trunc(index), index)
    return image, index.reshape(index.shape + (1,) * image.ndim) == labels


def _total(image: Array, inside: Array, dimensions: int) -> Array:
    return np.sum(
        np.where(inside, image, np.zeros_like(image)), axis=tuple(range(inside.ndim - dimensions, inside.ndim))
    )


def _count(image: Array, inside: Array) -> Array:
    return _total(np.ones(image.shape), inside, image.ndim)


def sum_labels(input: Array, labels: Any = None, index: Any = None) -> Array:
    image, inside = _regions(input, labels, index)
    return _total(image, inside, image.ndim)


def mean(input: Array, labels: Any = None, index: Any = None) -> Array:
    image, inside = _regions(input, labels, index)
    return _total(image, inside, image.ndim) / _count(image, inside)


def variance(input: Array, labels: Any = None, index: Any = None) -> Array:
    image, inside = _regions(input, labels, index)
    count = _count(image, inside)
    middle = np.asarray(_total(image, inside, image.ndim) / count)
    distances = image - middle.reshape(middle.shape + (1,) * image.ndim)
    return _total(distances * np.conj(distances), inside, image.ndim) / count


def standard_deviation(input: Array, labels: Any = None, index: Any = None) -> Array:
    return np.sqrt(variance(input, labels, index))


def distance_transform_edt(input: Array, sampling: Any = None) -> Array:
    """The distance to the nearest element that is not marked."""
    marks = held(_marks(input))
    return by_python(lambda: of_scipy("distance_transform_edt")(marks, sampling), np.zeros(np.shape(input)))


MASKS = ("binary_closing", "binary_dilation", "binary_erosion", "binary_opening", "binary_fill_holes")
REGIONS: dict[str, Callable[..., Any]] = {
    **{name: _mask_of(name) for name in MASKS},
    **{program.__name__: program for program in (binary_hit_or_miss, label, distance_transform_edt)},
    **{program.__name__: program for program in (sum_labels, mean, variance, standard_deviation)},
    "sum": sum_labels,
}
