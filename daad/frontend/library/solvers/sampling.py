"""Images of `scipy.ndimage` at places between their elements, as NumPy programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored
from daad.frontend.library.solvers.primitives import natively

Array = Any  # staged while the program is read
PREFILTERS = {
    "constant": "mirror",
    "mirror": "mirror",
    "wrap": "mirror",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "grid-wrap": "grid-wrap",
    "nearest": "mirror",
    "grid-constant": "mirror",
}
"""How coefficients of splines go on beyond the border."""
PADDED = 12
"""Elements by which SciPy continues an image that repeats its border or has a number there, before it finds
coefficients."""


def _filter(size: int, order: int, mode: str) -> Array:
    """The matrix that gives a line's coefficients."""
    return natively("scipy.ndimage", "spline_filter1d", np.eye(size), order, 0, float, mode)


def _coefficients(image: Array, order: int, mode: str) -> Array:
    for axis in range(image.ndim):
        moved = np.tensordot(_filter(image.shape[axis], order, mode), image, (1, axis))
        image = np.moveaxis(moved, 0, axis)
    return image


def _inside(at: Array, size: int, mode: str) -> Array:
    """Places within the image, for those beyond its border."""
    if mode in ("constant", "grid-constant"):
        return at
    if mode == "nearest":
        return np.clip(at, 0.0, size - 1.0)
    if mode == "mirror":
        return _folded(at, size - 1.0) if size > 1 else 0.0 * at
    if mode in ("reflect", "grid-mirror"):
        return _folded(at + 0.5, 1.0 * size) - 0.5
    period = size - 1.0 if mode == "wrap" else 1.0 * size
    outside = (at < 0.0) | (at > size - 1.0) if mode == "wrap" else at > -np.inf
    return np.where(outside, at - period * np.floor(at / period), at)


def _folded(at: Array, size: float) -> Array:
    at = np.abs(at) - 2.0 * size * np.floor(np.abs(at) / (2.0 * size))
    return np.where(at > size, 2.0 * size - at, at)


def _place(index: Array, size: int, mode: str, order: int) -> Array:
    """The element that stands for one beyond the border."""
    if mode in ("reflect", "grid-mirror"):
        index = index % (2 * size)
        return np.where(index >= size, 2 * size - 1 - index, index)
    if mode == "grid-wrap":
        return index % size
    if mode == "grid-constant":
        return np.clip(index, 0, size - 1)
    if size == 1:
        return 0 * index
    if mode != "constant" or order > 1:
        index = np.abs(index)
    if mode != "constant" or order - order // 2 > size - 1:
        index = index % (2 * (size - 1))
    return np.where(index >= size, 2 * (size - 1) - index, index)


def _weights(part: Array, order: int) -> list[Array]:
    """Of the elements around a place, which lies a `part` behind a knot: by the recursion of B-splines."""
    if order == 0:
        return [np.ones_like(part)]
    weights = [1.0 - part, part]
    for n in range(2, order + 1):
        ends = (1.0 - part) * weights[0] / n, part * weights[-1] / n
        inner = [((part + (n - k)) * weights[k - 1] + ((k + 1) - part) * weights[k]) / n for k in range(1, n)]
        weights = [ends[0], *inner, ends[1]]
    return weights


