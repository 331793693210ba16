"""A diagonally implicit rule for stiff equations, of the fourth order: L-stable, and the last stage is the end
(E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 1996, table 6.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, derivatives, held
from daad.frontend.library.flows.step_lengths import allowance

Array = Any  # staged while the program is read
Function = Callable[..., Array]
ORDER = 4
GAMMA = 1 / 4
NODES = np.array([1 / 4, 3 / 4, 11 / 20, 1 / 2, 1.0])
SLOPES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 2, 0.0, 0.0, 0.0, 0.0],
        [17 / 50, -1 / 25, 0.0, 0.0, 0.0],
        [371 / 1360, -137 / 2720, 15 / 544, 0.0, 0.0],
        [25 / 24, -49 / 48, 125 / 16, -85 / 12, 0.0],
    ]
)
"""Below the diagonal, on which all is `GAMMA`."""
ERRORS = np.array([-3 / 16, -27 / 32, 25 / 32, 0.0, 1 / 4])
"""What the last row differs by from weights of the third order."""
STAGES = len(NODES)
ROUNDS, CONVERGED = 8, 1e-2
"""How often Newton's method comes nearer to a stage, and which part of what a step may be wrong by is near enough."""
SMALL, SMALLEST = 1e-8, 1e-5
"""By which part a number is moved for a difference, and which part of the largest one counts as a number, too."""


def trial(f: Function, t: Array, y: Array, h: Array) -> tuple[Array, Array, Array]:
    """What a step ends with, and its estimated error; there is an end if Newton's method comes to one."""
    inverse = _inverse(f, t, y, h)
    slopes, missed = _stages(f, t, y, h, inverse)
    then = _end(y, h, slopes)
    return then, inverse @ (h * (ERRORS @ slopes)), np.max(missed / allowance(y, then)) <= CONVERGED


def step(f: Function, alone: Function, t: Array, y: Array, h: Array) -> Array:
    """What a step ends with; its stages are found without derivatives, by `alone`, and solve their equations."""
    at, start, length = held(t), held(y), held(h)
    inverse = held(_inverse(alone, at, start, length))
    found, _ = _stages(alone, at, start, length, inverse)
    found = held(found)
    slopes = np.zeros((STAGES, len(y)))
    for i in range(STAGES):
        base, slope = y + h * (SLOPES[i] @ slopes), found[i]
        for _ in range(derivatives() + 1):  # once more, for the differences in the inverse
            nearer = slope + inverse @ (f(t + NODES[i] * h, base + h * GAMMA * slope) - slope)
            slope = anchored(nearer, found[i])
        slopes[i] = slope
    return _end(y, h, slopes)


def _end(y: Array, h: Array, slopes: Array) -> Array:
    return y + h * (SLOPES[-1] @ slopes + GAMMA * slopes[-1])


def _inverse(f: Function, t: Array, y: Array, h: Array) -> Array:
    """That of what a stage's equation is multiplied with, by differences."""
    here, jacobian = f(t, y), np.zeros((len(y), len(y)))
    largest = np.max(np.abs(y))
    for k in range(len(y)):
        change = SMALL * (np.abs(y[k]) + SMALLEST * largest + 1e-12)
        moved = y.copy()
        moved[k] = moved[k] + change
        jacobian[:, k] = (f(t, moved) - here) / change
    return np.linalg.inv(np.eye(len(y)) - h * GAMMA * jacobian)


def _stages(f: Function, t: Array, y: Array, h: Array, inverse: Array) -> tuple[Array, Array]:
    """The slopes of all stages, and by how much their equations are missed."""
    slopes, missed = np.zeros((STAGES, len(y))), np.zeros(len(y))
    slope = f(t, y)
    for i in range(STAGES):
        base, change = y + h * (SLOPES[i] @ slopes), np.zeros(len(y))
        for _ in range(ROUNDS):
            change = inverse @ (f(t + NODES[i] * h, base + h * GAMMA * slope) - slope)
            slope = slope + change
        slopes[i], missed = slope, np.maximum(missed, np.abs(h * change))
    return slopes, missed
