"""Piecewise polynomials of `scipy.interpolate` as NumPy programs: of the values, the places and the points between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers import splines
from daad.frontend.library.solvers.primitives import by_python, solution
from daad.frontend.library.solvers.roots import decided
from daad.frontend.library.solvers.surfaces import DEGREES, on_grid

Array = Any  # staged while the program is read
NEAR = 1e-8
"""What is left at a root, as a part of the largest coefficient; more is left where a polynomial jumps across zero."""


def evaluate(c: Array, x: Array, xp: Array, dx: int, extrapolate: bool, out: Array) -> None:
    """Polynomials of the distance from where an interval begins: `c[k, i]`, highest powers first, behind `x[i]`."""
    for _ in range(dx):
        powers = np.reshape(np.arange(len(c) - 1, 0, -1), (-1, *[1] * (c.ndim - 1)))
        c = c[:-1] * powers if len(c) > 1 else 0.0 * c
    k = _interval(x, xp)
    step = np.reshape(xp - x[k], (-1, *[1] * (c.ndim - 2)))
    found = c[0][k]
    for power in range(1, len(c)):
        found = found * step + c[power][k]
    out[...] = found if extrapolate else np.where(_inside(x, xp, step), found, np.nan)


def evaluate_bernstein(c: Array, x: Array, xp: Array, nu: int, extrapolate: bool, out: Array) -> None:
    """The same by the algorithm of de Casteljau, of the part of an interval that lies before a point."""
    widths = np.reshape(np.diff(x), (-1, *[1] * (c.ndim - 2)))
    for _ in range(nu):
        c = (len(c) - 1) * (c[1:] - c[:-1]) / widths if len(c) > 1 else 0.0 * c
    k = _interval(x, xp)
    part = np.reshape((xp - x[k]) / (x[k + 1] - x[k]), (-1, *[1] * (c.ndim - 2)))
    points = [c[power][k] for power in range(len(c))]
    while len(points) > 1:
        points = [(1.0 - part) * points[i] + part * points[i + 1] for i in range(len(points) - 1)]
    out[...] = points[0] if extrapolate else np.where(_inside(x, xp, part), points[0], np.nan)


def real_roots(c: Array, x: Array, y: Array, report_discont: bool, extrapolate: bool) -> list[Array]:
    """Where polynomials take a value; places of `c`'s last axis are others."""
    found = []
    for column in range(c.shape[2]):
        one = c[:, :, column : column + 1]

        def places(one: Array = one) -> Array:
            search = python_function("scipy.interpolate._ppoly", "real_roots")
            return np.asarray(search(np.array(one), np.array(x), float(y), report_discont, extrapolate)[0])

        def off(at: Array, one: Array = one) -> Array:
            values, begin = np.zeros((len(at), 1)), x[_interval(x, at)]
            evaluate(one, x, at, 0, True, values)
            rest = values[:, 0] - y
            jumps = (at == begin) & (np.abs(rest) > NEAR * np.max(np.abs(one)))
            return np.where(jumps, at - begin, rest)

        found.append(crossings(places, off))
    return found


def crossings(places: Callable[[], Array], off: Callable[[Array], Array]) -> Array:
    """As many places as the run finds, at which a function is zero."""
    count = decided(by_python(lambda: len(places()), 0))
    return solution(places, np.zeros(count), off) if count else np.zeros(0)


def _interval(x: Array, xp: Array) -> Array:
    if len(x) > 1 and x[-1] < x[0]:
        raise ValueError("Polynomials between points that descend are not supported")
    return np.clip(np.searchsorted(x, xp, side="right") - 1, 0, len(x) - 2)


def _inside(x: Array, xp: Array, like: Array) -> Array:
    return np.reshape((xp >= x[0]) & (xp <= x[-1]), like.shape)


def antiderivative(self: Any, nu: int = 1) -> Any:
    if nu <= 0:
        return self.derivative(-nu)
    c, x = np.asarray(self.c) * 1.0, np.asarray(self.x)
    widths = np.reshape(np.diff(x), (-1, *[1] * (c.ndim - 2)))
    for _ in range(nu):
        c = c / np.reshape(np.arange(len(c), 0, -1), (-1, *[1] * (c.ndim - 1)))
        whole = c[0] * widths
        for power in range(1, len(c)):
            whole = (whole + c[power]) * widths
        before = np.concatenate((0.0 * whole[:1], np.cumsum(whole, axis=0)[:-1]))
        c = np.concatenate((c, before[np.newaxis]))
    beyond = False if isinstance(self.extrapolate, str) else self.extrapolate
    return _made("PPoly", c, x, beyond, self.axis)


