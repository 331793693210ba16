"""Roots and fixed points of `scipy.optimize`: SciPy finds them, and the equation has the derivative."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.library.anchored import held, python_function
from daad.frontend.library.solvers.primitives import by_python, solution

Array = Any  # staged while the program is read
Function = Callable[..., Array]
of_scipy = partial(python_function, "scipy.optimize")


class Found:
    """What SciPy reports of a search: its attributes, and its items by their names."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"'{name}' of what SciPy reports of a search is not known")

    def __contains__(self, name: str) -> bool:
        return getattr(self, name) is not self

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        raise NotImplementedError("How much SciPy reports of a search is not known")

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name)


def scipys(found: Found) -> type:
    """The class of SciPy's own report."""
    if "root" in vars(found):
        return type_of("scipy.optimize", "RootResults")
    if "t" in vars(found):
        return type_of("scipy.integrate._ivp.ivp", "OdeResult")
    return type_of("scipy.optimize", "OptimizeResult")


def type_of(module: str, name: str) -> type:
    found: Any = python_function(module, name)
    return found


def decided(count: Array) -> int:
    """A whole number that the run decides, as one that is known while the program is read."""
    return len(np.zeros(count))


def told(status: Any) -> str:
    """What SciPy says, of a search that it alone runs: the program may show it, and not look into it."""
    return f"{status}"


def ended(found: Any) -> Any:
    """What a solver found; raises Unsupported where it was stopped by a limit, for that is no solution, and its
    derivative another one."""
    message = str(found.get("message", found.get("flag", "")))
    if not found.get("success", found.get("converged", True)) and LIMIT.search(message):
        raise Unsupported(
            f"SciPy's solver stops before it has a solution: {message.rstrip('.')}.",
            hint="Allow more iterations, or write the iterations into the program, which differentiates them.",
        )
    return found


LIMIT = re.compile("max|limit|exceed|convergence error", re.IGNORECASE)
"""In what solvers say where they were stopped; others end where rounding lets them go no further."""


def place_of(found: Function) -> Function:
    """What gives the place alone of what a search finds."""
    return lambda: np.asarray(found().x, dtype=np.float64)


def spread(args: Any) -> tuple[Any, ...]:
    """Further arguments that SciPy gives one by one, whatever holds them."""
    return tuple(args)


def several(args: Any) -> tuple[Any, ...]:
    """Further arguments of a function, of which one may stand alone."""
    return args if isinstance(args, tuple) else (args,)


def _report(x: Array, search: Callable[[], Any]) -> Found:
    """Of a search for a number `x`: what SciPy says that it took."""

    def numbers() -> Any:
        found = search()
        return int(found.iterations), int(found.function_calls), bool(found.converged)

    iterations, calls, converged = by_python(numbers, (0, 0, True))
    return Found(root=x, iterations=iterations, function_calls=calls, converged=converged, flag=told(converged))


OF_NUMPY = ("newton", "secant", "halley", "toms748")
"""Methods whose roots are numbers of NumPy's; those of the others are Python's."""


def _searching(name: str) -> Function:
    """A search for a number, between two ends."""

    def search(f: Function, a: Array, b: Array, args: Any = (), full_output: bool = False, **rest: Any) -> Any:
        further = several(args)

        def run() -> float:
            return float(of_scipy(name)(f, a, b, args=further, **rest))

        x = solution(run, 0.0, lambda x: f(x, *further))
        x = x if name in OF_NUMPY else float(x)
        if not full_output:
            return x

        return x, _report(x, lambda: of_scipy(name)(f, a, b, args=further, full_output=True, **rest)[1])

    return search


def newton(func: Function, x0: Array, args: Any = (), full_output: bool = False, **rest: Any) -> Any:
    """Of each element by itself where the start is an array."""
    if full_output and np.ndim(x0):
        raise ValueError("'newton' of an array with 'full_output' is not supported")
    further = spread(args)

    def run() -> Any:
        return np.asarray(of_scipy("newton")(func, x0, args=further, **rest), dtype=np.float64)[()]

    x = solution(run, np.zeros(np.shape(x0)) if np.ndim(x0) else 0.0, lambda x: func(x, *further))
    if not full_output:
        return x

    return x, _report(x, lambda: of_scipy("newton")(func, x0, args=further, full_output=True, **rest)[1])


def root_scalar(
    f: Function, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, **rest: Any
) -> Any:
    further = several(args)

    def search() -> Any:
        return of_scipy("root_scalar")(f, further, method, bracket, fprime, **rest)

    def residual(x: Array) -> Array:
        return f(x, *further)[0] if fprime is True else f(x, *further)

    root = solution(lambda: float(ended(search()).root), 0.0, residual)
    is_numpys = method in OF_NUMPY or (method is None and bracket is None)
    return _report(root if is_numpys else float(root), search)


