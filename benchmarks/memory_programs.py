"""Programs whose tape can be large: iterations, a heat equation, nested loops, one with branches, one that data end."""

from __future__ import annotations

from typing import Any

import numpy as np

Case = tuple[Any, tuple[Any, ...], dict[str, Any]]


def logistic(x, c, n):  # type: ignore[no-untyped-def]
    for _t in range(n):
        x = x + 0.01 * c * x * (1.0 - x)
    return np.sum(x * x)


def heat(u, k, steps):  # type: ignore[no-untyped-def]
    for _t in range(steps):
        flow = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + k[1:-1, 1:-1] * u[1:-1, 1:-1] * flow
    return np.sum(u * u)


def two_level(u, k, outer, inner):  # type: ignore[no-untyped-def]
    for _s in range(outer):
        v = u.copy()
        for _t in range(inner):
            v[1:-1] = v[1:-1] + k[1:-1] * v[1:-1] * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        u = u + 0.1 * np.sin(v) * u
    return np.sum(u * u)


def branches(u, k, steps):  # type: ignore[no-untyped-def]
    for _t in range(steps):
        if np.max(u) > 1.0:  # noqa: SIM108
            u = u - 0.1 * u * u * k
        else:
            u = u + 0.1 * np.sin(u) * k
    return np.sum(u * u)


def settling(a, b, tolerance):  # type: ignore[no-untyped-def]
    x, change = np.zeros_like(b), 1.0
    while change > tolerance:
        y = (b - a * (np.roll(x, 1) + np.roll(x, -1))) / (3.0 + x * x)
        change = np.max(np.abs(y - x))
        x = y
    return np.sum(x * x)


def _numbers(*shape: int, low: float = 0.1, high: float = 0.9) -> np.ndarray:
    return np.random.default_rng(shape).uniform(low, high, shape)


PROGRAMS = {
    "logistic": lambda: (
        logistic,
        (_numbers(2**20).astype(np.float32), _numbers(2**20, low=1.0, high=2.0).astype(np.float32), 1000),
        {"wrt": "c"},
    ),
    "heat": lambda: (heat, (_numbers(400, 400), 0.02 * _numbers(400, 400), 500), {"wrt": "k"}),
    "two_level": lambda: (two_level, (_numbers(20_000), 0.02 * _numbers(20_000), 40, 50), {"wrt": "k"}),
    "branches": lambda: (branches, (_numbers(200_000, high=1.4), _numbers(200_000), 200), {"wrt": "k"}),
    "settling": lambda: (settling, (1.4 * _numbers(100_000), _numbers(100_000), 1e-10), {"wrt": "a"}),
}
