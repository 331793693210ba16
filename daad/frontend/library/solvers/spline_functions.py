"""What `scipy.interpolate` does with B-splines: its own objects and tuples of knots, coefficients and a degree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers import splines
from daad.frontend.library.solvers.piecewise import crossings, kept
from daad.frontend.library.solvers.smoothing import Smooth

Array = Any  # staged while the program is read
CONDITIONS = {"clamped": ((1, 0.0),), "natural": ((2, 0.0),)}


def _made(t: Array, c: Array, k: int, axis: int, extrapolate: Any = True) -> Any:
    """A spline of SciPy's own."""
    made: Any = python_function("scipy.interpolate", "BSpline")
    return made.construct_fast(t, c, k, extrapolate=extrapolate, axis=axis)


def make_interp_spline(x: Array, y: Array, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0) -> Any:
    x, y = np.asarray(x) * 1.0, np.moveaxis(np.asarray(y) * 1.0, axis, 0)
    if x.ndim != 1 or np.any(x[1:] <= x[:-1]):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    beyond: Any = True
    if k == 0:
        knots, c = np.concatenate((x, x[-1:])), y
    elif k == 1 and t is None and bc_type != "periodic":
        knots, c = np.concatenate((x[:1], x, x[-1:])), y
    elif isinstance(bc_type, str) and bc_type == "periodic":
        (knots, c), beyond = splines.around(x, y, k), "periodic"
    elif t is not None:
        knots = np.asarray(t) * 1.0
        if bc_type not in (None, "not-a-knot"):
            raise ValueError("Knots together with conditions at the ends are not supported")
        if len(knots) != len(x) + k + 1:
            raise ValueError("The number of derivatives at boundaries does not match")
        c = np.linalg.solve(splines.matrix(knots, k, x), y.reshape(len(x), -1)).reshape(y.shape)
    elif bc_type is None or (isinstance(bc_type, str) and bc_type == "not-a-knot"):
        knots, c = splines.through(x, y, k)
    else:
        ends = [bc_type] * 2 if isinstance(bc_type, str) else [*bc_type]
        left, right = [CONDITIONS[end] if isinstance(end, str) else end or () for end in ends]
        if not len(left) == len(right) == (k - 1) // 2 or k % 2 == 0:
            raise ValueError("Unequal numbers of conditions at the ends are not supported")
        knots, c = splines.with_slopes(x, y, k, left, right)
    return _made(knots, c, k, axis % np.ndim(y), beyond)


def make_lsq_spline(x: Array, y: Array, t: Array, k: int = 3, w: Any = None, axis: int = 0) -> Any:
    x, y, t = np.asarray(x) * 1.0, np.moveaxis(np.asarray(y) * 1.0, axis, 0), np.asarray(t) * 1.0
    weights = np.ones(len(x)) if w is None else np.asarray(w) * 1.0
    if len(t) - k - 1 > len(x):
        raise ValueError("There are more coefficients than points")
    c = splines.nearest(x, y.reshape(len(x), -1), weights, t, k)
    return _made(t, c.reshape((len(c), *y.shape[1:])), k, axis % y.ndim)


def data_matrix(x: Array, t: Array, k: int, w: Array, extrapolate: bool = False) -> tuple[Array, Array, int]:
    """The basis functions at points that are not zero there, row by row, and in which columns they begin."""
    if not extrapolate and np.any((x < t[k]) | (x > t[len(t) - k - 1])):
        raise ValueError("A point lies out of bounds.")
    place = splines.places(t, k, x)
    values = np.stack(splines.basis(t, k, x, place), axis=1)
    return values * w[:, np.newaxis], place - k, len(t) - k - 1


def fill(self: Any, t: Array, c: Array, k: int, extrapolate: Any = True, axis: int = 0) -> None:
    t, c = kept(t), np.moveaxis(kept(c) if axis == 0 else np.asarray(c) * 1.0, axis, 0)
    if t.ndim != 1 or len(t) < 2 * k + 2 or len(c) < len(t) - k - 1:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    if np.any(t[1:] < t[:-1]) or not t[k] < t[len(t) - k - 1]:
        raise ValueError("Knots must be in a non-decreasing order, and need at least two internal ones.")
    self._asarray = np.asarray
    self.t, self.c, self.k, self.axis = t, c, k, axis % c.ndim
    self.extrapolate = extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


def call(self: Any, x: Array, nu: int = 0, extrapolate: Any = None) -> Array:
    """At points of any shape, along the axis of the spline."""
    beyond = self.extrapolate if extrapolate is None else extrapolate
    t, c, k, at = np.asarray(self.t), np.asarray(self.c), self.k, np.asarray(x) * 1.0
    flat, last = at.ravel(), len(t) - k - 1
    if isinstance(beyond, str):
        flat, beyond = t[k] + (flat - t[k]) % (t[last] - t[k]), False
    found = splines.evaluated(t, c.reshape(len(c), -1), k, flat, nu)
    if not beyond:
        found = np.where(((flat >= t[k]) & (flat <= t[last]))[:, np.newaxis], found, np.nan)
    found = found.reshape((*at.shape, *c.shape[1:]))
    axes = [*range(found.ndim)]
    order = [*axes[at.ndim : at.ndim + self.axis], *axes[: at.ndim], *axes[at.ndim + self.axis :]]
    return found.transpose(order)