def fsolve(func: Function, x0: Array, args: Any = (), full_output: Any = 0, **rest: Any) -> Any:
    further = several(args)

    def search() -> Any:
        return of_scipy("fsolve")(func, x0, args=further, full_output=1, **rest)

    def run() -> Array:
        x, _, flag, message = search()
        ended({"success": flag == 1, "message": message})
        if flag != 1 and not full_output:
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return np.asarray(x, dtype=np.float64)

    def residual(x: Array) -> Array:
        return np.atleast_1d(np.asarray(func(x, *further)))

    x = solution(run, np.zeros(np.asarray(x0).size), residual)
    if not full_output:
        return x

    def report() -> Any:
        found = search()
        return int(found[1]["nfev"]), int(found[2])

    calls, flag = by_python(report, (0, 0))
    return x, Found(nfev=calls, fvec=residual(x)), flag, told(flag)


def root(fun: Function, x0: Array, args: Any = (), jac: Any = None, **rest: Any) -> Any:
    further = several(args)

    def search() -> Any:
        return of_scipy("root")(fun, x0, further, jac=jac, **rest)

    def report() -> Any:
        found = search()
        return bool(found.success), int(found.get("status", 0)), int(found.get("nfev", 0))

    def residual(x: Array) -> Array:
        return np.atleast_1d(np.asarray(fun(x, *further)[0] if jac is True else fun(x, *further)))

    x = solution(place_of(lambda: ended(search())), np.zeros(np.shape(np.atleast_1d(x0))), residual)
    success, status, calls = by_python(report, (True, 0, 0))
    return Found(x=x, success=success, status=status, nfev=calls, fun=residual(x), message=told(status))


def fixed_point(func: Function, x0: Array, args: Any = (), **rest: Any) -> Array:
    further = spread(args)

    def run() -> Any:
        return np.asarray(of_scipy("fixed_point")(func, x0, further, **rest), dtype=np.float64)[()]

    return solution(run, np.zeros(np.shape(x0)) if np.ndim(x0) else 0.0, lambda x: func(x, *further) - x)


def _by_steps(name: str) -> Function:
    """A search that starts somewhere, for large systems."""

    def search(F: Function, xin: Array, **rest: Any) -> Array:
        def run() -> Array:
            return np.asarray(of_scipy(name)(F, xin, **rest), dtype=np.float64)

        return solution(run, np.zeros(np.shape(xin)), lambda x: np.asarray(F(x)))

    return search


def linear_sum_assignment(cost_matrix: Array, maximize: bool = False) -> tuple[Array, Array]:
    """Rows and columns, which have no derivative."""
    costs, count = held(np.asarray(cost_matrix) * 1.0), min(np.shape(cost_matrix))

    def run() -> tuple[Array, Array]:
        rows, columns = of_scipy("linear_sum_assignment")(np.asarray(costs), bool(maximize))
        return rows.astype(np.int64), columns.astype(np.int64)

    return by_python(run, (np.zeros(count, np.int64), np.zeros(count, np.int64)))


def isotonic_regression(y: Array, *, weights: Any = None, increasing: bool = True) -> Any:
    """Means over the blocks that SciPy finds."""
    y = np.asarray(y) * 1.0
    w = np.ones(len(y)) if weights is None else np.asarray(weights) * 1.0
    line, given = held(y), held(w)

    def run() -> Array:
        found = of_scipy("isotonic_regression")(np.asarray(line), weights=np.asarray(given), increasing=increasing)
        return np.repeat(np.arange(len(found.blocks) - 1), np.diff(found.blocks)).astype(np.int64)

    block = by_python(run, np.zeros(len(y), np.int64))
    sums, shares = np.zeros(len(y)), np.zeros(len(y))
    np.add.at(sums, block, w * y)
    np.add.at(shares, block, w)
    return Found(x=sums[block] / shares[block])


STEPPING = ("broyden1", "broyden2", "anderson", "newton_krylov", "linearmixing", "diagbroyden", "excitingmixing")
ROOTS: dict[str, Function] = {
    **{name: _searching(name) for name in ("brentq", "brenth", "bisect", "ridder", "toms748")},
    **{name: _by_steps(name) for name in STEPPING},
    "newton": newton,
    "root_scalar": root_scalar,
    "fsolve": fsolve,
    "root": root,
    "fixed_point": fixed_point,
    "linear_sum_assignment": linear_sum_assignment,
    "isotonic_regression": isotonic_regression,
}
