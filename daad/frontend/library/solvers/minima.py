"""Minima of `scipy.optimize`: SciPy searches, and the conditions for a minimum have the derivative.

What the search leaves on a bound, or on a constraint, stays there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.library.solvers.primitives import by_python, jacobian, solution
from daad.frontend.library.solvers.roots import Found, ended, of_scipy, place_of, several, spread, told

Array = Any  # staged while the program is read
Function = Callable[..., Array]
STEPS, KINKED = (1e-5, 1e-3), 6.0
"""Relative to a place, the shorter one first; the most that a function grows by in a kink for four times the step."""
KINK = (
    "The minimum that SciPy has found lies in a kink of the function or beside one, where it has no derivative:"
    " minimise something smooth, such as the square of a norm"
)
EXACT, NEAR = 1e-12, 1e-3
"""Nearer to a bound than the first is on it; than the second, may be."""


def _number(value: Array) -> Array:
    """A function's value, which may be an array of one element."""
    return value if np.ndim(value) == 0 else np.reshape(value, (-1,))[0]


def gradient(function: Function, x: Array) -> Array:
    return jacobian(function, x, 1)[0]


def minimum(
    function: Function,
    run: Callable[[], Any],
    like: Array,
    residual: Function,
    bounds: Any = None,
    limits: Sequence[Function] = (),
) -> Array:
    """The `solution` where a function is least, unless it has a kink there."""
    x = solution(run, like, residual)
    if by_python(lambda: _is_kink(function, np.asarray(x, dtype=np.float64), bounds, len(limits) == 0), False):
        raise ValueError(KINK)
    return x


def _is_kink(function: Function, at: Any, bounds: Any, is_free: bool) -> bool:
    """In a kink the function grows by as much as the steps do, which is four times as much for steps four times as
    long, and not sixteen times. Beside one it does not fall where its slope and its curvature say so. Where it hardly
    grows for short steps, longer ones tell."""
    sizes = np.maximum(np.abs(at), 1e-3 * np.max(np.abs(at), initial=0.0))
    direction = np.cos(np.arange(at.size) + 1.0).reshape(at.shape) * np.where(sizes > 0.0, sizes, 1.0)
    is_free = is_free and _is_off(np.ravel(at), bounds)
    found = (_found_along(function, at, step * direction, is_free) for step in STEPS)
    return bool(next((one for one in found if one is not None), False))


def _found_along(function: Function, at: Any, step: Any, is_free: bool) -> Any:
    """Whether a kink is found; None where the function hardly grows, or has no value."""

    def value(length: float) -> float:
        return float(_number(function(at + length * step)))

    try:
        here, *short = (value(length) for length in (0.0, 0.25, -0.25))
        long = [value(length) for length in (1.0, -1.0)]
        less, more = sum(short) - 2.0 * here, sum(long) - 2.0 * here
        noise = 1e-12 * max(map(abs, (here, *long)))
        if not (less > noise and np.isfinite(more)):
            return None
        slope = 0.5 * (long[0] - long[1])
        falls = is_free and slope * slope > 2000.0 * noise * more  # by more than rounding
        return more < KINKED * less or (falls and not value(-slope / more) < here)
    except (ArithmeticError, ValueError):
        return None  # beyond what the function is for


def _is_off(x: Any, bounds: Any) -> bool:
    """Whether a place lies on none of the bounds."""
    ends = zip(x, *_ends(bounds, len(x)), strict=True)
    return all(bound is None or abs(one - bound) > NEAR * (1.0 + abs(bound)) for one, *pair in ends for bound in pair)


def _ends(bounds: Any, n: int) -> tuple[list[Any], list[Any]]:
    """Bounds from below and from above for each variable, None where there is none."""
    if bounds is None:
        return [None] * n, [None] * n
    if hasattr(bounds, "lb"):
        return _each(bounds.lb, n), _each(bounds.ub, n)
    return [pair[0] for pair in bounds], [pair[1] for pair in bounds]