def derivative(self: Any, nu: int = 1) -> Any:
    t, c, k = splder((self.t, self.c, self.k), nu)
    return self.construct_fast(t, c, k, extrapolate=self.extrapolate, axis=self.axis)


def antiderivative(self: Any, nu: int = 1) -> Any:
    t, c, k = splantider((self.t, self.c, self.k), nu)
    beyond = False if isinstance(self.extrapolate, str) else self.extrapolate
    return self.construct_fast(t, c, k, extrapolate=beyond, axis=self.axis)


def integrate(self: Any, a: Array, b: Array, extrapolate: Any = None) -> Array:
    beyond = self.extrapolate if extrapolate is None else extrapolate
    if isinstance(beyond, str):
        raise ValueError("Integrals of periodic splines are not supported")
    t, c, k = np.asarray(self.t), splines.own(self.t, np.asarray(self.c), self.k), self.k
    return integral_between(t, c, k, a, b, not beyond)


def integral_between(t: Array, c: Array, k: int, a: Array, b: Array, is_zero_outside: bool) -> Array:
    ends = np.stack((np.asarray(a) * 1.0, np.asarray(b) * 1.0))
    if is_zero_outside:
        ends = np.clip(ends, t[k], t[len(t) - k - 1])
    values = splines.evaluated(*splines.sums(t, c, k), k + 1, ends)
    return values[1] - values[0]


def splder(tck: Any, n: int = 1) -> Any:
    if isinstance(tck, Smooth):
        return tck.derivative(n) if n >= 0 else tck.antiderivative(-n)
    if not isinstance(tck, tuple | list):
        return tck.derivative(n)
    if n < 0:
        return splantider(tck, -n)
    t, c, k = tck
    if n == 0:
        return t, c, k
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    t, c = np.asarray(t) * 1.0, splines.own(t, np.asarray(c) * 1.0, k)
    for _ in range(n):
        c, t, k = splines.slopes(t, c, k), t[1:-1], k - 1
    return t, np.concatenate((c, np.zeros((k + 1, *c.shape[1:])))), k


def splantider(tck: Any, n: int = 1) -> Any:
    if not isinstance(tck, tuple | list):
        return tck.antiderivative(n)
    if n < 0:
        return splder(tck, -n)
    t, c, k = tck
    if n == 0:
        return t, c, k
    t, c = np.asarray(t) * 1.0, splines.own(t, np.asarray(c) * 1.0, k)
    for step in range(n):
        (t, c), k = splines.sums(t, c, k), k + 1
        if step < n - 1:
            c = c[: len(t) - k - 1]
    return t, np.concatenate((c, *[c[-1:]] * (k + 1))), k


def splrep(
    x: Array,
    y: Array,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: Any = 0,
    per: Any = 0,
) -> Any:
    x, y = np.atleast_1d(x) * 1.0, np.atleast_1d(y) * 1.0
    if full_output or task > 0:
        raise ValueError("'splrep' with 'full_output' or 'task' is not supported")
    if not 1 <= k <= 5 or len(x) <= k:
        raise TypeError("m > k must hold")
    if np.any(x[1:] < x[:-1] if t is not None else x[1:] <= x[:-1]):
        raise ValueError("Error on input data")
    weights = np.ones(len(x)) if w is None else np.atleast_1d(w) * 1.0
    first, last = x[0] if xb is None else xb, x[-1] if xe is None else xe
    if t is not None:
        if per:
            raise ValueError("Periodic splines with given knots are not supported")
        t = splines.with_ends(t, first, last, k)
        return _filled(t, splines.nearest(x, y, weights, t, k), k)
    if s is None and w is not None:
        s = len(x) - np.sqrt(2.0 * len(x))
    if s is not None and s != 0:
        if per:
            raise ValueError("Periodic smoothing splines are not supported")
        return Smooth((x, y, weights), k, s, (xb, xe))
    if per:
        return _filled(*splines.around(x, y, k), k)
    return _filled(*splines.through(x, y, k, (first, last)), k)


