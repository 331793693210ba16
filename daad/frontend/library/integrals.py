"""Integrals of sampled functions, of `scipy.integrate`, as NumPy programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def trapezoid(y: Array, x: Array = None, dx: Array = 1.0, axis: int = -1) -> Array:
    return np.trapezoid(y, x, dx, axis)


def cumulative_trapezoid(
    y: Array, x: Array = None, dx: Array = 1.0, axis: int = -1, initial: float | None = None
) -> Array:
    heights = np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    widths = dx if x is None else np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    areas = np.cumsum(widths * (heights[..., 1:] + heights[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        areas = np.concatenate((np.full((*areas.shape[:-1], 1), initial, areas.dtype), areas), axis=-1)
    return np.moveaxis(areas, -1, axis)


def simpson(y: Array, x: Array = None, *, dx: Array = 1.0, axis: int = -1) -> Array:
    """By parabolas through three points each: of an odd number of points."""
    heights = np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    if heights.shape[-1] % 2 == 0:
        raise ValueError("Simpson's rule for an even number of points is not supported")
    first, middle, last = heights[..., :-2:2], heights[..., 1:-1:2], heights[..., 2::2]
    if x is None:
        return dx / 3.0 * np.sum(first + 4.0 * middle + last, axis=-1)
    widths = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    left, right = widths[..., ::2], widths[..., 1::2]
    whole = left + right
    parts = first * (2.0 - _ratio(right, left)) + last * (2.0 - _ratio(left, right))
    parts = parts + middle * whole * _ratio(whole, left * right)
    return np.sum(whole / 6.0 * parts, axis=-1)


def _ratio(a: Array, b: Array) -> Array:
    """Zero where points coincide."""
    return np.where(b == 0.0, 0.0, a / np.where(b == 0.0, 1.0, b))


SCIPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (trapezoid, cumulative_trapezoid, simpson)
}
