"""Ordinary differential equations of `scipy.integrate`: SciPy solves them, and the flow has the derivative.

The flow is followed again by a rule of Runge and Kutta, from one time to the next, in steps that are found at run time
and have no derivative; what it ends with must be what SciPy has found.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, python_function
from daad.frontend.library.solvers.primitives import by_python, evaluated
from daad.frontend.library.solvers.roots import Found, several

Array = Any  # staged while the program is read
Function = Callable[..., Array]
_of_scipy = partial(python_function, "scipy.integrate")
MOST = 1 << 14
"""Steps in all."""
CLOSE = 1e-2
STIFF = "This equation is too stiff for explicit steps, or it jumps: it has no derivative"
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
SLOPES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
"""Those of Dormand and Prince, of the fifth order."""


class Last:
    """Values at times that SciPy chooses, of which the program may see the last."""

    def __init__(self, value: Array) -> None:
        self.value = value

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        if not isinstance(parts[-1], int) or parts[-1] != -1 or len(parts) != np.ndim(self.value) + 1:
            raise ValueError("Of the times that SciPy chooses the last is known only: give 't_eval'")
        return self.value[parts[:-1]] if len(parts) > 1 else self.value


def _step(f: Function, t: Array, y: Array, h: Array) -> Array:
    slopes: list[Array] = []
    for node, factors in zip(NODES, SLOPES, strict=True):
        at = y + h * sum(a * k for a, k in zip(factors, slopes, strict=True)) if factors else y
        slopes.append(f(t + node * h, at))
    return y + h * sum(b * k for b, k in zip(WEIGHTS, slopes, strict=True))


def _steps(f: Function, times: Array, values: Array) -> tuple[Array, Array, Array, int]:
    """Between which times each step lies, and, as parts of the time between, where it begins and how long it is."""
    places, starts, widths, count = np.zeros(MOST, int), np.zeros(MOST), np.zeros(MOST), 0
    scale = np.max(np.abs(values))
    for j in range(len(times) - 1):
        if times[j + 1] == times[j]:
            continue
        solver = _of_scipy("RK45")(f, times[j], values[j], times[j + 1], rtol=1e-8, atol=1e-10 * (1e-3 + scale))
        ends = [times[j]]
        while solver.status == "running" and len(ends) <= MOST - count:
            solver.step()
            ends.append(solver.t)
        size = len(ends) - 1
        is_close = np.all(np.abs(solver.y - values[j + 1]) <= CLOSE * (1e-3 * scale + np.abs(values[j + 1])))
        if solver.status != "finished" or not is_close:
            raise ValueError(STIFF)
        parts = (np.array(ends) - times[j]) / (times[j + 1] - times[j])
        places[count : count + size] = j
        starts[count : count + size], widths[count : count + size] = parts[:-1], np.diff(parts)
        count += size
    return places, starts, widths, count


def _followed(f: Function, y0: Array, times: Array, search: Callable[[], Array]) -> Array:
    """What `search` finds, a row for each time."""

    def run() -> Any:
        values = np.asarray(search(), dtype=np.float64)
        return values, *_steps(f, np.asarray(times), values)

    like = np.zeros((len(times), len(y0)))
    values, places, starts, widths, count = by_python(
        run, (like, np.zeros(MOST, int), np.zeros(MOST), np.zeros(MOST), 0)
    )
    found, y = like.copy(), y0 * 1.0
    found[0] = y
    for k in range(count):
        j = places[k]
        whole = times[j + 1] - times[j]
        y = _step(lambda t, y: evaluated(f, t, y), times[j] + starts[k] * whole, y, widths[k] * whole)
        found[j + 1] = y
    return anchored(found, values)


def odeint(func: Function, y0: Any, t: Array, args: Any = (), tfirst: bool = False, **rest: Any) -> Array:
    further, start = several(args), np.atleast_1d(np.asarray(y0)) * 1.0
    if rest.get("full_output"):
        raise ValueError("'odeint' with 'full_output' is not supported")

    def f(t: Array, y: Array) -> Array:
        return np.asarray(func(t, y, *further) if tfirst else func(y, t, *further)) * 1.0

    def search() -> Array:
        return _of_scipy("odeint")(func, start, t, args=further, tfirst=tfirst, **rest)

    return _followed(f, start, np.asarray(t) * 1.0, search)


def solve_ivp(
    fun: Function, t_span: Any, y0: Any, t_eval: Any = None, events: Any = None, args: Any = None, **rest: Any
) -> Any:
    further = () if args is None else args
    if events is not None or rest.get("dense_output"):
        raise ValueError("'solve_ivp' with 'events' or 'dense_output' is not supported")
    start = np.atleast_1d(np.asarray(y0)) * 1.0
    times = np.stack((t_span[0] * 1.0, t_span[1] * 1.0)) if t_eval is None else np.asarray(t_eval) * 1.0
    every = times if t_eval is None else np.concatenate((np.reshape(t_span[0] * 1.0, (1,)), times))

    def f(t: Array, y: Array) -> Array:
        return np.reshape(np.asarray(fun(t, y, *further)) * 1.0, np.shape(start))

    def search() -> Any:
        return _of_scipy("solve_ivp")(fun, (t_span[0], t_span[1]), start, t_eval=t_eval, args=args, **rest)

    def rows() -> Array:
        found = search()
        if not found.success:
            raise RuntimeError(found.message)
        last = found.y.T if t_eval is not None else found.y[:, -1:].T
        return np.concatenate((np.reshape(start, (1, -1)), last))

    def report() -> Any:
        found = search()
        return bool(found.success), int(found.status), int(found.nfev)

    success, status, calls = by_python(report, (True, 0, 0))
    values = _followed(f, start, every, rows)[1:]
    ways = {"success": success, "status": status, "nfev": calls, "message": "", "sol": None}
    if t_eval is None:
        return Found(t=Last(times[-1]), y=Last(values[-1]), **ways)
    return Found(t=times, y=values.T, **ways)


TRAJECTORIES: dict[str, Function] = {"odeint": odeint, "solve_ivp": solve_ivp}