def splprep(
    x: Any,
    w: Any = None,
    u: Any = None,
    ub: Any = None,
    ue: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: Any = 0,
    nest: Any = None,
    per: Any = 0,
) -> Any:
    """A curve through points, by its length between them unless other places are given."""
    points = np.stack([np.asarray(one) * 1.0 for one in x], axis=1)
    if full_output or task != 0 or nest is not None:
        raise ValueError("'splprep' with 'full_output', 'task' or 'nest' is not supported")
    if len(points) <= k:
        raise TypeError("m > k must hold")
    if per:
        points = np.concatenate((points[:-1], points[:1]))
    if u is None:
        lengths = np.cumsum(np.sqrt(np.sum((points[1:] - points[:-1]) ** 2, axis=1)))
        u = np.concatenate((np.zeros(1), lengths / lengths[-1]))
    u = np.asarray(u) * 1.0
    if np.any(u[1:] <= u[:-1]):
        raise ValueError("Invalid inputs.")
    ends = u[0] if ub is None else ub, u[-1] if ue is None else ue
    if t is not None:
        raise ValueError("'splprep' with given knots is not supported: take 'splrep' for each coordinate")
    if s is None or s != 0 or w is not None:
        raise ValueError("Smoothing splines are not supported: pass s=0")
    knots, c = splines.around(u, points, k) if per else splines.through(u, points, k, ends)
    return [knots, [c[:, i] for i in range(c.shape[1])], k], u


def _filled(t: Array, c: Array, k: int) -> tuple[Array, Array, int]:
    """With zeros behind the coefficients, as SciPy has them."""
    return t, np.concatenate((c, np.zeros((k + 1, *c.shape[1:])))), k


def _is_several(c: Any) -> bool:
    """Whether a spline has a curve's coordinates as values."""
    return np.ndim(c[0]) > 0


def splev(x: Array, tck: Any, der: int = 0, ext: int = 0) -> Any:
    if isinstance(tck, Smooth):
        return tck(x, der, ext)
    if not isinstance(tck, tuple | list):
        return call(tck, x, der, ext == 0)
    t, c, k = tck
    if _is_several(c):
        return [splev(x, (t, one, k), der, ext) for one in c]
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    t, c, at = np.asarray(t) * 1.0, np.asarray(c) * 1.0, np.asarray(x) * 1.0
    low, high, flat = t[k], t[len(t) - k - 1], np.ravel(at)
    outside = (flat < low) | (flat > high)
    if ext == 2 and np.any(outside):
        raise ValueError("Found x value not in the domain")
    found = splines.evaluated(t, c, k, np.clip(flat, low, high) if ext == 3 else flat, der)
    return np.reshape(np.where(outside, 0.0, found) if ext == 1 else found, at.shape)


def sproot(tck: Any, mest: int = 10) -> Any:
    """Where a cubic spline is zero, between its ends."""
    if isinstance(tck, Smooth):
        raise ValueError("Roots of splines whose knots data choose are not supported")
    if not isinstance(tck, tuple | list):
        return sproot((tck.t, tck.c, tck.k), mest)
    t, c, k = tck
    if k != 3:
        raise ValueError("sproot works only for cubic (k=3) splines")
    if _is_several(c):
        return [sproot((t, one, k), mest) for one in c]

    def places() -> Array:
        return np.asarray(python_function("scipy.interpolate", "sproot")((np.array(t), np.array(c), k), mest))

    return crossings(places, lambda at: splev(at, tck))


def splint(a: Array, b: Array, tck: Any, full_output: Any = 0) -> Any:
    if isinstance(tck, Smooth):
        return float(tck.integral(a, b))
    if not isinstance(tck, tuple | list):
        return tck.integrate(a, b, extrapolate=False)
    t, c, k = tck
    if full_output:
        raise ValueError("'splint' with 'full_output' is not supported")
    if _is_several(c):
        return [splint(a, b, (t, one, k)) for one in c]
    return float(integral_between(np.asarray(t) * 1.0, splines.own(t, np.asarray(c) * 1.0, k), k, a, b, True))


def spalde(x: Array, tck: Any) -> Any:
    if isinstance(tck, Smooth):
        return tck.derivatives(x)
    if not isinstance(tck, tuple | list):
        return spalde(x, (tck.t, tck.c, tck.k))
    t, c, k = tck
    if _is_several(c):
        return [spalde(x, (t, one, k)) for one in c]
    at = np.atleast_1d(x) * 1.0
    t, c = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    found = np.stack([splines.evaluated(t, c, k, at, nu) for nu in range(k + 1)], axis=1)
    return [found[i] for i in range(len(at))] if len(at) > 1 else found[0]


SPLINES: dict[str, Callable[..., Any]] = {
    "make_interp_spline": make_interp_spline,
    "make_lsq_spline": make_lsq_spline,
    "BSpline.__init__": fill,
    "BSpline.__call__": call,
    "BSpline.derivative": derivative,
    "BSpline.antiderivative": antiderivative,
    "BSpline.integrate": integrate,
    **{program.__name__: program for program in (splrep, splprep, splev, splint, spalde, sproot, splder, splantider)},
}
KERNELS: dict[str, Callable[..., Any]] = {"data_matrix": data_matrix}
