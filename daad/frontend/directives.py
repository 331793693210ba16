"""What a program can say to daad; under NumPy alone it says nothing."""

from typing import Any, TypeVar

from daad.frontend import structures

T = TypeVar("T")


def checkpoint(x: T) -> T:
    """`x` itself; the gradient keeps this array rather than computing it again.

    >>> import numpy as np, daad
    >>> def energy(x):
    ...     y = daad.checkpoint(np.exp(x))
    ...     return np.sum(y * y)
    >>> daad.grad(energy)(np.zeros(2))
    array([2., 2.])
    """
    return x


def recompute(x: T) -> T:
    """`x` itself; the gradient computes this array again, where an expression can, rather than keeping it.

    >>> import numpy as np, daad
    >>> def energy(x):
    ...     y = daad.recompute(np.exp(x))
    ...     return np.sum(y * y)
    >>> daad.grad(energy)(np.zeros(2))
    array([2., 2.])
    """
    return x


def stop_gradient(x: T) -> T:
    """`x` itself; derivatives take it for a constant, in every mode and order.

    >>> import numpy as np, daad
    >>> def energy(x):
    ...     return np.sum(x * daad.stop_gradient(x))
    >>> daad.grad(energy)(np.array([1.0, 2.0]))
    array([1., 2.])

    Of a dict, list, tuple or dataclass all parts are.
    """
    if structures.parts(x) is None:
        return x
    stopped: Any = structures.rebuilt(x, lambda _, item: stop_gradient(item))
    return stopped
