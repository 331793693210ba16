"""Integrals of functions, of `scipy.integrate`: SciPy chooses the intervals, and the integral is differentiated there.

On each interval that QUADPACK has made, a rule of Gauss has the derivative; its points move with the ends of the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, python_function
from daad.frontend.library.solvers.primitives import by_python, evaluated
from daad.frontend.library.solvers.roots import several, spread

Array = Any  # staged while the program is read
Function = Callable[..., Array]
_of_scipy = partial(python_function, "scipy.integrate")
RULE = np.polynomial.legendre.leggauss(21)
POINTS, WEIGHTS = 0.5 * (1.0 + RULE[0]), 0.5 * RULE[1]
"""Gauss's rule from 0 to 1."""
POWER = 6
"""Of the distance from an end that QUADPACK has come close to, as it does where the function has no bounds there."""
ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
MOST = 200
SINGULAR = (
    "The integrand has a singularity between the ends, where its integral cannot be differentiated: give 'points'"
)


def _is_infinite(end: Any) -> bool:
    return isinstance(end, int | float) and bool(np.isinf(end))


def _on_unit(f: Function, a: Array, b: Array) -> Function:
    """The function whose integral from 0 to 1 is that of `f`, as QUADPACK has it."""
    if _is_infinite(a) and _is_infinite(b):
        return lambda t: (evaluated(f, (1.0 - t) / t) + evaluated(f, (t - 1.0) / t)) / (t * t)
    if _is_infinite(b):
        return lambda t: evaluated(f, a + (1.0 - t) / t) / (t * t)
    if _is_infinite(a):
        return lambda t: evaluated(f, b - (1.0 - t) / t) / (t * t)
    return lambda t: evaluated(f, a + (b - a) * t) * (b - a)


def _sum(f: Function, points: Array, weights: Array, count: Array, zero: Array) -> Array:
    total = zero
    for k in range(count):
        total = total + weights[k] * f(points[k])
    return total


def _rule(starts: Array, widths: Array, most: int) -> tuple[Array, Array, int]:
    """Points and weights on all intervals within the unit interval, and how many there are."""
    points, weights = np.zeros((most, len(POINTS))), np.zeros((most, len(POINTS)))
    narrow = (widths < 1.0 / 16.0) & (widths <= 1.001 * np.min(widths))
    for k, (start, width) in enumerate(zip(starts, widths, strict=True)):
        places, factors = POINTS, WEIGHTS
        if narrow[k] and start < 1e-15:
            places, factors = POINTS**POWER, WEIGHTS * POWER * POINTS ** (POWER - 1)
        elif narrow[k] and start + width > 1.0 - 1e-15:
            places, factors = 1.0 - (1.0 - POINTS) ** POWER, WEIGHTS * POWER * (1.0 - POINTS) ** (POWER - 1)
        points[k], weights[k] = start + width * places, width * factors
    return points.ravel(), weights.ravel(), len(starts) * len(POINTS)


def _inside(points: Array, a: Any, b: Any) -> Array:
    """The points, none so close to an end that rounding moves it there, where slopes may have no bounds."""
    if a == b or _is_infinite(a) or _is_infinite(b):
        return points
    low, high = (ROUNDING * abs(end) / abs(b - a) for end in (a, b))
    return np.clip(points, low, 1.0 - max(high, ROUNDING))


def _intervals(found: Any, a: Any, b: Any) -> tuple[Array, Array]:
    """Where QUADPACK's intervals begin, as parts of the whole, and how wide they are."""
    if a == b:
        return np.zeros(1), np.ones(1)
    count = int(found["last"])
    starts, widths = found["alist"][:count], found["blist"][:count] - found["alist"][:count]
    if _is_infinite(a) or _is_infinite(b):
        return starts, widths
    return (starts - a) / (b - a), widths / (b - a)


def _integral(f: Function, exact: Function, a: Array, b: Array, limit: int, rest: Any) -> tuple[Array, Array]:
    """By `f`, which is read, and `exact`, which SciPy calls: the integral and SciPy's estimate of the error."""
    if _is_infinite(a) and _is_infinite(b) and a > b:
        value, error = _integral(f, exact, b, a, limit, rest)
        return -value, error
    if (_is_infinite(a) and a > 0) or (_is_infinite(b) and b < 0):
        value, error = _integral(f, exact, b, a, limit, rest)
        return -value, error

    size = limit * len(POINTS)

    def run() -> Any:
        value, error, found, *_ = _of_scipy("quad")(exact, a, b, full_output=1, limit=limit, **rest)
        points, weights, count = _rule(*_intervals(found, a, b), limit)
        points = _inside(points, a, b)
        again = _sum(_on_unit(exact, a, b), points, weights, count, 0.0)
        if abs(again - value) > 1e-6 * (1.0 + abs(value)) + 10.0 * error:
            raise ValueError(SINGULAR)
        return float(value), float(error), points, weights, count

    value, error, points, weights, count = by_python(run, (0.0, 0.0, np.zeros(size), np.zeros(size), 0))
    return float(anchored(_sum(_on_unit(f, a, b), points, weights, count, 0.0), value)), error


