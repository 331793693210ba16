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
    """By parabolas through three points each; through the last three, where one interval is left."""
    heights = np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    if heights.shape[-1] % 2 == 0:
        return _with_the_last(heights, _widths(x, dx, heights, axis))
    first, middle, last = heights[..., :-2:2], heights[..., 1:-1:2], heights[..., 2::2]
    if x is None:
        return dx / 3.0 * np.sum(first + 4.0 * middle + last, axis=-1)
    widths = _widths(x, dx, heights, axis)
    left, right = widths[..., ::2], widths[..., 1::2]
    whole = left + right
    parts = first * (2.0 - _ratio(right, left)) + last * (2.0 - _ratio(left, right))
    parts = parts + middle * whole * _ratio(whole, left * right)
    return np.sum(whole / 6.0 * parts, axis=-1)


def _widths(x: Array, dx: Array, heights: Array, axis: int) -> Array:
    if x is None:
        return np.full(heights.shape[-1] - 1, 1.0) * dx
    return np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))


def _with_the_last(heights: Array, widths: Array) -> Array:
    """K. V. Cartwright, Simpson's rule cumulative integration with MS Excel and irregularly-spaced data, 2017."""
    if heights.shape[-1] == 2:
        return 0.5 * widths[..., -1] * (heights[..., -1] + heights[..., -2])
    points = np.concatenate((np.zeros_like(widths[..., :1]), np.cumsum(widths[..., :-1], axis=-1)), axis=-1)
    before, last = widths[..., -2], widths[..., -1]
    alpha = _ratio(2.0 * last**2 + 3.0 * before * last, 6.0 * (last + before))
    beta = _ratio(last**2 + 3.0 * before * last, 6.0 * before)
    eta = _ratio(last**3, 6.0 * before * (before + last))
    rest = alpha * heights[..., -1] + beta * heights[..., -2] - eta * heights[..., -3]
    return simpson(heights[..., :-1], points) + rest


def _ratio(a: Array, b: Array) -> Array:
    """Zero where points coincide."""
    return np.where(b == 0.0, 0.0, a / np.where(b == 0.0, 1.0, b))


SCIPY: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (trapezoid, cumulative_trapezoid, simpson)
}