def sampled(image: Array, at: Sequence[Array], order: int, mode: str, cval: float, prefilter: bool) -> Array:
    """The image at places, given axis by axis, in double precision."""
    image = np.asarray(image)
    if np.iscomplexobj(image):
        parts = [sampled(part, at, order, mode, c, prefilter) for part, c in ((image.real, cval), (image.imag, 0.0))]
        return parts[0] + 1j * parts[1]
    image = image.astype(np.float64)
    within = np.ones(np.shape(at[0]), bool)
    if mode == "constant":
        for p, size in zip(at, image.shape, strict=True):
            within = within & (p >= 0.0) & (p <= size - 1.0)
        at = [np.where(within, p, 0.0) for p in at]
    filters = prefilter and order > 1
    if filters and mode in ("nearest", "grid-constant"):
        edge = {"mode": "edge"} if mode == "nearest" else {"mode": "constant", "constant_values": cval}
        image = np.pad(image, PADDED, **edge)
        at = [p + PADDED for p in at]
    at = [_inside(p, size, mode) for p, size in zip(at, image.shape, strict=True)]
    if filters:
        image = _coefficients(image, order, PREFILTERS[mode])
    first = [np.floor(p) if order % 2 else np.floor(p + 0.5) for p in at]
    parts = [p - f if order % 2 else p - f + 0.5 for p, f in zip(at, first, strict=True)]
    weights = [_weights(part, order) for part in parts]
    starts = [f.astype(int) - order // 2 for f in first]
    total = np.zeros(np.shape(at[0]))
    for steps in itertools.product(range(order + 1), repeat=image.ndim):
        index = tuple(_place(s + k, size, mode, order) for s, k, size in zip(starts, steps, image.shape, strict=True))
        weight = math.prod(weights[axis][k] for axis, k in enumerate(steps))
        value = image[index]
        if mode == "grid-constant":
            places = [(s + k, size) for s, k, size in zip(starts, steps, image.shape, strict=True)]
            value = np.where(np.all([(p >= 0) & (p < size) for p, size in places], axis=0), value, cval)
        total = total + weight * value
    return np.where(within, total, cval)


def delivered(found: Array, output: Any) -> Array:
    """As the dtype, or into the array, that is asked for."""
    if output is None:
        return found
    if isinstance(output, type | np.dtype | str):
        return found.astype(_alike(found, np.dtype(output)))
    _alike(found, output.dtype)
    output[...] = found
    return output


def _alike(found: Array, kind: Any) -> Any:
    """A dtype that SciPy's own code rounds to as NumPy does."""
    if kind.kind == "c" or (kind.kind == "b" and found.dtype.kind != "b"):
        raise ValueError(f"An output of dtype '{kind}' is not supported")
    return kind


def stored(found: Array, input: Array, output: Any) -> Array:
    """As SciPy stores samples: in the dtype, or the array, that is asked for, else in that of the image; rounded, and
    no further than its limits, where these are whole numbers."""
    asked = np.asarray(input).dtype if output is None else output
    kind = np.dtype(asked) if isinstance(asked, type | np.dtype | str) else asked.dtype
    if kind.kind in "iu":
        found = np.clip(np.trunc(found + np.copysign(0.5, found)), np.iinfo(kind).min, np.iinfo(kind).max)
    return delivered(np.trunc(found).astype(kind) if kind.kind == "b" else found.astype(kind), output)


def map_coordinates(
    input: Array,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Array:
    at = [np.asarray(one) * 1.0 for one in coordinates]
    return stored(sampled(input, at, order, mode, cval, prefilter), input, output)


def _grid(shape: Sequence[int]) -> list[Array]:
    return [one * 1.0 for one in np.indices(tuple(shape))]


def shift(
    input: Array,
    shift: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Array:
    steps = [shift] * np.ndim(input) if np.ndim(shift) == 0 else [shift[k] for k in range(np.ndim(input))]
    at = [p - step for p, step in zip(_grid(np.shape(input)), steps, strict=True)]
    return stored(sampled(input, at, order, mode, cval, prefilter), input, output)


def zoom(
    input: Array,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Array:
    factors = [zoom] * np.ndim(input) if np.ndim(zoom) == 0 else list(zoom)
    shape = [round(n * factor) for n, factor in zip(np.shape(input), factors, strict=True)]
    if grid_mode:
        steps = [n / m for n, m in zip(np.shape(input), shape, strict=True)]
        at = [(p + 0.5) * step - 0.5 for p, step in zip(_grid(shape), steps, strict=True)]
        return stored(sampled(input, at, order, mode, cval, prefilter), input, output)
    steps = [(n - 1) / (m - 1) if m > 1 else 1.0 for n, m in zip(np.shape(input), shape, strict=True)]
    at = [p * step for p, step in zip(_grid(shape), steps, strict=True)]
    at = [np.minimum(p, n - 1.0) for p, n in zip(at, np.shape(input), strict=True)]
    return stored(sampled(input, at, order, mode, cval, prefilter), input, output)


def affine_transform(
    input: Array,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Array:
    n, m = np.ndim(input), np.asarray(matrix)
    if m.ndim == 2 and m.shape[1] == n + 1:
        m, offset = m[:n, :n], m[:n, n]
    m = np.diag(m) if m.ndim == 1 else m
    off = [offset] * n if np.ndim(offset) == 0 else [offset[k] for k in range(n)]
    points = _grid(np.shape(input) if output_shape is None else output_shape)
    at = [sum(m[i, k] * points[k] for k in range(n)) + off[i] for i in range(n)]
    return stored(sampled(input, at, order, mode, cval, prefilter), input, output)


def _exact(function: Callable[[Array], Array], angle: Any, zero: float) -> Array:
    """The function of degrees, which is zero where it should be."""
    found = function(np.deg2rad(angle))
    return anchored(found, np.where(angle % 180.0 == zero, 0.0, found))


def rotate(
    input: Array,
    angle: Any,
    axes: Any = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Array:
    """Of images, by an angle that is known where the shape follows from it."""
    ndim = np.ndim(input)
    first, second = sorted(axis % ndim for axis in axes)
    if ndim > 2:
        planes = np.moveaxis(np.asarray(input), (first, second), (0, 1))
        flat = planes.reshape((*planes.shape[:2], -1))
        ways = (angle, (1, 0), reshape, complex if np.iscomplexobj(flat) else float, order, mode, cval, prefilter)
        turned = np.stack([rotate(flat[:, :, k], *ways) for k in range(flat.shape[2])], axis=-1)
        whole = turned.reshape((*turned.shape[:2], *planes.shape[2:]))
        return stored(np.moveaxis(whole, (0, 1), (first, second)), input, output)
    c, s = _exact(np.cos, angle, 90.0), _exact(np.sin, angle, 0.0)
    rows, cols = np.shape(input)
    shape: tuple[int, ...] = (rows, cols)
    if reshape:
        radians = math.radians(angle)
        cosine, sine = math.cos(radians), math.sin(radians)
        corners = [
            [cosine * y + sine * x, -sine * y + cosine * x] for y, x in ((0, 0), (0, cols), (rows, 0), (rows, cols))
        ]
        shape = tuple(int(max(p[k] for p in corners) - min(p[k] for p in corners) + 0.5) for k in range(2))
    y, x = _grid(shape)
    middle = ((shape[0] - 1) / 2, (shape[1] - 1) / 2)
    off = (
        (rows - 1) / 2 - (c * middle[0] + s * middle[1]),
        (cols - 1) / 2 - (-s * middle[0] + c * middle[1]),
    )
    at = [c * y + s * x + off[0], -s * y + c * x + off[1]]
    return stored(sampled(input, at, order, mode, cval, prefilter), input, output)


SAMPLING: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (map_coordinates, shift, zoom, affine_transform, rotate)
}
