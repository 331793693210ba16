"""Ordinary differential equations of `scipy.integrate`: SciPy solves them, and the flow has the derivative.

The flow is followed by a rule of Runge and Kutta, from one time to the next, in steps that are found at run time and
have no derivative (J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, 1980). SciPy is called where
its values are asked for, which must be near to what the steps end with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, held, python_function
from daad.frontend.library.solvers.primitives import by_python, evaluated, evaluated_alone
from daad.frontend.library.solvers.roots import Found, several

Array = Any  # staged while the program is read
Function = Callable[..., Array]
_of_scipy = partial(python_function, "scipy.integrate")
MOST = 1 << 14
"""Steps in all."""
CLOSE = 1e-2
STIFF = "This equation is too stiff for explicit steps, or it jumps: it has no derivative"
FIRST, RELATIVE, ABSOLUTE = 1e-3, 1e-8, 1e-10
"""The first step, as a part of the time in all, and what a step may be wrong by."""
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
SLOPES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
"""Those of Dormand and Prince, of the fifth order."""
ERRORS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""What these differ by from the weights of the fourth order."""


class Last:
    """Values at times that SciPy chooses, of which the program may see the last."""

    def __init__(self, value: Array) -> None:
        self.value = value

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        if not isinstance(parts[-1], int) or parts[-1] != -1 or len(parts) != np.ndim(self.value) + 1:
            raise ValueError("Of the times that SciPy chooses the last is known only: give 't_eval'")
        return self.value[parts[:-1]] if len(parts) > 1 else self.value


def _slopes(f: Function, t: Array, y: Array, h: Array, count: int) -> list[Array]:
    slopes: list[Array] = []
    for node, factors in zip(NODES[:count], SLOPES[:count], strict=True):
        at = y + h * sum(a * k for a, k in zip(factors, slopes, strict=True)) if factors else y
        slopes.append(f(t + node * h, at))
    return slopes


def _combined(factors: tuple[float, ...], slopes: list[Array]) -> Array:
    return sum(b * k for b, k in zip(factors, slopes, strict=True))


def _step(f: Function, t: Array, y: Array, h: Array) -> Array:
    return y + h * _combined(WEIGHTS, _slopes(f, t, y, h, len(WEIGHTS)))


def _steps(f: Function, y0: Array, times: Array) -> tuple[Array, Array, Array, Array, int]:
    """Between which times each step lies, and, as parts of the time between, where it begins and how long it is; how
    many there are, and at which time they end."""
    places, starts, widths, count = np.empty(MOST, int), np.empty(MOST), np.empty(MOST), 0
    y, last = y0, len(times) - 1
    j = 0
    part: Array = 0.0
    length: Array = FIRST * np.max(np.abs(times - times[0]))
    for _ in range(2 * MOST):
        if j == last or count == MOST:
            break
        whole = times[j + 1] - times[j]
        size = np.abs(whole)
        rest = 1.0 - part
        width = np.where(length < rest * size, length / np.where(size > 0.0, size, 1.0), rest)
        slopes = _slopes(f, times[j] + part * whole, y, width * whole, len(NODES))
        then = y + width * whole * _combined((*WEIGHTS, 0.0), slopes)
        allowed = ABSOLUTE * (1e-3 + np.max(np.abs(then))) + RELATIVE * np.maximum(np.abs(y), np.abs(then))
        error = np.sqrt(np.mean((width * whole * _combined(ERRORS, slopes) / allowed) ** 2))
        if error <= 1.0:
            places[count], starts[count], widths[count] = j, part, width
            y, count = then, count + 1
            if width < rest:
                part = part + width
            else:
                j, part = j + 1, 0.0
        tried = width * size
        if not (error <= 1.0 and tried < length):  # a step that a time cut short says nothing against the longer one
            length = tried * np.minimum(np.maximum(0.9 * np.maximum(error, 1e-10) ** -0.2, 0.2), 5.0)
    if j < last:
        raise ValueError(STIFF)
    return places, starts, widths, np.where(j == last, count, 0), j


def _followed(f: Function, y0: Array, times: Array, search: Callable[[], Array]) -> Array:
    """What `search` finds, a row for each time."""

    def inside(t: Array, y: Array) -> Array:
        return evaluated(f, t, y)

    def alone(t: Array, y: Array) -> Array:
        return evaluated_alone(f, t, y)

    places, starts, widths, count, last = _steps(alone, held(y0), held(times))
    starts, widths = held(starts), held(widths)
    found, y = np.zeros((len(times), len(y0))), y0 * 1.0
    found[0], followed = y, np.zeros(1, int)
    while followed[0] < count:
        k = followed[0]
        j = places[k]
        whole = times[j + 1] - times[j]
        y = _step(inside, times[j] + starts[k] * whole, y, widths[k] * whole)
        found[j + 1] = y
        followed[0] += 1

    def run() -> Array:
        values = np.asarray(search(), dtype=np.float64)
        is_whole = last == len(times) - 1 and followed[0] == count  # or loops have too small bounds as yet
        close = CLOSE * (1e-3 * np.max(np.abs(values)) + np.abs(values))
        if is_whole and not np.all(np.abs(found - values) <= close):
            raise ValueError(STIFF)
        return values

    return anchored(found, by_python(run, np.zeros((len(times), len(y0)))))


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
