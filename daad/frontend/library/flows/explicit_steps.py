"""The rule of Dormand and Prince, of the fifth order (A family of embedded Runge-Kutta formulae, 1980)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Array = Any  # staged while the program is read
Function = Callable[..., Array]
ORDER = 5
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
SLOPES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
ERRORS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""What these differ by from the weights of the fourth order."""


def trial(f: Function, t: Array, y: Array, h: Array) -> tuple[Array, Array, Array]:
    """What a step ends with, and its estimated error; there always is an end."""
    slopes = _slopes(f, t, y, h, len(NODES))
    return y + h * _combined((*WEIGHTS, 0.0), slopes), h * _combined(ERRORS, slopes), True


def step(f: Function, t: Array, y: Array, h: Array) -> Array:
    return y + h * _combined(WEIGHTS, _slopes(f, t, y, h, len(WEIGHTS)))


def _slopes(f: Function, t: Array, y: Array, h: Array, count: int) -> list[Array]:
    slopes: list[Array] = []
    for node, factors in zip(NODES[:count], SLOPES[:count], strict=True):
        at = y + h * sum(a * k for a, k in zip(factors, slopes, strict=True)) if factors else y
        slopes.append(f(t + node * h, at))
    return slopes


def _combined(factors: tuple[float, ...], slopes: list[Array]) -> Array:
    return sum(b * k for b, k in zip(factors, slopes, strict=True))