def _each(bound: Any, n: int) -> list[Any]:
    if np.ndim(bound) == 0:
        return [bound] * n
    return [bound[0] if len(bound) == 1 else bound[k] for k in range(n)]


def _is_open(bound: Any) -> bool:
    return bound is None or (isinstance(bound, int | float) and np.isinf(bound))


def _kept(x: Array, g: Array, lower: Sequence[Any], upper: Sequence[Any]) -> tuple[Array, Array]:
    """For each variable whether it is free, and else how far it is from the bound that it lies on."""
    free, distance = np.ones(len(x), bool), np.zeros(len(x))
    for k in range(len(x)):
        for bound, sign in ((lower[k], 1.0), (upper[k], -1.0)):
            if not _is_open(bound):
                off = x[k] - bound
                on = _lies_on(off, sign * g[k], bound)
                distance[k] = np.where(on, off, distance[k])
                free[k] = free[k] & ~on
    return free, distance


def _lies_on(off: Array, force: Array, bound: Array) -> Array:
    """Whether what is `off` a bound, to which a `force` presses, lies on it: the nearer the less force is needed."""
    off = np.abs(off)
    return (off <= EXACT) | ((off <= NEAR * (1.0 + np.abs(bound))) & (force > off))


def conditions(x: Array, g: Array, bounds: Any, constraints: Sequence[Function]) -> Array:
    """What is zero at a minimum: the gradient less its part across the constraints that hold, and these."""
    lower, upper = _ends(bounds, len(x))
    rows = [one(x) for one in constraints]
    force, inside = g, _kept(x, np.full(len(x), np.inf), lower, upper)[0]
    for c, a, always in rows:
        force = force - a.T @ _forces(a, always | (np.abs(c) <= NEAR), inside, g)
    free, distance = _kept(x, force, lower, upper)
    for c, a, always in rows:
        near = always | (np.abs(c) <= NEAR)
        holds = always | (near & (np.abs(_forces(a, near, free, g)) > np.abs(c)))
        across = np.where(free, np.where(holds[:, np.newaxis], a, 0.0), 0.0)
        g = g - across.T @ _forces(a, holds, free, g) + across.T @ np.where(holds, c, 0.0)
    return np.where(free, g, distance)


def _forces(a: Array, holds: Array, free: Array, g: Array) -> Array:
    """The multipliers of the constraints that hold."""
    across = np.where(free, np.where(holds[:, np.newaxis], a, 0.0), 0.0)
    return np.linalg.solve(across @ across.T + np.diag(np.where(holds, 0.0, 1.0)), across @ g)


def _limits(constraints: Any) -> list[Function]:
    """All constraints as one: the distances from their limits, the slopes of these, and which are equations."""
    rows = [_limit(one) for one in (constraints if isinstance(constraints, list | tuple) else [constraints])]
    if not rows:
        return []

    def together(x: Array) -> tuple[Array, Array, Array]:
        found = [row(x) for row in rows]
        c, a, always = ([part[k] for part in found] for k in range(3))
        return np.concatenate(c), np.concatenate(a), np.concatenate(always)

    return [together]


def _limit(one: Any) -> Function:
    if isinstance(one, dict):
        args = one.get("args", ())

        def of_dict(x: Array) -> Array:
            return np.atleast_1d(one["fun"](x, *args))

        return _with_slopes(of_dict, 0.0, 0.0 if one["type"] == "eq" else np.inf)
    if hasattr(one, "A"):
        return _with_slopes(lambda x: np.atleast_1d(np.asarray(one.A) @ x), one.lb, one.ub)
    return _with_slopes(lambda x: np.atleast_1d(one.fun(x)), one.lb, one.ub)


def _with_slopes(function: Function, lower: Any, upper: Any) -> Function:
    def row(x: Array) -> tuple[Array, Array, Array]:
        value = function(x)
        below, above = value - lower, value - upper
        c = np.where(np.abs(below) <= np.abs(above), below, above)
        return c, jacobian(function, x, len(value)), below == above

    return row