def quad(func: Function, a: Array, b: Array, args: Any = (), limit: int = 50, **rest: Any) -> tuple[Array, Array]:
    """The estimate of the error has no derivative."""
    if rest.get("full_output") or rest.get("weight") or rest.get("complex_func"):
        raise ValueError("'quad' with 'full_output', 'weight' or 'complex_func' is not supported")
    further = several(args)

    def f(x: Array) -> Array:
        return func(x, *further)

    return _integral(f, f, a, b, limit, rest)


def _end(end: Any, *at: Array) -> Array:
    return end(*at) if callable(end) else end


def dblquad(
    func: Function,
    a: Array,
    b: Array,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[Array, Array]:
    rest, further = {"epsabs": epsabs, "epsrel": epsrel}, spread(args)

    def along(x: Array) -> Array:
        def f(y: Array) -> Array:
            return func(y, x, *further)

        return _integral(f, f, _end(gfun, x), _end(hfun, x), 50, rest)[0]

    def by_scipy(x: Array) -> Array:
        return _of_scipy("quad")(lambda y: func(y, x, *further), _end(gfun, x), _end(hfun, x), **rest)[0]

    return _integral(along, by_scipy, a, b, 50, rest)


def tplquad(
    func: Function,
    a: Array,
    b: Array,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[Array, Array]:
    rest, further = {"epsabs": epsabs, "epsrel": epsrel}, spread(args)

    def over(x: Array) -> Array:
        def f(z: Array, y: Array) -> Array:
            return func(z, y, x, *further)

        low, high = (lambda y: _end(qfun, x, y)), (lambda y: _end(rfun, x, y))
        return dblquad(f, _end(gfun, x), _end(hfun, x), low, high, (), epsabs, epsrel)[0]

    def by_scipy(x: Array) -> Array:
        low, high = (lambda y: _end(qfun, x, y)), (lambda y: _end(rfun, x, y))
        whole = _of_scipy("dblquad")
        return whole(lambda z, y: func(z, y, x, *further), _end(gfun, x), _end(hfun, x), low, high, **rest)[0]

    return _integral(over, by_scipy, a, b, 50, rest)


def nquad(func: Function, ranges: Any, args: Any = None, **rest: Any) -> tuple[Array, Array]:
    """Over ranges, each of which may be a function of the variables behind it."""
    if any(value for value in rest.values()):
        raise ValueError("'nquad' with options is not supported")
    return _over(func, list(ranges), () if args is None else spread(args), ())


def _over(func: Function, ranges: Any, further: Any, outer: Any) -> tuple[Array, Array]:
    low, high = _end(ranges[-1], *outer, *further) if callable(ranges[-1]) else ranges[-1]
    if len(ranges) == 1:

        def f(x: Array) -> Array:
            return func(x, *outer, *further)

        return _integral(f, f, low, high, 50, {})

    def by_scipy(x: Array) -> Array:
        return _of_scipy("nquad")(func, ranges[:-1], args=(x, *outer, *further))[0]

    return _integral(lambda x: _over(func, ranges[:-1], further, (x, *outer))[0], by_scipy, low, high, 50, {})


def quad_vec(f: Function, a: Array, b: Array, full_output: bool = False, args: Any = (), **rest: Any) -> Any:
    further = several(args)
    if full_output or _is_infinite(a) or _is_infinite(b):
        raise ValueError("'quad_vec' with 'full_output' or over an infinite interval is not supported")

    def g(x: Array) -> Array:
        return f(x, *further)

    def search() -> Any:
        return _of_scipy("quad_vec")(g, a, b, full_output=True, **rest)

    zero = np.zeros_like(np.asarray(evaluated(g, 0.5 * (a + b))) * 1.0)

    size = MOST * len(POINTS)

    def run() -> Any:
        value, error, found = search()
        ends = (np.asarray(found.intervals) - a) / (b - a)
        if len(ends) > MOST:
            raise ValueError(f"'quad_vec' with more than {MOST} intervals has no derivative")
        points, weights, count = _rule(ends[:, 0], ends[:, 1] - ends[:, 0], MOST)
        return np.asarray(value, dtype=np.float64)[()], float(error), points, weights, count

    value, error, points, weights, count = by_python(run, (zero, 0.0, np.zeros(size), np.zeros(size), 0))
    return anchored(_sum(_on_unit(g, a, b), points, weights, count, zero), value), error


QUADRATURE: dict[str, Function] = {program.__name__: program for program in (quad, dblquad, tplquad, nquad, quad_vec)}
