"""Least squares of `scipy.optimize`, with the derivative of the conditions for a minimum."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, fixed
from daad.frontend.library.solvers.minima import conditions, gradient
from daad.frontend.library.solvers.primitives import by_python, solution
from daad.frontend.library.solvers.roots import Found, ended, of_scipy, place_of, several, told

Array = Any  # staged while the program is read
Function = Callable[..., Array]


def _rho(z: Array, loss: str) -> Array:
    """What is summed for squares `z`."""
    if loss == "linear":
        return z
    if loss == "soft_l1":
        return 2.0 * (np.sqrt(1.0 + z) - 1.0)
    if loss == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0)
    if loss == "cauchy":
        return np.log1p(z)
    if loss == "arctan":
        return np.arctan(z)
    raise ValueError(f"A loss '{loss}' is not supported")


def _pairs(bounds: Any, n: int) -> Any:
    """Bounds as pairs, one for each variable."""
    return bounds if hasattr(bounds, "lb") else [(_at(bounds[0], k), _at(bounds[1], k)) for k in range(n)]


def _at(bound: Any, k: int) -> Any:
    return bound if np.ndim(bound) == 0 else bound[k]


def least_squares(
    fun: Function,
    x0: Array,
    bounds: Any = (-np.inf, np.inf),
    loss: str = "linear",
    f_scale: Array = 1.0,
    args: Any = (),
    kwargs: Any = None,
    **rest: Any,
) -> Any:
    named, n = {} if kwargs is None else kwargs, np.size(x0)

    def search() -> Any:
        given = {"bounds": bounds, "loss": loss, "f_scale": f_scale, "args": args, "kwargs": named, **rest}
        return of_scipy("least_squares")(fun, x0, **given)

    def values(x: Array) -> Array:
        return np.atleast_1d(np.asarray(fun(x, *args, **named)))

    def cost(x: Array) -> Array:
        r = values(x)
        return 0.5 * f_scale * f_scale * np.sum(_rho((r / f_scale) ** 2, loss))

    def report() -> Any:
        found = search()
        return bool(found.success), int(found.status), int(found.nfev)

    def residual(x: Array) -> Array:
        return conditions(x, gradient(cost, x), _pairs(bounds, n), [])

    x = solution(place_of(lambda: ended(search())), np.zeros(n), residual)
    success, status, calls = by_python(report, (True, 0, 0))
    residuals = values(x)
    jac = _known(x, lambda: np.asarray(search().jac, dtype=np.float64), (len(residuals), n))
    return Found(
        x=x, fun=residuals, cost=cost(x), jac=jac, success=success, status=status, nfev=calls, message=told(status)
    )


def _known(x: Array, run: Callable[[], Any], shape: tuple[int, ...]) -> Array:
    """What SciPy finds beside a solution `x`, of which no derivative is known."""
    return anchored(fixed(np.sum(x)) * np.ones(shape), by_python(run, np.zeros(shape)))


def leastsq(func: Function, x0: Array, args: Any = (), full_output: Any = False, **rest: Any) -> Any:
    if full_output:
        raise ValueError("'leastsq' with 'full_output' is not supported: use 'least_squares'")
    further = several(args)

    def search() -> Any:
        return of_scipy("leastsq")(func, x0, further, **rest)

    def cost(x: Array) -> Array:
        return 0.5 * np.sum(np.asarray(func(x, *further)) ** 2)

    def run() -> Array:
        return np.atleast_1d(np.asarray(search()[0], dtype=np.float64))

    x = solution(run, np.zeros(np.size(x0)), lambda x: gradient(cost, x))
    return x, by_python(lambda: int(search()[1]), 0)


def nnls(A: Array, b: Array, **rest: Any) -> Any:
    a, right = np.asarray(A) * 1.0, np.asarray(b) * 1.0

    def run() -> Array:
        return np.asarray(of_scipy("nnls")(a, right, **rest)[0], dtype=np.float64)

    x = solution(run, np.zeros(a.shape[1]), lambda x: np.where(x > 0.0, a.T @ (a @ x - right), x))
    return x, float(np.sqrt(np.sum((a @ x - right) ** 2)))


def lsq_linear(A: Array, b: Array, bounds: Any = (-np.inf, np.inf), **rest: Any) -> Any:
    if rest.get("lsmr_maxiter") is not None:
        raise ValueError("What 'lsq_linear' has after 'lsmr_maxiter' iterations is no solution: leave that out")
    a, right = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    n = a.shape[1]

    def search() -> Any:
        return of_scipy("lsq_linear")(a, right, bounds, **rest)

    def residual(x: Array) -> Array:
        return conditions(x, a.T @ (a @ x - right), _pairs(bounds, n), [])

    x = solution(place_of(lambda: ended(search())), np.zeros(n), residual)
    error = a @ x - right
    success = by_python(lambda: bool(search().success), True)
    return Found(x=x, fun=error, cost=0.5 * np.sum(error**2), success=success, message=told(success))


def curve_fit(
    f: Function,
    xdata: Any,
    ydata: Array,
    p0: Any = None,
    sigma: Any = None,
    bounds: Any = (-np.inf, np.inf),
    **rest: Any,
) -> Any:
    """The covariances are SciPy's, and a derivative of them is not known."""
    if rest.get("full_output"):
        raise ValueError("'curve_fit' with 'full_output' is not supported")
    y, n = np.asarray(ydata), len(inspect.signature(f).parameters) - 1 if p0 is None else np.size(p0)

    def search() -> Any:
        found = of_scipy("curve_fit")(f, xdata, ydata, p0=p0, sigma=sigma, bounds=bounds, **rest)
        return tuple(np.asarray(part, dtype=np.float64) for part in found[:2])

    def cost(x: Array) -> Array:
        rest = f(xdata, *[x[k] for k in range(n)]) - y
        if np.ndim(sigma) > 1:
            return 0.5 * rest @ np.linalg.solve(sigma, rest)
        return 0.5 * np.sum((rest if sigma is None else rest / sigma) ** 2)

    def residual(x: Array) -> Array:
        return conditions(x, gradient(cost, x), _pairs(bounds, n), [])

    x = solution(lambda: search()[0], np.zeros(n), residual)
    return x, _known(x, lambda: search()[1], (n, n))


SQUARES: dict[str, Function] = {
    program.__name__: program for program in (least_squares, leastsq, nnls, lsq_linear, curve_fit)
}
