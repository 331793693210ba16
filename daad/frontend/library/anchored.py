"""Values that are found by iteration, or by Python, with the derivative of a formula: the operation 'anchored'."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def anchored(formula: Array, value: Array) -> Array:
    """`value`, with the derivative of the `formula`, which has the same value but for rounding."""
    return np.where(True, value, formula)


def held(a: Array) -> Array:
    """`a` without a derivative."""
    return anchored(np.zeros_like(a), a)


def fixed(a: Array) -> Array:
    """`a`, in which no derivative is known: one that flows there is refused."""
    return a


def of_one_memory(copied: Array, array: Array) -> Array:
    """`copied`, which NumPy has in the memory of the array: neither is written where the other is read later."""
    return (copied, array)[0]


def known_elements(a: Array) -> Any:
    """The array itself where only constants decide what is in it; None where data do."""
    return a


def derivatives() -> int:
    """How many derivatives of the program are asked for: so many steps of a method that solves for `y` make
    `y = anchored(step(a, y), y)` right in all of them, where each step is right in one more than the one before."""
    return 1


def has_adjoint(seed: Array) -> Any:
    """In the rule of a function: whether anything that is asked for depends on the output to which an adjoint belongs,
    or, in one for tangents, on an argument."""
    return seed is not None


def python_function(module: str, name: str) -> Callable[..., Any]:
    """A function of a library that is imported where Python calls it."""
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def by_python(run: Callable[[], Any], _like: Any) -> Any:
    """What Python returns for `run()` at run time, without a derivative; it has the structure, the shapes and the
    dtypes of what it is `_like`."""
    return run()
