"""What an engine is: one way to the gradient of a kernel, asked of all engines in the same words."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npbench_runs.kernel import Kernel

Gradients = tuple[np.ndarray, ...]
Change = Callable[[np.ndarray], np.ndarray]


class Refused(Exception):
    """The engine says that it cannot differentiate the program; the message is one line."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which gradient: of the seeded output of a kernel, at `arguments`, with respect to those that `wrt` names; on the
    `device` "cpu" or "gpu"."""

    kernel: Kernel
    arguments: tuple[Any, ...]
    wrt: tuple[str, ...]
    seed: float | np.ndarray
    variant: str = ""
    device: str = "cpu"

    def fresh(self) -> dict[str, Any]:
        """Copies of the arguments by name, for engines that overwrite them."""
        return dict(zip(self.kernel.parameters, copy.deepcopy(self.arguments), strict=True))

    @property
    def constants(self) -> dict[str, Any]:
        """The arguments with respect to which there is no gradient, by name."""
        named = zip(self.kernel.parameters, self.arguments, strict=True)
        return {name: value for name, value in named if name not in self.wrt}

    @property
    def has_float64(self) -> bool:
        """Whether any array is in double precision."""
        return any(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in self.arguments)


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A gradient ready to be called: `reset`, which is not timed, comes before each `call`.

    `call` returns when the gradient is there; `gradients` gives that of the last call, in the order of `wrt`.
    `elsewhere` gives the gradient with each float array among the arguments, and the seed as an array, changed by a
    function; only an engine that others are compared with has to.
    """

    call: Callable[[], Any]
    gradients: Callable[[], Gradients]
    reset: Callable[[], Any] = lambda: None
    elsewhere: Callable[[Change], Gradients] | None = None


@dataclass(frozen=True, kw_only=True)
class Engine:
    """One way to the gradient.

    `load` imports all that the engine needs, `prepare` may compile. Each of `variants` runs in a process of its own,
    and the fastest right one counts. The first `calls` calls must give the same gradient: bit for bit where the engine
    is `exact`. Without `differentiates`, only the program itself runs.
    """

    packages: tuple[str, ...]
    extra: str
    load: Callable[[], Any]
    prepare: Callable[[Question], Prepared]
    variants: tuple[str, ...] = ("",)
    calls: int = 2
    exact: bool = True
    differentiates: bool = True

    def missing(self) -> str:
        """Why the engine cannot be asked on this machine; empty if it can."""
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        return f"The package '{absent[0]}' is not installed; {self.extra} installs it." if absent else ""


def as_arrays(gradients: Iterable[Any]) -> Gradients:
    """Gradients that an engine has in arrays of its own."""
    return tuple(np.asarray(g) for g in gradients)


def one_line(failure: BaseException) -> str:
    """What went wrong, for a table: an assertion without a message still says its class."""
    lines = str(failure).strip().splitlines()
    name = type(failure).__name__
    return f"{name}: {lines[0]}"[:300] if lines else name
