"""Filters of `scipy.signal` along an axis: difference equations, changes of the sampling rate, medians."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def _filtered(b: Array, a: Array, x: Array, start: Array) -> Array:
    """The difference equation for each row of `x`, from rest or from a state."""
    kind = np.result_type(b, a, x) if start is None else np.result_type(b, a, x, start)
    y = np.zeros(x.shape, kind)
    for row in range(x.shape[0]):
        for n in range(x.shape[1]):
            total = kind.type(0)
            for k in range(min(len(b), x.shape[1])):
                total += b[k] * x[row, n - k] if n >= k else 0.0
            for k in range(1, min(len(a), x.shape[1])):
                total -= a[k] * y[row, n - k] if n >= k else 0.0
            if start is not None:
                total += start[row, n] if n < start.shape[1] else 0.0
            y[row, n] = total
    return y


def _state(b: Array, a: Array, x: Array, y: Array, start: Array) -> Array:
    """What remains after the last number, as `start` is before the first one."""
    rows, order = start.shape
    count, zeros = x.shape[1], np.zeros(start.shape, y.dtype)
    b, a = (np.concatenate((c, np.zeros(order + 1 - len(c)))) for c in (b, a))
    x, y = np.concatenate((zeros, x), axis=1), np.concatenate((zeros, y), axis=1)
    end = np.concatenate((start, np.zeros((rows, count), y.dtype)), axis=1)[:, count:]
    for k in range(order):
        for j in range(k + 1, order + 1):
            end[:, k] += b[j] * x[:, order + count + k - j] - a[j] * y[:, order + count + k - j]
    return end


def _rows(x: Array, axis: int) -> Array:
    moved = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    return moved.reshape(-1, moved.shape[-1])


def _placed(rows: Array, like: Array, axis: int) -> Array:
    """Rows as the axis of an array that has the other axes of another one."""
    shape = np.moveaxis(np.asarray(like), axis, -1).shape
    return np.moveaxis(rows.reshape(*shape[:-1], rows.shape[-1]), -1, axis)


def lfilter(b: Array, a: Array, x: Array, axis: int = -1, zi: Array = None) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    b, a = b / a[0], a / a[0]
    rows = _rows(x, axis)
    if zi is None:
        return _placed(_filtered(b, a, rows, None), x, axis)
    order = max(len(a), len(b)) - 1
    shape = [*np.shape(x)]
    shape[axis] = order
    start = _rows(np.broadcast_to(np.asarray(zi) * 1.0, shape), axis)
    found = _filtered(b, a, rows, start)
    return _placed(found, x, axis), _placed(_state(b, a, rows, found, start), x, axis)


def lfilter_zi(b: Array, a: Array) -> Array:
    """The state in which a constant 1 leaves the filter."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    b, a = b / a[0], a / a[0]
    kind = np.result_type(b, a)
    size = max(len(a), len(b))
    b, a = (np.concatenate((c, np.zeros(size - len(c)))) for c in (b, a))
    rest = b[1:] - a[1:] * b[0]
    first = np.sum(rest) / np.sum(a)
    found = first * np.cumsum(a)[:-1] - np.cumsum(np.concatenate((np.zeros(1), rest)))[:-1]
    return found.astype(kind)


def lfiltic(b: Array, a: Array, y: Array, x: Array = None) -> Array:
    """The state after these outputs and inputs, the latest first; SciPy leaves out a division by 1."""
    b, a, y = np.atleast_1d(b), np.atleast_1d(a), np.asarray(y) * 1.0
    if b.ndim > 1 or a.ndim > 1:
        raise ValueError("Filter coefficients must be 1-D.")
    order, count = len(a) - 1, len(b) - 1
    x = np.zeros(count) if x is None else np.asarray(x) * 1.0
    y, x = (np.concatenate((c, np.zeros(max(0, n - len(c))))) for c, n in ((y, order), (x, count)))
    state = np.zeros(max(order, count))
    for k in range(count):
        state[k] = np.sum(b[k + 1 :] * x[: count - k])
    for k in range(order):
        state[k] -= np.sum(a[k + 1 :] * y[: order - k])
    return (state / a[0]).astype(np.result_type(b, a, y, x))