def minimize(
    fun: Function,
    x0: Array,
    args: Any = (),
    jac: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    **rest: Any,
) -> Any:
    further, limits = several(args), _limits(constraints)

    def search() -> Any:
        given = {"jac": jac, "bounds": bounds, "constraints": constraints, **rest}
        return of_scipy("minimize")(fun, x0, further, **given)

    def value(x: Array) -> Array:
        return _number(fun(x, *further)[0] if jac is True else fun(x, *further))

    def residual(x: Array) -> Array:
        if callable(jac):
            g = np.atleast_1d(np.asarray(jac(x, *further)))
        else:
            g = np.atleast_1d(np.asarray(fun(x, *further)[1])) if jac is True else gradient(value, x)
        return conditions(x, g, bounds, limits)

    def report() -> Any:
        found = search()
        return bool(found.success), int(found.get("status", 0)), int(found.get("nit", 0)), int(found.get("nfev", 0))

    x = minimum(value, place_of(lambda: ended(search())), np.zeros(np.size(x0)), residual, bounds, limits)
    success, status, rounds, calls = by_python(report, (True, 0, 0, 0))
    return Found(x=x, fun=value(x), success=success, status=status, nit=rounds, nfev=calls, message=told(status))


def fmin_l_bfgs_b(
    func: Function, x0: Array, fprime: Any = None, args: Any = (), approx_grad: Any = 0, bounds: Any = None, **rest: Any
) -> Any:
    """The place, the value there, and a report."""
    further = spread(args)

    def search() -> Any:
        given = {"fprime": fprime, "approx_grad": approx_grad, "bounds": bounds, **rest}
        return of_scipy("fmin_l_bfgs_b")(func, x0, args=further, **given)

    def report() -> Any:
        found = search()[2]
        return int(found["warnflag"]), int(found["nit"]), int(found["funcalls"])

    gives_both = fprime is None and not approx_grad

    def value(x: Array) -> Array:
        return _number(func(x, *further)[0] if gives_both else func(x, *further))

    def residual(x: Array) -> Array:
        if gives_both:
            g = np.atleast_1d(np.asarray(func(x, *further)[1]))
        else:
            g = gradient(value, x) if fprime is None else np.atleast_1d(np.asarray(fprime(x, *further)))
        return conditions(x, g, bounds, [])

    x = minimum(value, lambda: np.asarray(search()[0], dtype=np.float64), np.zeros(np.size(x0)), residual, bounds)
    flag, rounds, calls = by_python(report, (0, 0, 0))
    return x, value(x), Found(warnflag=flag, nit=rounds, funcalls=calls, task=told(flag))


def minimize_scalar(fun: Function, bounds: Any = None, args: Any = (), **rest: Any) -> Any:
    further = several(args)

    def search() -> Any:
        return of_scipy("minimize_scalar")(fun, bounds=bounds, args=further, **rest)

    def value(x: Array) -> Array:
        return _number(fun(_number(x), *further))

    def report() -> Any:
        found = search()
        return bool(found.success), int(found.nit), int(found.nfev)

    ends = None if bounds is None else [bounds]
    x = minimum(value, lambda: float(ended(search()).x), 0.0, _within(value, bounds), ends)
    success, rounds, calls = by_python(report, (True, 0, 0))
    return Found(x=x, fun=value(x), success=success, nit=rounds, nfev=calls, message=told(success))


def _within(value: Function, bounds: Any) -> Function:
    """What is zero where a function of one number is least: its slope, or else how far it is from an end."""

    def residual(x: Array) -> Array:
        g = gradient(value, np.reshape(x, (1,)))[0]
        if bounds is None:
            return g
        low, high = bounds
        near = 1e-4 * (high - low)
        g = np.where((x - low < near) & (g > 0.0), x - low, g)
        return np.where((high - x < near) & (g < 0.0), x - high, g)

    return residual


