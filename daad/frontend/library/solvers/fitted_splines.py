"""The classes of `scipy.interpolate` that its Python fills from FITPACK: splines of one and of two variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.solvers import splines
from daad.frontend.library.solvers.smoothing import Smooth, Untold
from daad.frontend.library.solvers.spline_functions import integral_between, spalde, splder, splev, splint, sproot

Array = Any  # staged while the program is read
ENDS, SIDES = [None] * 2, [None] * 4
"""Where points end, a spline does."""
BEYOND = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}


def _fill(self: Any, t: Array, c: Array, k: int, ext: Any, points: tuple[Array, Array, Array]) -> None:
    x, y, w = points
    self.ext = BEYOND[ext]
    self._eval_args = t, c, k
    residual = np.sum((w * (y - splines.evaluated(t, c, k, x))) ** 2)
    self._data = (x, y, w, None, None, k, 0.0, len(t), t, c, residual, None, None, -1)


def _points(x: Any, y: Any, w: Any) -> tuple[Array, Array, Array]:
    """Points and weights in a row each, as SciPy takes arrays of any shape."""
    x, y = np.ravel(x) * 1.0, np.ravel(y) * 1.0
    return x, y, np.ones(x.size) if w is None else np.ravel(w) * 1.0


def _ends(x: Array, bbox: Any) -> tuple[Array, Array]:
    return x[0] if bbox[0] is None else bbox[0], x[-1] if bbox[1] is None else bbox[1]


def univariate(
    self: Any,
    x: Array,
    y: Array,
    w: Any = None,
    bbox: Any = ENDS,
    k: int = 3,
    s: Any = None,
    ext: Any = 0,
) -> None:
    points = _points(x, y, w)
    if s is None or s != 0:
        _smooth(self, Smooth(points, k, len(points[0]) if s is None else s, tuple(bbox)), ext)
        return
    if np.any(np.diff(points[0]) <= 0.0):
        raise ValueError("x must be strictly increasing if s = 0")
    _fill(self, *splines.through(points[0], points[1], k, _ends(points[0], bbox)), k, ext, points)


def _smooth(self: Any, found: Smooth, ext: Any) -> None:
    self.ext, self._smooth, self._eval_args = BEYOND[ext], found, None
    self._data = Untold()


def interpolated(
    self: Any,
    x: Array,
    y: Array,
    w: Any = None,
    bbox: Any = ENDS,
    k: int = 3,
    ext: Any = 0,
) -> None:
    univariate(self, x, y, w, bbox, k, 0, ext)


def with_knots(
    self: Any,
    x: Array,
    y: Array,
    t: Array,
    w: Any = None,
    bbox: Any = ENDS,
    k: int = 3,
    ext: Any = 0,
) -> None:
    points = _points(x, y, w)
    if np.any(np.diff(points[0]) < 0.0):
        raise ValueError("x must be increasing")
    first, last = _ends(points[0], bbox)
    t = splines.with_ends(t, first, last, k)
    _fill(self, t, splines.nearest(*points, t, k), k, ext, points)


def call(self: Any, x: Array, nu: int = 0, ext: Any = None) -> Array:
    beyond = self.ext if ext is None else BEYOND[ext]
    return splev(x, _spline(self), nu, beyond)


def _spline(self: Any) -> Any:
    return self._smooth if self._eval_args is None else self._eval_args


def integral(self: Any, a: Array, b: Array) -> Array:
    return splint(a, b, _spline(self))


def roots(self: Any) -> Any:
    return sproot(_spline(self))


def derivatives(self: Any, x: Array) -> Any:
    return spalde(x, _spline(self))


def derivative(self: Any, n: int = 1) -> Any:
    beyond = 1 if self.ext == 3 else self.ext
    if self._eval_args is None:
        made = self.__class__.__new__(self.__class__)
        _smooth(made, self._smooth.derivative(n), beyond)
        return made
    return self._from_tck(splder(self._eval_args, n), beyond)


def antiderivative(self: Any, n: int = 1) -> Any:
    return self._from_tck(splder(_spline(self), -n), self.ext)


def on_a_grid(
    self: Any,
    x: Array,
    y: Array,
    z: Array,
    bbox: Any = SIDES,
    kx: int = 3,
    ky: int = 3,
    s: Any = 0,
) -> None:
    if s != 0:
        raise ValueError("'RectBivariateSpline' is supported with s=0, through all points")
    x, y, z = np.ravel(x) * 1.0, np.ravel(y) * 1.0, np.asarray(z) * 1.0
    if np.any(np.diff(x) <= 0.0) or np.any(np.diff(y) <= 0.0):
        raise ValueError("x and y must be strictly increasing")
    if z.shape != (x.size, y.size):
        raise ValueError("x and y dimensions of z must have same number of elements as x and y")
    tx, c = splines.through(x, z, kx, _ends(x, bbox[:2]))
    ty, c = splines.through(y, c.T, ky, _ends(y, bbox[2:]))
    self.fp = 0.0
    self.tck = tx, ty, c.T.ravel()
    self.degrees = kx, ky


def at_points(self: Any, x: Array, y: Array, dx: int = 0, dy: int = 0, grid: bool = True) -> Array:
    """Of a spline of two variables; what lies outside counts to the border."""
    tx, ty, table, kx, ky, x, y = _within((*self.tck, *self.degrees), np.asarray(x) * 1.0, np.asarray(y) * 1.0)
    if grid:
        return _of_grid(tx, ty, table, kx, ky, np.ravel(x), np.ravel(y), dx, dy)
    x, y = np.broadcast_arrays(x, y)
    rows = splines.evaluated(tx, table, kx, np.ravel(x), dx)
    for _ in range(dy):
        rows, ty, ky = splines.slopes(ty, rows.T, ky).T, ty[1:-1], ky - 1
    place, points = splines.places(ty, ky, np.ravel(y)), np.arange(np.size(x))
    values = splines.basis(ty, ky, np.ravel(y), place)
    total = values[0] * rows[points, place - ky]
    for j in range(1, ky + 1):
        total = total + values[j] * rows[points, place - ky + j]
    return np.reshape(total, x.shape)


def _within(tck: Any, x: Array, y: Array) -> Any:
    """The spline with its coefficients as a table, and the places, moved to the border where they lie outside."""
    tx, ty, c, kx, ky = tck
    nx, ny = len(tx) - kx - 1, len(ty) - ky - 1
    x, y = np.clip(x, tx[kx], tx[nx]), np.clip(y, ty[ky], ty[ny])
    return tx, ty, np.reshape(c, (nx, ny)), kx, ky, x, y


def _of_grid(tx: Array, ty: Array, table: Array, kx: int, ky: int, x: Array, y: Array, dx: int, dy: int) -> Array:
    rows = splines.evaluated(tx, table, kx, x, dx)
    return splines.evaluated(ty, rows.T, ky, y, dy).T


def bisplev(x: Array, y: Array, tck: Any, dx: int = 0, dy: int = 0) -> Array:
    """On a grid; axes of one place are left out as SciPy does. What lies outside counts to the border."""
    if not 0 <= dx < tck[3] or not 0 <= dy < tck[4]:
        raise ValueError("derivatives of a spline must be of a lower order than its degree")
    tx, ty, table, kx, ky, x, y = _within(tck, np.atleast_1d(x) * 1.0, np.atleast_1d(y) * 1.0)
    z = _of_grid(tx, ty, table, kx, ky, x, y, dx, dy)
    if len(z) > 1:
        return z
    return z[0] if len(z[0]) > 1 else z[0][0]


def area_integral(self: Any, xa: Array, xb: Array, ya: Array, yb: Array) -> Array:
    (tx, ty, c), (kx, ky) = self.tck, self.degrees
    table = np.reshape(c, (len(tx) - kx - 1, len(ty) - ky - 1))
    for t, k, ends in ((tx, kx, (xa, xb)), (ty, ky, (ya, yb))):
        table = integral_between(t, table, k, *ends, True)[:, np.newaxis]
    return table[0, 0]


FITTED: dict[str, Callable[..., Any]] = {
    "bisplev": bisplev,
    "UnivariateSpline.__init__": univariate,
    "InterpolatedUnivariateSpline.__init__": interpolated,
    "LSQUnivariateSpline.__init__": with_knots,
    "UnivariateSpline.__call__": call,
    "UnivariateSpline.integral": integral,
    "UnivariateSpline.derivatives": derivatives,
    "UnivariateSpline.roots": roots,
    "UnivariateSpline.derivative": derivative,
    "UnivariateSpline.antiderivative": antiderivative,
    "RectBivariateSpline.__init__": on_a_grid,
    "BivariateSpline.__call__": at_points,
    "BivariateSpline.integral": area_integral,
}
