"""`scipy.integrate.ode`: a solution that the program takes from one time to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.flows.trajectories import Way, followed_flow, of_scipy
from daad.frontend.library.solvers.primitives import by_python

Array = Any  # staged while the program is read
Function = Callable[..., Array]
ANEW = ("dopri5", "dop853")
"""Integrators that begin anew at each time; others remember earlier steps."""


class Ode:
    """SciPy's object, for integrators that begin anew at each time."""

    def __init__(self, f: Function, jac: Any) -> None:
        self.f, self.jac, self.f_params, self.t, self.y = f, jac, (), 0.0, np.zeros(0)
        self._integrator, self._success = "", True
        self._options: dict[str, Any] = {}

    def set_integrator(self, name: str, **options: Any) -> Ode:
        if name not in ANEW:
            raise ValueError("Of the integrators of 'ode' only 'dopri5' and 'dop853' are supported: use 'solve_ivp'")
        self._integrator, self._options = name, options
        return self

    def set_initial_value(self, y: Array, t: Array = 0.0) -> Ode:
        self.y, self.t = np.atleast_1d(np.asarray(y)) * 1.0, t * 1.0
        return self

    def set_f_params(self, *args: Any) -> Ode:
        self.f_params = args
        return self

    def successful(self) -> bool:
        return self._success

    def integrate(self, t: Array) -> Array:
        if not self._integrator:
            raise ValueError("Of the integrators of 'ode' only 'dopri5' and 'dop853' are supported: use 'solve_ivp'")
        function, before, start, further = self.f, self.t, self.y, self.f_params
        integrator, options = self._integrator, self._options

        def f(t: Array, y: Array) -> Array:
            return np.reshape(np.asarray(function(t, y, *further)) * 1.0, np.shape(start))

        def solver() -> Any:
            made = of_scipy("ode")(f).set_integrator(integrator, **options).set_initial_value(start, before)
            made.integrate(t)
            return made

        def rows() -> Array:
            return np.stack((start, solver().y))

        self._success = by_python(lambda: bool(solver().successful()), True)
        self.y = followed_flow(f, start, np.stack((before, t * 1.0)), rows, Way.EXPLICIT)[1]
        self.t = t * 1.0
        return self.y


def ode(f: Function, jac: Any = None) -> Ode:
    return Ode(f, jac)


STEPPING: dict[str, Function] = {"ode": ode}
