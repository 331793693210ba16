"""Linear systems of `scipy.signal` in time: where SciPy's own Python takes a short cut for what happens to be zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function

Array = Any  # staged while the program is read


def of_signal(name: str) -> Any:
    return python_function("scipy.signal", name)


def _transition(a: Array, b: Array, dt: Array, interp: bool) -> tuple[Array, Array, Array]:
    """By what a row of states, of inputs and of the next inputs is multiplied for the next states: the input is linear
    in between, or constant."""
    states, inputs = b.shape
    if interp:
        upper = np.hstack([a * dt, b * dt, np.zeros((states, inputs))])
        middle = np.hstack([np.zeros((inputs, states + inputs)), np.identity(inputs)])
        whole = np.vstack([upper, middle, np.zeros((inputs, states + 2 * inputs))])
    else:
        whole = np.vstack([np.hstack([a * dt, b * dt]), np.zeros((inputs, states + inputs))])
    found = python_function("scipy.linalg", "expm")(whole.T)
    now = found[states : states + inputs, :states]
    later = found[states + inputs :, :states] if interp else 0.0 * now
    return found[:states, :states], now - later, later


def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: bool = True) -> Any:
    """An input that is zero in one call has a derivative, too."""
    if isinstance(system, of_signal("dlti")):
        raise AttributeError("lsim can only be used with continuous-time systems.")
    own = system._as_ss() if isinstance(system, of_signal("lti")) else of_signal("lti")(*system)._as_ss()
    a, b, c, d = np.asarray(own.A), np.asarray(own.B), np.asarray(own.C), np.asarray(own.D)
    times = np.atleast_1d(T)
    if times.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    x = np.empty((times.size, a.shape[0]), a.dtype)
    first = np.zeros(a.shape[0], a.dtype) if X0 is None else X0
    if times[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    x[0] = first if times[0] == 0 else np.dot(first, python_function("scipy.linalg", "expm")(a.T * times[0]))
    is_free = U is None or (isinstance(U, int | float) and U == 0.0)
    u = np.zeros((times.size, b.shape[1])) if is_free else np.atleast_1d(U)
    u = u[:, np.newaxis] if u.ndim == 1 else u
    if u.shape[0] != times.size:
        raise ValueError("U must have the same number of rows as elements in T.")
    if u.shape[1] != b.shape[1]:
        raise ValueError("System does not define that many inputs.")
    if times.size > 1:
        dt = times[1] - times[0]
        if not np.allclose(np.diff(times), dt):
            raise ValueError("Time steps are not equally spaced.")
        states, now, later = _transition(a, b, dt, interp)
        for i in range(1, times.size):
            x[i] = x[i - 1] @ states + u[i - 1] @ now + u[i] @ later
    return times, np.squeeze(x @ c.T) + np.squeeze(u @ d.T), np.squeeze(x)


SYSTEMS: dict[str, Callable[..., Any]] = {"lsim": lsim}
