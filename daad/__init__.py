"""Gradients of ordinary NumPy programs, by reverse mode on the program itself, compiled to native code."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Resolved at first use: the command line must answer before DaCe and sympy could be loaded.
_HOMES = {
    "grad": "daad.api",
    "value_and_grad": "daad.api",
    "vjp": "daad.api",
    "check": "daad.api",
    "to_sdfg": "daad.api",
    "Gradient": "daad.api",
    "DaadError": "daad.errors",
    "Unsupported": "daad.errors",
    "NotDifferentiable": "daad.errors",
    "BadArgument": "daad.errors",
    "MemoryLimitTooSmall": "daad.errors",
    "CompileError": "daad.errors",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'daad' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
