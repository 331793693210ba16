"""What the adjoint of an output starts with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seed:
    """What an output's adjoint starts with: a number for every element, or (None) the parameter `array`."""

    output: str
    value: float | None = 1.0
    array: str = ""
