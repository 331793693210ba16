"""How a program is differentiated: a function whose value is a loss, its arguments, and those asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A function of arrays and numbers whose value is a loss; `arguments()` makes fresh ones."""

    program: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    names: str
    tolerance: float = 1e-5

    @property
    def wrt(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.names.split(","))


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def uniform(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.2, 1.0, size=shape)


def stand_in(name: str, **attributes: Any) -> None:
    """A package that the program imports, and that what is differentiated does not need."""
    if name not in sys.modules:
        try:
            __import__(name)
        except ImportError:
            module = sys.modules[name] = ModuleType(name)
            vars(module).update(attributes)


def plain(*given: Any, **_: Any) -> Any:
    """In place of a compiler's decorator, with options or without."""
    return given[0] if given and callable(given[0]) else plain


def bare_package(name: str, code: Any, *modules: str, **missing: dict[str, Any]) -> Any:
    """The package without what its `__init__` imports, but for the `modules`."""
    for other, attributes in missing.items():
        stand_in(other, **attributes)
    package: Any = sys.modules.setdefault(name, ModuleType(name))
    package.__path__ = [str(code.folder / name)]
    return SimpleNamespace(**{one: code.named(f"{name}.{one}") for one in modules}) if modules else package