def sosfilt(sos: Array, x: Array, axis: int = -1, zi: Array = None) -> Any:
    sections = np.asarray(sos)
    if zi is None:
        for k in range(len(sections)):
            x = lfilter(sections[k, :3], sections[k, 3:], x, axis)
        return x
    ends = []
    for k in range(len(sections)):
        x, end = lfilter(sections[k, :3], sections[k, 3:], x, axis, zi[k])
        ends.append(end)
    return x, np.stack(ends)


def _beyond(lines: Array, mode: Any, cval: Any, count: int) -> Array:
    """The lines with so many more numbers at both ends."""
    ends = [(0, 0)] * (lines.ndim - 1) + [(count, count)]
    first, last, size = lines[..., :1], lines[..., -1:], lines.shape[-1]
    if mode in ("wrap", "edge", "symmetric", "reflect"):
        return np.pad(lines, ends, mode=mode)
    if mode == "constant":
        return np.pad(lines, ends, mode="constant", constant_values=cval)
    if mode == "antisymmetric" and count < size:
        even = np.pad(lines, ends, mode="symmetric")
        return np.concatenate((-even[..., :count], lines, -even[..., count + size :]), axis=-1)
    if mode == "antireflect" and count < size:
        even = np.pad(lines, ends, mode="reflect")
        return np.concatenate((2.0 * first - even[..., :count], lines, 2.0 * last - even[..., count + size :]), axis=-1)
    if mode not in ("smooth", "line"):
        raise ValueError(f"An extension by the mode '{mode}' is not supported here")
    one = lines[..., 1:2] - first if mode == "smooth" else (last - first) / (size - 1)
    other = last - lines[..., -2:-1] if mode == "smooth" else one
    steps = np.arange(1, count + 1)
    return np.concatenate((first - one * steps[::-1], lines, last + other * steps), axis=-1)


def upfirdn(
    h: Array, x: Array, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant", cval: Any = 0
) -> Array:
    """Each weight falls upon every so many numbers."""
    weights, lines = np.asarray(h) * 1.0, np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    kind = np.result_type(weights, lines)
    if mode != "constant" or cval != 0:
        more = down * (-(-len(weights) // (up * down)) + 1)
        size = ((lines.shape[-1] - 1) * up + len(weights) - 1) // down + 1
        found = upfirdn(weights, _beyond(lines, mode, cval, more), up, down)
        return np.moveaxis(found[..., more * up // down :][..., :size], -1, axis)
    count = lines.shape[-1]
    size = ((count - 1) * up + len(weights) - 1) // down + 1
    found = np.zeros((*lines.shape[:-1], size), kind)
    step = up // math.gcd(up, down)
    jump = step * down // up
    for k, first in itertools.product(range(len(weights)), range(step)):
        place, rest = divmod(first * down - k, up)
        start, stop = max(0, -(place // jump)), min((size - 1 - first) // step, (count - 1 - place) // jump)
        if rest == 0 and start <= stop:
            part = lines[..., place + start * jump : place + stop * jump + 1 : jump]
            found[..., first + start * step : first + stop * step + 1 : step] += weights[k] * part
    return np.moveaxis(found, -1, axis)


def _windows(image: Array, sizes: Any) -> Array:
    """What lies around each element, zeros beyond the border, along a new first axis."""
    padded = np.pad(image, [(n // 2, n // 2) for n in sizes])
    corners = itertools.product(*map(range, sizes))
    return np.stack([padded[tuple(slice(i, i + n) for i, n in zip(c, image.shape, strict=True))] for c in corners])


def medfilt(volume: Array, kernel_size: Any = None) -> Array:
    image = np.asarray(volume)
    sizes = 3 if kernel_size is None else kernel_size
    sizes = [sizes] * image.ndim if isinstance(sizes, int) else [*sizes]
    return np.median(_windows(image, sizes), axis=0).astype(image.dtype)


def medfilt2d(input: Array, kernel_size: Any = 3) -> Array:
    return medfilt(input, kernel_size)


SIGNAL: dict[str, Callable[..., Any]] = {
    program.__name__: program for program in (lfilter, lfilter_zi, lfiltic, sosfilt, upfirdn, medfilt, medfilt2d)
}
