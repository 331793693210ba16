"""Programs whose updates can be taken back in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.corpus.case import uniform


def pendulum(x, v, steps):
    for _ in range(steps):
        v += -0.1 * np.sin(x)
        x += 0.1 * v
    return np.sum(x * v)


def wave(x0, v0, k, steps):
    x = x0.copy()
    v = v0.copy()
    for _ in range(steps):
        v[1:-1] += 0.1 * k[1:-1] * (x[2:] - 2.0 * x[1:-1] + x[:-2] - x[1:-1] ** 3)
        x = x + 0.1 * v
    return np.sum(x * v)


def planets(x, v, mass, steps):
    for _ in range(steps):
        dx = x[:, 0:1].T - x[:, 0:1]
        dy = x[:, 1:2].T - x[:, 1:2]
        close = (dx**2 + dy**2 + 0.5) ** (-1.5)
        v[:, 0] += 0.01 * ((dx * close) @ mass)
        v[:, 1] += 0.01 * ((dy * close) @ mass)
        x += 0.01 * v
    return np.sum(x * x)


def substeps(x, v, steps):
    for _ in range(steps):
        v -= 0.05 * x * x * x
        for _u in range(3):
            x += 0.1 * v
            v -= 0.1 * np.sin(x)
        x += 0.05 * v
    return np.sum(x * x)


def point_by_point(x, v, steps):
    for _ in range(steps):
        for i in range(1, 4):
            x[i] += 0.1 * np.sin(x[i - 1]) * v[i]
            v[i] -= 0.1 * x[i] * x[i]
    return np.sum(x * v)


def every_other(x, v, steps):
    for t in range(steps):
        if t % 2 == 0:
            v += 0.1 * np.cos(x)
        else:
            x += 0.1 * v * v
    return np.sum(x * v)


def mirrored(x, v, steps):
    for _ in range(steps):
        x = np.sin(v) - x
        v = v - 0.1 * x * x
    return np.sum(x * v)


def counted(x, n, steps):
    s = np.zeros(x.shape)
    for _ in range(steps):
        n += 2
        s += np.sin(x * n)
    return np.sum(s * s)


def decided_by_data(x, v, steps):
    for _ in range(steps):
        if x[0] > 0.0:
            v += 0.1 * x * x
        else:
            v += np.sin(x)
        x += 0.1 * v
    return np.sum(x * v)


def clipped(x, v, steps):
    for _ in range(steps):
        v -= 0.1 * np.where(x > 0.0, x * x, 3.0 * x)
        x += 0.1 * np.maximum(v, 0.0)
    return np.sum(x * v)


def single(x, v, steps):
    for _ in range(steps):
        v -= np.float32(0.1) * x * x
        x += np.float32(0.1) * v
    return np.sum(x * v)


def gathered(x, v, index, steps):
    for _ in range(steps):
        v[index] += 0.1 * np.sin(x[index])
        x += 0.1 * v
    return np.sum(x * v)


@dataclass(frozen=True)
class Row:
    """What is taken back, and whether that needs the same memory for any number of steps."""

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    undone: str
    is_constant: bool = True
    tolerance: float = 1e-12

    @property
    def name(self) -> str:
        return self.function.__name__


def pair() -> tuple[np.ndarray, np.ndarray]:
    return uniform(1, 5), uniform(2, 5)


def at_rest() -> tuple[np.ndarray, np.ndarray]:
    """Values restored up to rounding could lie on the other side of 0."""
    return np.array([0.0, 0.0, 0.3]), np.array([0.0, 0.7, -0.1])


ROWS = [
    Row(pendulum, pair, "x v"),
    Row(wave, lambda: (*pair(), uniform(3, 5)), "x v"),
    Row(planets, lambda: (uniform(1, 3, 2), uniform(2, 3, 2), uniform(3, 3)), "x v"),
    Row(substeps, pair, "x v"),
    Row(point_by_point, pair, "x v"),
    Row(every_other, pair, "x v"),
    Row(mirrored, pair, "x_1 v_1"),
    Row(counted, lambda: (uniform(1, 5), np.arange(1, 6)), "n"),
    Row(decided_by_data, at_rest, "x v", is_constant=False),
    Row(clipped, at_rest, "x v", is_constant=False),
    Row(single, lambda: tuple(a.astype(np.float32) for a in pair()), "x v", tolerance=1e-4),
    Row(gathered, lambda: (*pair(), np.array([0, 2, 3])), "", is_constant=False),
]
