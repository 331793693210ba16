"""What a program can say to daad; under NumPy alone it says nothing."""

from typing import TypeVar

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