def integrate(self: Any, a: Array, b: Array, extrapolate: Any = None) -> Array:
    if isinstance(self.extrapolate if extrapolate is None else extrapolate, str):
        raise ValueError("Integrals of periodic polynomials are not supported")
    whole = antiderivative(self)
    return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)


def _made(name: str, c: Array, x: Array, extrapolate: Any, axis: int) -> Any:
    """Polynomials of SciPy's own."""
    made: Any = python_function("scipy.interpolate", name)
    return made.construct_fast(np.ascontiguousarray(c), x, extrapolate, axis)


def hermite(
    x: Array, y: Array, slopes: Array, extrapolate: Any = None, axis: int = 0, name: str = "CubicHermiteSpline"
) -> Any:
    """Cubic polynomials with given values and slopes along the first axis, which is called `axis`."""
    widths = np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    mean = np.diff(y, axis=0) / widths
    t = (slopes[:-1] + slopes[1:] - 2.0 * mean) / widths
    c = np.stack((t / widths, (mean - slopes[:-1]) / widths - t, slopes[:-1], y[:-1]))
    return _made(name, c, x, extrapolate, axis % y.ndim)


def _along(x: Array, y: Array, axis: int) -> tuple[Array, Array]:
    """Points that increase, and values with their axis first."""
    x, y = np.asarray(x) * 1.0, np.moveaxis(np.asarray(y) * 1.0, axis, 0)
    if x.ndim != 1 or x.shape[0] != y.shape[0]:
        raise ValueError("The length of `y` along `axis` doesn't match the length of `x`")
    if np.any(np.diff(x) <= 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, y


def cubic_hermite(x: Array, y: Array, dydx: Array, axis: int = 0, extrapolate: Any = None) -> Any:
    x, y = _along(x, y, axis)
    return hermite(x, y, np.moveaxis(np.asarray(dydx) * 1.0, axis, 0), extrapolate, axis)


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


def cubic_spline(x: Array, y: Array, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """With continuous second derivatives."""
    x, y = _along(x, y, axis)
    ends = [_end(bc_type)] * 2 if isinstance(bc_type, str) else [_end(kind) for kind in bc_type]
    if "periodic" in [end for end in ends if isinstance(end, str)]:
        slopes = splines.evaluated(*splines.around(x, y, 3), 3, x, 1)
        return hermite(x, y, slopes, "periodic" if extrapolate is None else extrapolate, axis, "CubicSpline")
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
    return hermite(x, y, slopes, extrapolate, axis, "CubicSpline")


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


def pchip(x: Array, y: Array, axis: int = 0, extrapolate: Any = None) -> Any:
    """Without extrema between the values."""
    x, y = _along(x, y, axis)
    h = np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    m = np.diff(y, axis=0) / h
    if len(y) == 2:
        return hermite(x, y, np.concatenate((m, m)), extrapolate, axis, "PchipInterpolator")
    is_flat = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0.0) | (m[:-1] == 0.0)
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    safe = [np.where(is_flat, 1.0, part) for part in (m[:-1], m[1:])]
    inner = np.where(is_flat, 0.0, (first + second) / (first / safe[0] + second / safe[1]))
    ends = _edge(h[0], h[1], m[0], m[1]), _edge(h[-1], h[-2], m[-1], m[-2])
    slopes = np.concatenate((ends[0][np.newaxis], inner, ends[1][np.newaxis]))
    return hermite(x, y, slopes, extrapolate, axis, "PchipInterpolator")


def _edge(h0: Array, h1: Array, m0: Array, m1: Array) -> Array:
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


def akima(x: Array, y: Array, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> Any:
    x, y = _along(x, y, axis)
    mean = np.diff(y, axis=0) / np.reshape(np.diff(x), (-1, *[1] * (y.ndim - 1)))
    one, last = 2.0 * mean[0] - mean[1], 2.0 * mean[-1] - mean[-2]
    before, behind = np.stack((2.0 * one - mean[0], one)), np.stack((last, 2.0 * last - mean[-1]))
    m = np.concatenate((before, mean, behind))
    change, sums = np.abs(np.diff(m, axis=0)), np.abs(m[1:] + m[:-1])
    change = change + 0.5 * sums if method == "makima" else change
    left, right = change[2:], change[:-2]
    whole = left + right
    is_sharp = whole > 1e-9 * np.max(whole)
    part = right / np.where(is_sharp, whole, 1.0)
    between = 0.0 * m[3:] if method == "makima" else 0.5 * (m[3:] + m[:-3])
    slopes = np.where(is_sharp, m[1:-2] + part * (m[2:-1] - m[1:-2]), between)
    return hermite(x, y, slopes, False if extrapolate is None else extrapolate, axis, "Akima1DInterpolator")


def places_of(xi: Any, d: int = 1) -> Array:
    """Places along the last axis, of one array or of one for each coordinate; a row is cut into places."""
    xi = xi[0] if isinstance(xi, tuple) and len(xi) == 1 else xi
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*[np.asarray(one) * 1.0 for one in xi]), axis=-1)
    at = np.asarray(xi) * 1.0
    return at.reshape(-1, d) if at.ndim == 1 else at


