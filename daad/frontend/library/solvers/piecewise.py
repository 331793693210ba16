"""Piecewise polynomials of `scipy.interpolate` as NumPy programs: of the values, the places and the points between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


class Piecewise:
    """Polynomials of the distance from where an interval begins: `c[k, i]`, highest powers first, behind `x[i]`."""

    def __init__(self, c: Array, x: Array, extrapolate: Any = None, axis: int = 0) -> None:
        self.c, self.x, self.axis = np.asarray(c) * 1.0, np.asarray(x) * 1.0, axis
        self.extrapolate = True if extrapolate is None else extrapolate
        if axis != 0 and self.c.ndim > 2:
            raise ValueError("Interpolation along another axis than the first is not supported")
        if self.extrapolate not in (True, False):
            raise ValueError("Periodic extrapolation is not supported")

    def __call__(self, x: Array, nu: int = 0, extrapolate: Any = None) -> Array:
        if nu > 0:
            return self.derivative(nu)(x, 0, extrapolate)
        beyond = self.extrapolate if extrapolate is None else extrapolate
        at = np.asarray(x) * 1.0
        flat = at.ravel()
        k = np.clip(np.searchsorted(self.x, flat, side="right") - 1, 0, len(self.x) - 2)
        step = np.reshape(flat - self.x[k], (-1, *[1] * (self.c.ndim - 2)))
        found = self.c[0][k]
        for power in range(1, len(self.c)):
            found = found * step + self.c[power][k]
        if beyond is False:
            inside = np.reshape((flat >= self.x[0]) & (flat <= self.x[-1]), step.shape)
            found = np.where(inside, found, np.nan)
        return np.reshape(found, (*at.shape, *self.c.shape[2:]))

    def derivative(self, nu: int = 1) -> Piecewise:
        c = self.c
        for _ in range(nu):
            powers = np.reshape(np.arange(len(c) - 1, 0, -1), (-1, *[1] * (c.ndim - 1)))
            c = c[:-1] * powers if len(c) > 1 else 0.0 * c
        return Piecewise(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> Piecewise:
        if nu == 0:
            return self
        powers = np.reshape(np.arange(len(self.c), 0, -1), (-1, *[1] * (self.c.ndim - 1)))
        c, widths = self.c / powers, np.reshape(np.diff(self.x), (-1, *[1] * (self.c.ndim - 2)))
        whole = c[0] * widths
        for power in range(1, len(c)):
            whole = (whole + c[power]) * widths
        before = np.concatenate((0.0 * whole[:1], np.cumsum(whole, axis=0)[:-1]))
        c = np.concatenate((c, before[np.newaxis]))
        return Piecewise(c, self.x, self.extrapolate, self.axis).antiderivative(nu - 1)

    def integrate(self, a: Array, b: Array, extrapolate: Any = None) -> Array:
        whole = self.antiderivative()
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)

    def integral(self, a: Array, b: Array) -> Array:
        return self.integrate(a, b)


def hermite(x: Array, y: Array, slopes: Array, extrapolate: Any = None, axis: int = 0) -> Piecewise:
    """Cubic polynomials with given values and slopes."""
    x, y, slopes = (np.asarray(part) * 1.0 for part in (x, y, slopes))
    if axis % y.ndim != 0:
        raise ValueError("Interpolation along another axis than the first is not supported")
    widths = np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    mean = np.diff(y, axis=0) / widths
    t = (slopes[:-1] + slopes[1:] - 2.0 * mean) / widths
    return Piecewise(np.stack((t / widths, (mean - slopes[:-1]) / widths - t, slopes[:-1], y[:-1])), x, extrapolate)


def cubic_hermite(x: Array, y: Array, dydx: Array, axis: int = 0, extrapolate: Any = None) -> Piecewise:
    return hermite(x, y, dydx, extrapolate, axis)


def _tridiagonal(below: Array, middle: Array, above: Array, right: Array) -> Array:
    """The solution of a system whose largest elements lie on the diagonal."""
    middle, x = middle.copy(), right.copy()
    for i in range(1, len(middle)):
        factor = below[i] / middle[i - 1]
        middle[i] -= factor * above[i - 1]
        x[i] -= factor * x[i - 1]
    x[-1] /= middle[-1]
    for i in range(len(middle) - 2, -1, -1):
        x[i] = (x[i] - above[i] * x[i + 1]) / middle[i]
    return x


def _end(kind: Any) -> Any:
    names = {"clamped": (1, 0.0), "natural": (2, 0.0)}
    return names[kind] if kind in ("clamped", "natural") else kind


def cubic_spline(x: Array, y: Array, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Piecewise:
    """With continuous second derivatives."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    ends = [_end(bc_type)] * 2 if isinstance(bc_type, str) else [_end(kind) for kind in bc_type]
    if "periodic" in [end for end in ends if isinstance(end, str)]:
        raise ValueError("Periodic splines are not supported")
    n, widths = len(x), np.diff(x)
    flat = np.reshape(y, (n, -1))
    mean = np.diff(flat, axis=0) / widths[:, np.newaxis]
    if n == 2:
        ends = [(1, mean[0]) if isinstance(end, str) else end for end in ends]
    below, middle, above, right = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(flat.shape)
    for i in range(1, n - 1):
        below[i], middle[i], above[i] = widths[i], 2.0 * (widths[i - 1] + widths[i]), widths[i - 1]
        right[i] = 3.0 * (widths[i] * mean[i - 1] + widths[i - 1] * mean[i])
    middle[0], above[0], right[0] = _first_row(ends[0], widths, mean, n, ends)
    middle[-1], below[-1], right[-1] = _first_row(ends[1], widths[::-1], mean[::-1], n, ends, -1.0)
    slopes = np.reshape(_tridiagonal(below, middle, above, right), y.shape)
    return hermite(x, y, slopes, extrapolate, axis)


