"""Smoothing splines of `scipy.interpolate`: FITPACK chooses knots and a weight between smoothness and distance.

FITPACK ends its search for the weight at a tolerance, so that the condition which it solves has another derivative
than what it gives. The steps are taken once more, and their derivative in the data is carried along (P. Dierckx,
Algorithms for smoothing data with periodic and parametric splines, 1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.library.anchored import fixed, python_function
from daad.frontend.library.solvers.primitives import opaque

Array = Any  # staged while the program is read
TOLERANCE, STEPS = 1e-3, 20
"""FITPACK's."""
LARGER, NEARER = 0.04, 0.1
"""By what a first weight changes while it is no bound."""
INTERPOLATES = -1
"""What FITPACK says of a spline through all points."""


class Smooth:
    """A spline near points; `nu`: which derivative of it; `ends`: where it ends, None where the points do."""

    def __init__(self, points: Any, k: int, s: Any, ends: Any, nu: int = 0) -> None:
        self.points, self.k, self.s, self.ends, self.nu = points, k, s, ends, nu

    def asked(self, kind: str, shape: Any, *places: Any) -> Array:
        x, y, w = self.points
        way = kind, self.k, self.ends, self.nu
        s = fixed(self.s) if hasattr(self.s, "shape") else self.s
        return opaque(_value, _bars, np.zeros(shape), way, fixed(x), y, fixed(w), s, *places)

    def __call__(self, x: Array, nu: int = 0, ext: int = 0) -> Array:
        at = np.asarray(x) * 1.0
        if not 0 <= self.nu + nu <= self.k:
            raise ValueError(f"0<=der={nu}<=k={self.k - self.nu} must hold")
        found = self.derivative(nu).asked("values", (at.size,), ext, np.ravel(at))
        return np.reshape(found, at.shape)

    def integral(self, a: Array, b: Array) -> Array:
        if self.nu:
            raise ValueError("Integrals of derivatives of smoothing splines are not supported")
        return self.asked("integral", (1,), 0, np.stack((a * 1.0, b * 1.0)))[0]

    def derivatives(self, x: Array) -> Array:
        return np.stack([self(x, nu) for nu in range(self.k - self.nu + 1)])

    def derivative(self, n: int = 1) -> Smooth:
        return Smooth(self.points, self.k, self.s, self.ends, self.nu + n)

    def antiderivative(self, n: int = 1) -> Any:
        raise ValueError("Antiderivatives of smoothing splines are not supported: take 'integral'")


class Untold:
    """What FITPACK keeps of a spline."""

    def __getitem__(self, k: int) -> Any:
        raise ValueError("How many knots and coefficients a smoothing spline has depends on data: call the spline")


def _fitted(way: Any, x: Array, y: Array, w: Array, s: float) -> Any:
    """Knots, coefficients, and what FITPACK says."""
    _, k, ends, _ = way
    made = python_function("scipy.interpolate", "UnivariateSpline")
    found = made(x, y, w, list(ends), k, s)
    return *found._eval_args[:2], found._data[-1]


def _asked(way: Any, ext: int, places: Array, t: Array, c: Array) -> Array:
    kind, k, _, nu = way
    if kind == "integral":
        return np.atleast_1d(python_function("scipy.interpolate", "splint")(*places, (t, c, k)))
    return np.asarray(python_function("scipy.interpolate", "splev")(places, (t, c, k), nu, ext))


def _value(way: Any, x: Array, y: Array, w: Array, s: float, ext: int, places: Array) -> Array:
    t, c, _ = _fitted(way, x, y, w, s)
    return _asked(way, ext, places, t, c)


def _bars(args: Any, _: Array, bar: Array) -> Any:
    way, x, y, w, s, ext, places = args
    t, c, state = _fitted(way, x, y, w, s)
    n = len(t) - way[1] - 1
    c_bar = np.zeros(n)
    for j in range(n):
        one = np.zeros(len(t))
        one[j] = 1.0
        c_bar[j] = np.sum(bar * _asked(way, ext, places, t, one))
    y_bar = w * _bars_of_data(_System.of(t, way[1], x, y, w), s, state, c[:n], c_bar)
    return None, None, y_bar, None, None, None, _bars_of_places(way, ext, places, t, c, bar)


def _bars_of_places(way: Any, ext: int, places: Array, t: Array, c: Array, bar: Array) -> Array:
    kind, k, _, nu = way
    splev = python_function("scipy.interpolate", "splev")
    if kind == "integral":
        return bar[0] * np.array([-1.0, 1.0]) * splev(places, (t, c, k), 0, 1)
    if nu == k:
        return np.zeros_like(places)
    found = bar * splev(places, (t, c, k), nu + 1, min(ext, 1))
    return np.where((places < t[k]) | (places > t[-k - 1]), 0.0, found) if ext == 3 else found


@dataclass(frozen=True)
class _Number:
    """A number with its derivative in the weighted data."""

    value: float
    slope: Array

    def __add__(self, other: _Number) -> _Number:
        return _Number(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: _Number) -> _Number:
        return _Number(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: Any) -> _Number:
        if not isinstance(other, _Number):
            return _Number(self.value * other, self.slope * other)
        return _Number(self.value * other.value, self.value * other.slope + other.value * self.slope)

    def __truediv__(self, other: _Number) -> _Number:
        ratio = self.value / other.value
        return _Number(ratio, (self.slope - ratio * other.slope) / other.value)


