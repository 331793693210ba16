"""One program of the corpus with the point at which it is differentiated, and makers of arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Case:
    """A NumPy program; `arguments()` makes fresh ones, at a point without ties and kinks within 1e-3.

    `of` is None (the returned scalar), the name of a written argument or of a local variable, the position in a
    returned tuple, or a tuple of these. `reference` stands in for `function` where that is not plain NumPy (a DaCe
    program) or rounds to float32 itself, so that differences cannot follow it. `rtol` is for the comparison.
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    wrt: tuple[str | int, ...]
    of: str | int | tuple[str | int, ...] | None = None
    seed: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None
    rtol: float = 1e-6

    @property
    def numpy_function(self) -> Callable[..., Any]:
        """The program that plain NumPy runs."""
        return self.reference or self.function


def row(function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]], wrt: str | tuple, **rest: Any) -> Case:
    """A case named after its module and function, and its `tag`; `wrt` may be written "x, y"."""
    names = tuple(name.strip() for name in wrt.split(",")) if isinstance(wrt, str) else wrt
    original = getattr(function, "f", function)
    tag = rest.pop("tag", "")
    name = f"{original.__module__.rpartition('.')[2]}.{original.__name__}" + (f"-{tag}" if tag else "")
    return Case(name=name, function=function, arguments=arguments, wrt=names, **rest)


def normal(seed: int, *shape: int) -> np.ndarray:
    """Normally distributed numbers, none within 0.02 of zero."""
    x = np.random.default_rng(seed).normal(size=shape)
    return np.where(np.abs(x) < 0.02, 0.05, x)


def uniform(seed: int, *shape: int, low: float = 0.5, high: float = 1.5) -> np.ndarray:
    """Uniformly distributed numbers, positive unless told otherwise."""
    return np.random.default_rng(seed).uniform(low, high, size=shape)


def spread(seed: int, *shape: int, step: float = 0.13) -> np.ndarray:
    """A shuffled arithmetic progression around zero: any two elements differ by a step, so that order never ties."""
    size = int(np.prod(shape))
    return (
        np.random.default_rng(seed)
        .permutation((np.arange(size) - size / 2 + 0.3 + 0.11 * seed) * step)
        .reshape(shape)
        .copy()
    )


def single(*arrays: Any) -> tuple[Any, ...]:
    """The same arguments with float64 arrays as float32."""
    return tuple(a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float64 else a for a in arrays)