def _first_row(end: Any, widths: Array, mean: Array, n: int, ends: Any, sign: float = 1.0) -> Any:
    """What holds at an end, which is the first."""
    if isinstance(end, str):
        if n == 3 and isinstance(ends[0], str) and isinstance(ends[1], str):
            return 1.0, 1.0, 2.0 * mean[0]
        both = widths[0] + widths[1]
        right = ((widths[0] + 2.0 * both) * widths[1] * mean[0] + widths[0] ** 2 * mean[1]) / both
        return widths[1], both, right
    order, value = end
    if order == 1:
        return 1.0, 0.0, np.asarray(value) + 0.0 * mean[0]
    return 2.0 * widths[0], widths[0], 3.0 * widths[0] * mean[0] - sign * 0.5 * np.asarray(value) * widths[0] ** 2


def pchip(x: Array, y: Array, axis: int = 0, extrapolate: Any = None) -> Piecewise:
    """Without extrema between the values."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    h = np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    m = np.diff(y, axis=0) / h
    if len(y) == 2:
        return hermite(x, y, np.concatenate((m, m)), extrapolate, axis)
    is_flat = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0.0) | (m[:-1] == 0.0)
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    safe = [np.where(is_flat, 1.0, part) for part in (m[:-1], m[1:])]
    inner = np.where(is_flat, 0.0, (first + second) / (first / safe[0] + second / safe[1]))
    ends = _edge(h[0], h[1], m[0], m[1]), _edge(h[-1], h[-2], m[-1], m[-2])
    return hermite(x, y, np.concatenate((ends[0][np.newaxis], inner, ends[1][np.newaxis])), extrapolate, axis)


def _edge(h0: Array, h1: Array, m0: Array, m1: Array) -> Array:
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


def akima(x: Array, y: Array, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> Piecewise:
    if method != "akima":
        raise ValueError(f"'Akima1DInterpolator' with method '{method}' is not supported")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    mean = np.diff(y, axis=0) / np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    one, last = 2.0 * mean[0] - mean[1], 2.0 * mean[-1] - mean[-2]
    before, behind = np.stack((2.0 * one - mean[0], one)), np.stack((last, 2.0 * last - mean[-1]))
    m = np.concatenate((before, mean, behind))
    change = np.abs(np.diff(m, axis=0))
    left, right = change[2:], change[:-2]
    whole = left + right
    is_sharp = whole > 1e-9 * np.max(whole)
    part = right / np.where(is_sharp, whole, 1.0)
    slopes = np.where(is_sharp, m[1:-2] + part * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))
    return hermite(x, y, slopes, False if extrapolate is None else extrapolate, axis)


class Grid:
    """Values on a grid, to be interpolated between its lines."""

    def __init__(self, points: Any, values: Array, method: str, bounds_error: bool, fill_value: Any) -> None:
        if method in ("cubic", "quintic"):
            raise ValueError(f"SciPy solves for splines by method '{method}' to a few digits only: take 'slinear'")
        if method not in METHODS:
            raise ValueError(f"'RegularGridInterpolator' with method '{method}' is not supported: take 'linear'")
        self.grid = [np.asarray(line) * 1.0 for line in points]
        self.values, self.method = np.asarray(values) * 1.0, method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: Any = None) -> Array:
        d = len(self.grid)
        at = np.asarray(xi) if not isinstance(xi, tuple) else np.stack(np.broadcast_arrays(*xi), axis=-1)
        at = at[:, np.newaxis] if at.ndim == 1 and d == 1 else at
        flat = np.reshape(at * 1.0, (-1, d))
        outside = np.zeros(len(flat), bool)
        for k, line in enumerate(self.grid):
            outside = outside | (flat[:, k] < line[0]) | (flat[:, k] > line[-1])
        if self.bounds_error and np.any(outside):
            raise ValueError("One of the requested xi is out of bounds")
        found = self._between(flat, self.method if method is None else method)
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(np.reshape(outside, (-1, *[1] * (found.ndim - 1))), self.fill_value, found)
        return np.reshape(found, (*at.shape[:-1], *self.values.shape[d:]))

    def _between(self, flat: Array, method: str) -> Array:
        places, parts = [], []
        for k, line in enumerate(self.grid):
            place = np.clip(np.searchsorted(line, flat[:, k], side="right") - 1, 0, len(line) - 2)
            places.append(place)
            parts.append((flat[:, k] - line[place]) / (line[place + 1] - line[place]))
        if method == "nearest":
            return self.values[tuple(np.where(t <= 0.5, p, p + 1) for p, t in zip(places, parts, strict=True))]
        total = 0.0
        for corner in range(2 ** len(places)):
            bits = [(corner >> k) & 1 for k in range(len(places))]
            weight = 1.0
            for t, bit in zip(parts, bits, strict=True):
                weight = weight * (t if bit else 1.0 - t)
            picked = self.values[tuple(p + bit for p, bit in zip(places, bits, strict=True))]
            total = total + np.reshape(weight, (-1, *[1] * (picked.ndim - 1))) * picked
        return total


METHODS = ("linear", "slinear", "nearest")


def regular_grid(
    points: Any, values: Array, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan
) -> Grid:
    return Grid(points, values, method, bounds_error, fill_value)


def interpn(
    points: Any, values: Array, xi: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan
) -> Array:
    return Grid(points, values, method, bounds_error, fill_value)(xi)


def piecewise_of(c: Array, x: Array, extrapolate: Any = None, axis: int = 0) -> Piecewise:
    return Piecewise(c, x, extrapolate, axis)


def stands_for(value: Any) -> tuple[type, dict[str, Any]] | None:
    """The class and the attributes of what stands for an interpolator of SciPy's own; None for others."""
    kinds = {cls.__name__ for cls in type(value).__mro__}
    if "RegularGridInterpolator" in kinds:
        ways = {"bounds_error": value.bounds_error, "fill_value": value.fill_value, "method": value.method}
        known = value.method in METHODS
        return (Grid, {"grid": [*value.grid], "values": value.values, **ways}) if known else None
    if "PPoly" not in kinds:
        return None
    known = value.extrapolate in (True, False) and (value.axis == 0 or value.c.ndim == 2) and value.c.dtype.kind == "f"
    names = {"c": value.c, "x": value.x, "axis": value.axis, "extrapolate": bool(value.extrapolate)}
    return (Piecewise, names) if known else None


INTERPOLATION: dict[str, Callable[..., Any]] = {
    "PPoly": piecewise_of,
    "CubicSpline": cubic_spline,
    "CubicHermiteSpline": cubic_hermite,
    "PchipInterpolator": pchip,
    "Akima1DInterpolator": akima,
    "RegularGridInterpolator": regular_grid,
    "interpn": interpn,
}
