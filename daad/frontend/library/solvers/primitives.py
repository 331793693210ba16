"""What programs of the library ask for that no program says: each is a row in `calls/solved_calls.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python as by_python
from daad.frontend.library.anchored import python_function

Array = Any  # staged while the program is read
Run = Callable[[], Any]


def solution(run: Run, like: Array, residual: Callable[[Array], Array]) -> Array:
    """`x` of `residual(x) == 0`, an array of floats like `like`, which Python finds by `run()` at run time; its
    derivative is that of the implicit function."""
    return run()


def opaque(value: Callable[..., Any], adjoint: Callable[..., Any], like: Any, *args: Any) -> Any:
    """`value(*args)`, which Python computes at run time: an array of floats like `like`. For the reverse sweep Python
    computes `adjoint(args, result, result_bar)`, an adjoint for each argument that is an array of floats, or None."""
    return value(*args)


def natively(module: str, name: str, *args: Any) -> Any:
    """What a library's function gives for arguments that are known while the program is read."""
    return python_function(module, name)(*args)


def true_places(mask: Array) -> list[tuple[int, ...]] | None:
    """Where a mask holds, if that is known while the program is read."""
    return [tuple(map(int, place)) for place in np.argwhere(mask)]


def jacobian(function: Callable[[Array], Array], x: Array, rows: int) -> Array:
    """The derivative of `rows` numbers that a function gives, by the elements of `x`: a matrix that exists within
    derivatives only, in residuals, and that has derivatives itself."""
    return function(x)


def evaluated(function: Callable[..., Any], *args: Any) -> Any:
    """What a function that Python calls, too, gives for arguments; it may change nothing but its own variables."""
    return function(*args)


def evaluated_alone(function: Callable[..., Any], *args: Any) -> Any:
    """The same where Python may not call it: what it raises is raised here."""
    return function(*args)