@dataclass(frozen=True)
class _System:
    """Least squares for coefficients: weighted B-splines, jumps at knots, weighted data; `poles`: B-splines without
    knots inside."""

    rows: Array
    jumps: Array
    data: Array
    poles: Array

    @staticmethod
    def of(t: Array, k: int, x: Array, y: Array, w: Array) -> _System:
        made = python_function("scipy.interpolate", "BSpline")
        ends = np.concatenate((np.full(k + 1, t[k]), np.full(k + 1, t[-k - 1])))
        rows, poles = (made(one, np.eye(len(one) - k - 1), k)(x) * w[:, np.newaxis] for one in (t, ends))
        return _System(rows, _jumps(t, k), w * y, poles)

    def squares(self, rows: Array) -> _Number:
        """Of the distances from the nearest spline."""
        rest = self.data - rows @ np.linalg.lstsq(rows, self.data, rcond=None)[0]
        return _Number(float(rest @ rest), 2.0 * rest)

    def smoothed(self, p: _Number) -> tuple[_Number, Array, Array, Array]:
        """For a weight: the squares, the coefficients, their slopes in the weight, and the triangle of the system."""
        jumps = self.jumps / p.value
        stacked = np.concatenate((self.rows, jumps))
        q, triangle = np.linalg.qr(stacked)
        c = np.linalg.solve(triangle, q[: len(self.data)].T @ self.data)
        rest = self.data - self.rows @ c
        back = _normal(triangle, self.rows.T @ rest)
        c_slope = _normal(triangle, jumps.T @ (jumps @ c)) * (2.0 / p.value)
        total = 2.0 * (rest - self.rows @ back) - 2.0 * (rest @ (self.rows @ c_slope)) * p.slope
        return _Number(float(rest @ rest), total), c, c_slope, triangle


def _normal(triangle: Array, right: Array) -> Array:
    return np.linalg.solve(triangle, np.linalg.solve(triangle.T, right))


def _jumps(t: Array, k: int) -> Array:
    """Of the derivatives of order `k` of B-splines at knots, in FITPACK's unit."""
    inner, spans = t[k + 1 : -k - 1], len(t) - 2 * k - 1
    found = np.zeros((len(inner), len(t) - k - 1))
    for row in range(len(inner)):
        knot = row + k + 1
        for j in range(row, row + k + 2):
            others = [t[knot] - t[i] for i in range(j, j + k + 2) if i != knot]
            found[row, j] = (t[j + k + 1] - t[j]) / np.prod(others)
    return found * ((t[-k - 1] - t[k]) / spans) ** k


def _bars_of_data(system: _System, s: float, state: int, c: Array, c_bar: Array) -> Array:
    least = system.squares(system.rows)
    if not len(system.jumps) or state == INTERPOLATES or abs(least.value - s) < TOLERANCE * s:
        q, triangle = np.linalg.qr(system.rows)
        found, bars = np.linalg.solve(triangle, q.T @ system.data), system.rows @ _normal(triangle, c_bar)
    else:
        p, (_, found, c_slope, triangle) = _weight(system, least, s)
        bars = system.rows @ _normal(triangle, c_bar) + (c_bar @ c_slope) * p.slope
    if not np.allclose(found, c, rtol=1e-6, atol=1e-6 * np.max(np.abs(c))):
        raise Unsupported("FITPACK's steps to this smoothing spline are not known.", hint="Give other 's', or knots.")
    return bars


def _weight(system: _System, least: _Number, s: float) -> Any:
    """The weight at which FITPACK stops, and the system there."""
    none, near = np.zeros_like(system.data), TOLERANCE * s
    target = _Number(s, none)
    triangle = np.linalg.qr(system.rows, mode="r")
    p = _Number(len(triangle) / float(np.sum(np.abs(np.diag(triangle)))), none)
    low: Any = (_Number(0.0, none), system.squares(system.poles) - target)
    high: Any = (None, least - target)
    bounds = [False, False]
    for _ in range(STEPS):
        there = system.smoothed(p)
        f = there[0] - target
        if abs(f.value) < near:
            break
        if not bounds[1] and f.value - high[1].value <= near:
            high, p = (p, f), p * LARGER
            if p.value <= low[0].value:
                p = low[0] * (1.0 - NEARER) + high[0] * NEARER
            continue
        bounds[1] = bounds[1] or f.value < 0.0
        if not bounds[0] and low[1].value - f.value <= near:
            low, p = (p, f), p * (1.0 / LARGER)
            if high[0] is not None and p.value >= high[0].value:
                p = low[0] * NEARER + high[0] * (1.0 - NEARER)
            continue
        bounds[0] = bounds[0] or f.value > 0.0
        if low[1].value <= f.value or f.value <= high[1].value:
            break
        step = _rational(low, (p, f), high)
        low, high = (low, (p, f)) if f.value < 0.0 else ((p, f), high)
        p = step
    return p, there


def _rational(low: Any, here: Any, high: Any) -> _Number:
    """Where a rational function through three points is zero; the last may be infinitely far."""
    (p1, f1), (p2, f2), (p3, f3) = low, here, high
    h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
    if p3 is None:
        return (p2 * h1 + p1 * h2) * -1.0 / h3
    return (p1 * p2 * h3 + p2 * p3 * h1 + p1 * p3 * h2) * -1.0 / (p1 * h1 + p2 * h2 + p3 * h3)