def fminbound(func: Function, x1: Array, x2: Array, args: Any = (), **rest: Any) -> Any:
    further = spread(args)
    if rest.get("full_output"):
        raise ValueError("'fminbound' with 'full_output' is not supported: use 'minimize_scalar'")

    def run() -> float:
        return float(of_scipy("fminbound")(func, x1, x2, further, **rest))

    def value(x: Array) -> Array:
        return _number(func(_number(x), *further))

    return minimum(value, run, 0.0, _within(value, (x1, x2)), [(x1, x2)])


def _place(name: str, func: Function, x0: Array, args: Any, rest: Any) -> Array:
    """What a search of SciPy's older interface gives: the place alone."""
    if rest.get("full_output") or rest.get("retall"):
        raise ValueError(f"'{name}' with 'full_output' or 'retall' is not supported: use 'minimize'")
    further = spread(args)

    def run() -> Array:
        return np.atleast_1d(np.asarray(of_scipy(name)(func, x0, args=further, **rest), dtype=np.float64))

    def value(x: Array) -> Array:
        return _number(func(x, *further))

    return minimum(value, run, np.zeros(np.size(x0)), lambda x: gradient(value, x))


def _of_func(name: str) -> Function:
    return lambda func, x0, args=(), **rest: _place(name, func, x0, args, rest)


def _of_f(name: str) -> Function:
    """The same where SciPy calls the function `f`."""
    return lambda f, x0, args=(), **rest: _place(name, f, x0, args, rest)


def _of_number(name: str) -> Function:
    """A search for a number."""

    def search(func: Function, args: Any = (), **rest: Any) -> Array:
        if rest.get("full_output"):
            raise ValueError(f"'{name}' with 'full_output' is not supported: use 'minimize_scalar'")
        further = several(args)

        def run() -> float:
            return float(of_scipy(name)(func, further, **rest))

        def value(x: Array) -> Array:
            return _number(func(_number(x), *further))

        return minimum(value, run, 0.0, _within(value, None))

    return search


def _global(name: str) -> Function:
    """A search between bounds for the least of all minima."""

    def search(func: Function, bounds: Any, args: Any = (), **rest: Any) -> Any:
        if rest.get("integrality") is not None:
            raise ValueError(f"'{name}' with 'integrality' is not supported")
        further, limits = spread(args), _limits(rest.get("constraints", ()))

        def found() -> Any:
            return of_scipy(name)(func, bounds, args=further, **rest)

        def value(x: Array) -> Array:
            return _number(func(x, *further))

        n = len(bounds.lb) if hasattr(bounds, "lb") else len(bounds)

        def residual(x: Array) -> Array:
            return conditions(x, gradient(value, x), bounds, limits)

        x = minimum(value, place_of(found), np.zeros(n), residual, bounds, limits)
        success = by_python(lambda: bool(found().success), True)
        least = value(x)
        return Found(x=x, fun=float(least) if name == "direct" else least, success=success, message=told(success))

    return search


def basinhopping(func: Function, x0: Array, **rest: Any) -> Any:
    def found() -> Any:
        return of_scipy("basinhopping")(func, x0, **rest)

    def value(x: Array) -> Array:
        return _number(func(x))

    x = minimum(value, place_of(found), np.zeros(np.size(x0)), lambda x: gradient(value, x))
    success = by_python(lambda: bool(found().success), True)
    return Found(x=x, fun=value(x), success=success, message=told(success))


MINIMA: dict[str, Function] = {
    "minimize": minimize,
    "minimize_scalar": minimize_scalar,
    "fmin_l_bfgs_b": fmin_l_bfgs_b,
    "fminbound": fminbound,
    "basinhopping": basinhopping,
    **{name: _of_func(name) for name in ("fmin", "fmin_powell")},
    **{name: _of_f(name) for name in ("fmin_bfgs", "fmin_cg", "fmin_ncg")},
    **{name: _of_number(name) for name in ("brent", "golden")},
    **{name: _global(name) for name in ("differential_evolution", "dual_annealing", "shgo", "direct")},
}