def kept(a: Any) -> Array:
    """In double precision, as SciPy keeps it: an array of that type itself, which shows what is written there later."""
    a = np.asarray(a)
    return a if a.dtype in (np.float64, np.complex128) else a * 1.0


class Grid:
    """Values on a grid, to be interpolated between its lines."""

    def __init__(self, points: Any, values: Array, method: str, bounds_error: bool, fill_value: Any) -> None:
        if method == "quintic":
            raise ValueError("SciPy solves for splines by method 'quintic' to a few digits only: take 'cubic'")
        if method not in METHODS and method not in DEGREES:
            raise ValueError(f"'RegularGridInterpolator' with method '{method}' is not supported: take 'linear'")
        self.grid = [kept(line) for line in points]
        self.values, self.method = kept(values), method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: Any = None) -> Array:
        d = len(self.grid)
        at = places_of(xi, d)
        flat = np.reshape(at, (-1, d))
        outside = np.zeros(len(flat), bool)
        for k, line in enumerate(self.grid):
            outside = outside | (flat[:, k] < line[0]) | (flat[:, k] > line[-1])
        if self.bounds_error and np.any(outside):
            raise ValueError("One of the requested xi is out of bounds")
        method = self.method if method is None else method
        if method in DEGREES:
            ways = {"method": method, "bounds_error": self.bounds_error, "fill_value": self.fill_value}
            return np.reshape(on_grid(self.grid, self.values, flat, ways), (*at.shape[:-1], *self.values.shape[d:]))
        found = self._between(flat, method)
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(np.reshape(outside, (-1, *[1] * (found.ndim - 1))), self.fill_value, found)
        return np.reshape(found, (*at.shape[:-1], *self.values.shape[d:]))

    def _between(self, flat: Array, method: str) -> Array:
        places, parts = [], []
        for k, line in enumerate(self.grid):
            place = np.clip(np.searchsorted(line, flat[:, k], side="right") - 1, 0, len(line) - 2)
            places.append(place)
            width = line[place + 1] - line[place] if len(line) > 1 else np.inf
            parts.append((flat[:, k] - line[place]) / width)
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


def stands_for(value: Any) -> tuple[type, dict[str, Any]] | None:
    """The class and the attributes of what stands for an interpolator of SciPy's own; None for others."""
    kinds = {cls.__name__ for cls in type(value).__mro__}
    if "RegularGridInterpolator" in kinds:
        ways = {"bounds_error": value.bounds_error, "fill_value": value.fill_value, "method": value.method}
        known = value.method in METHODS or value.method in DEGREES
        return (Grid, {"grid": [*value.grid], "values": value.values, **ways}) if known else None
    return None


INTERPOLATION: dict[str, Callable[..., Any]] = {
    "PPoly.antiderivative": antiderivative,
    "PPoly.integrate": integrate,
    "CubicSpline": cubic_spline,
    "CubicHermiteSpline": cubic_hermite,
    "PchipInterpolator": pchip,
    "Akima1DInterpolator": akima,
    "RegularGridInterpolator": regular_grid,
    "interpn": interpn,
}
KERNELS: dict[str, Callable[..., Any]] = {
    "evaluate": evaluate,
    "evaluate_bernstein": evaluate_bernstein,
    "real_roots": real_roots,
}
