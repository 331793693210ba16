"""Ordinary differential equations of `scipy.integrate`: SciPy solves them, and the flow has the derivative.

The flow is followed from one time to the next by a rule, explicit or implicit, in steps that are found at run time and
have no derivative. SciPy is called where its values are asked for, which must be near to what the steps end with.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, held, python_function
from daad.frontend.library.flows import explicit_steps, implicit_steps
from daad.frontend.library.flows.step_lengths import steps
from daad.frontend.library.solvers.primitives import by_python, evaluated, evaluated_alone
from daad.frontend.library.solvers.roots import several

Array = Any  # staged while the program is read
Function = Callable[..., Array]
of_scipy = partial(python_function, "scipy.integrate")
MOST, FEW = 1 << 14, 1 << 12
"""Steps in all, and explicit ones where implicit ones may follow, which then may be more."""
LARGE, LARGEST = 100, 500
"""Numbers beyond which implicit steps, which invert a matrix each, come second, or are not tried."""
CLOSE = 1e-2
STIFF = "This equation is too stiff for the steps of its derivative, or it jumps: it has no derivative"


class Way(Enum):
    """Which rule an equation may need."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    EITHER = "either"


def followed_flow(f: Function, y0: Array, times: Array, search: Callable[[], Array], way: Way) -> Array:
    """What `search` finds, a row for each time."""

    def inside(t: Array, y: Array) -> Array:
        return evaluated(f, t, y)

    def alone(t: Array, y: Array) -> Array:
        return evaluated_alone(f, t, y)

    def explicitly(most: int) -> tuple[Array, Array, Array]:
        trial, step = partial(explicit_steps.trial, alone), partial(explicit_steps.step, inside)
        return _by_steps(trial, explicit_steps.ORDER, most, step, y0, times)

    def implicitly() -> tuple[Array, Array, Array]:
        trial, step = partial(implicit_steps.trial, alone), partial(implicit_steps.step, inside, alone)
        return _by_steps(trial, implicit_steps.ORDER, 2 * MOST, step, y0, times)

    if len(y0) > LARGE and way is Way.IMPLICIT:
        way = Way.EITHER
    if len(y0) > LARGEST:
        way = Way.EXPLICIT
    if way is Way.IMPLICIT:
        found, is_whole, has_ended = implicitly()
    else:
        found, is_whole, has_ended = explicitly(MOST if way is Way.EXPLICIT else FEW)
    if way is Way.EITHER and not is_whole:
        found, is_whole, has_ended = implicitly()
    if not is_whole:
        raise ValueError(STIFF)

    def run() -> Array:
        values = np.asarray(search(), dtype=np.float64)
        close = CLOSE * (1e-3 * np.max(np.abs(values)) + np.abs(values))
        if has_ended and not np.all(np.abs(found - values) <= close):  # else loops have too small bounds as yet
            raise ValueError(STIFF)
        return values

    return anchored(found, by_python(run, np.zeros((len(times), len(y0)))))


def _by_steps(trial: Any, order: int, most: int, step: Function, y0: Array, times: Array) -> tuple[Array, Array, Array]:
    """The values at the times, whether the steps come to the last one, and whether they have been followed there."""
    places, starts, widths, count, last = steps(trial, order, most, held(y0), held(times))
    found, followed = _along(step, y0, times, places, held(starts), held(widths), count)
    return found, last == len(times) - 1, followed == count


def _along(
    step: Function, y0: Array, times: Array, places: Array, starts: Array, widths: Array, count: Array
) -> tuple[Array, Array]:
    """The values at the times after known steps, and how many of these have been taken."""
    found, y = np.zeros((len(times), len(y0))), y0 * 1.0
    found[0], followed = y, np.zeros(1, int)
    while followed[0] < count:
        k = followed[0]
        j = places[k]
        whole = times[j + 1] - times[j]
        y = step(times[j] + starts[k] * whole, y, widths[k] * whole)
        found[j + 1] = y
        followed[0] += 1
    return found, followed[0]


def odeint(
    func: Function, y0: Any, t: Array, args: Any = (), full_output: bool = False, tfirst: bool = False, **rest: Any
) -> Any:
    further, start = several(args), np.atleast_1d(np.asarray(y0)) * 1.0

    def f(t: Array, y: Array) -> Array:
        return np.asarray(func(t, y, *further) if tfirst else func(y, t, *further)) * 1.0

    def search() -> Any:
        return of_scipy("odeint")(func, start, t, args=further, full_output=True, tfirst=tfirst, **rest)

    values = followed_flow(f, start, np.asarray(t) * 1.0, lambda: search()[0], Way.EITHER)
    if not full_output:
        return values
    each, whole = np.zeros(len(t) - 1), np.zeros(len(t) - 1, np.int32)
    like = {**dict.fromkeys(MEASURED, each), **dict.fromkeys(COUNTED, whole), "imxer": 0, "lenrw": 0, "leniw": 0}

    def report() -> Any:
        found = search()[1]
        return {name: found[name] for name in like}

    return values, {**by_python(report, like), "message": ""}


MEASURED, COUNTED = ("hu", "tcur", "tolsf", "tsw"), ("nst", "nfe", "nje", "nqu", "mused")
"""What `odeint` reports of each time, as numbers and whole numbers."""
