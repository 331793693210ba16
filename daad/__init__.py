"""Gradients of ordinary NumPy programs, by reverse mode on the program itself, compiled to native code.

In a script or a notebook:

    >>> import numpy as np, daad
    >>> def simulate(u, k, steps):
    ...     for t in range(steps):
    ...         u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    ...     return np.sum(u * u)
    >>> u, k = np.linspace(0.0, 1.0, 5) ** 2, np.full(5, 0.25)
    >>> gradient = daad.grad(simulate, wrt="k")
    >>> gradient(u.copy(), k, 10).round(3)
    array([0.   , 0.178, 0.382, 0.239, 0.   ])

    grad             the gradient, as a function of the program's own arguments
    value_and_grad   the program's value with it
    jvp              the value, and the Jacobian times a tangent: forward mode
    vjp              the value, and a function that gives seeds times the Jacobian
    gauss_newton_product   the transposed Jacobian times the Jacobian times a tangent
    jacobian, hessian, hvp   all products at once; second derivatives, whole or times a tangent
    custom_vjp, elementwise, linear, implicit   functions with derivatives of your own
    ensemble         the sum or mean of a gradient over members, on all cores or a Dask cluster
    check            is the gradient right? compared with differences of the program
    plan             what a call will hold in memory, and what less memory would cost
    checkpoint, recompute   in a program: keep this array for the gradient, or compute it again
    stop_gradient    in a program: to derivatives this is a constant

`help(daad.grad)` tells the options. What cannot be differentiated is refused by a `DaadError` with the line, the reason
and what to do. On the command line, `daad grad --help`.
"""

from importlib import import_module
from time import time
from typing import TYPE_CHECKING, Any

from daad.runtime.at_work import at_work
from daad.runtime.notebooks import is_notebook, silence_dace

if TYPE_CHECKING:
    from daad.api.functions import check as check
    from daad.api.functions import ensemble as ensemble
    from daad.api.functions import gauss_newton_product as gauss_newton_product
    from daad.api.functions import grad as grad
    from daad.api.functions import hessian as hessian
    from daad.api.functions import hvp as hvp
    from daad.api.functions import jacobian as jacobian
    from daad.api.functions import jvp as jvp
    from daad.api.functions import plan as plan
    from daad.api.functions import value_and_grad as value_and_grad
    from daad.api.functions import vjp as vjp
    from daad.api.gradient import Gradient as Gradient
    from daad.errors import BadArgument as BadArgument
    from daad.errors import CompileError as CompileError
    from daad.errors import DaadError as DaadError
    from daad.errors import DeviceError as DeviceError
    from daad.errors import InternalError as InternalError
    from daad.errors import MemoryLimitTooSmall as MemoryLimitTooSmall
    from daad.errors import NotDifferentiable as NotDifferentiable
    from daad.errors import Unsupported as Unsupported
    from daad.frontend.custom_derivatives import custom_vjp as custom_vjp
    from daad.frontend.custom_derivatives import elementwise as elementwise
    from daad.frontend.custom_derivatives import implicit as implicit
    from daad.frontend.custom_derivatives import linear as linear
    from daad.frontend.directives import checkpoint as checkpoint
    from daad.frontend.directives import recompute as recompute
    from daad.frontend.directives import stop_gradient as stop_gradient
    from daad.messages.sizes import Bytes as Bytes
    from daad.report.memory_plan import Plan as Plan
    from daad.report.text import parse as parse

    __version__: str

_BEGUN = time()
if is_notebook():
    silence_dace()
"""All other modules are read later than this."""

# Resolved at first use: the command line must answer before DaCe and sympy could be loaded.
_HOMES = {
    "grad": "daad.api.functions",
    "value_and_grad": "daad.api.functions",
    "jvp": "daad.api.functions",
    "vjp": "daad.api.functions",
    "jacobian": "daad.api.functions",
    "gauss_newton_product": "daad.api.functions",
    "hvp": "daad.api.functions",
    "hessian": "daad.api.functions",
    "check": "daad.api.functions",
    "ensemble": "daad.api.functions",
    "plan": "daad.api.functions",
    "parse": "daad.report.text",
    "checkpoint": "daad.frontend.directives",
    "recompute": "daad.frontend.directives",
    "stop_gradient": "daad.frontend.directives",
    **dict.fromkeys(("custom_vjp", "elementwise", "linear", "implicit"), "daad.frontend.custom_derivatives"),
    "Gradient": "daad.api.gradient",
    "CheckReport": "daad.api.check",
    "Plan": "daad.report.memory_plan",
    "Bytes": "daad.messages.sizes",
    "DaadError": "daad.errors",
    "Unsupported": "daad.errors",
    "NotDifferentiable": "daad.errors",
    "BadArgument": "daad.errors",
    "MemoryLimitTooSmall": "daad.errors",
    "CompileError": "daad.errors",
    "DeviceError": "daad.errors",
    "InternalError": "daad.errors",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name == "testing":
        return import_module("daad.testing")
    if name == "__version__":
        globals()[name] = import_module("daad.runtime.package_versions").own_version()
        return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module 'daad' has no attribute '{name}'")
    with at_work():
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
