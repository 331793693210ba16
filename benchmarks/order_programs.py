"""Programs of different kinds that have several plans, at sizes at which the slowest plan takes seconds at most."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.memory_programs import Case, branches, heat, logistic, two_level  # noqa: E402

KERNELS = ("cavity_flow", "gramschmidt", "durbin", "softmax", "hdiff", "vadv")
"""Of NPBench, at size S."""


def products(x, w):  # type: ignore[no-untyped-def]
    """A straight line: the frontend unrolls loops over lists."""
    for _ in [None] * 16:
        x = np.tanh(x @ w)
    return np.sum(x)


def elements(x, w):  # type: ignore[no-untyped-def]
    """A straight line of what is fused."""
    for _ in [None] * 24:
        x = np.sin(x) * w
    return np.sum(x)


def three_levels(u, k, n):  # type: ignore[no-untyped-def]
    for _r in range(n):
        for _s in range(n):
            for _t in range(n):
                u = u + 0.01 * k * np.cos(u)
            u = u * (1.0 - 0.01 * u)
        u = np.sqrt(u + k)
    return np.sum(u)


def network(x, w, b, steps):  # type: ignore[no-untyped-def]
    """A recurrent network: a product of matrices and a few elementwise operations in each step."""
    for _t in range(steps):
        x = np.tanh(x @ w + b)
    return np.sum(x * x)


def diffusion(u, a, steps):  # type: ignore[no-untyped-def]
    """A stencil in one direction, a product with a matrix in the other."""
    for _t in range(steps):
        v = a @ u
        u[:, 1:-1] = u[:, 1:-1] + 0.1 * v[:, 1:-1] * (u[:, 2:] - 2.0 * u[:, 1:-1] + u[:, :-2])
    return np.sum(u * u)


def triangle(x, n):  # type: ignore[no-untyped-def]
    """A triangular loop: what it works on grows."""
    for k in range(1, n):
        x[:k] = x[:k] + 0.1 * np.sin(x[k] * x[:k])
    return np.sum(x * x)


def waves(u, v, c, steps):  # type: ignore[no-untyped-def]
    """Two arrays that depend on each other in turn; cheap operations on much memory."""
    for _t in range(steps):
        v = v + c * (np.roll(u, 1) + np.roll(u, -1) - 2.0 * u) * u
        u = u + 0.1 * v
    return np.sum(u * u)


def _numbers(*shape: int, low: float = 0.1, high: float = 0.9) -> np.ndarray:
    return np.random.default_rng(shape).uniform(low, high, shape)


def _three_arrays() -> Case:
    from npbench_runs import three_arrays

    return three_arrays.kernel, three_arrays.initialise(1000), {"wrt": three_arrays.WRT}


def _float32(*shape: int, low: float = 0.1, high: float = 0.9) -> np.ndarray:
    return _numbers(*shape, low=low, high=high).astype(np.float32)


PROGRAMS: dict[str, Callable[[], Case]] = {
    "logistic": lambda: (logistic, (_float32(2**19), _float32(2**19, low=1.0, high=2.0), 150), {"wrt": "c"}),
    "heat": lambda: (heat, (_numbers(200, 200), 0.02 * _numbers(200, 200), 200), {"wrt": "k"}),
    "two_level": lambda: (two_level, (_numbers(10_000), 0.02 * _numbers(10_000), 20, 30), {"wrt": "k"}),
    "branches": lambda: (branches, (_numbers(100_000, high=1.4), _numbers(100_000), 100), {"wrt": "k"}),
    "products": lambda: (products, (_numbers(250, 250), _numbers(250, 250, low=-0.1, high=0.1)), {"wrt": "w"}),
    "elements": lambda: (elements, (_numbers(500_000), _numbers(500_000)), {"wrt": "w"}),
    "three_levels": lambda: (three_levels, (_numbers(5_000), _numbers(5_000), 9), {"wrt": "k"}),
    "network": lambda: (
        network,
        (_numbers(64, 128), _numbers(128, 128, low=-0.2, high=0.2), _numbers(128), 150),
        {"wrt": "w"},
    ),
    "diffusion": lambda: (
        diffusion,
        (_numbers(100, 300), _numbers(100, 100, low=-0.01, high=0.01), 120),
        {"wrt": "a"},
    ),
    "triangle": lambda: (triangle, (_numbers(2000), 2000), {"wrt": "x"}),
    "waves": lambda: (waves, (_numbers(60_000), _numbers(60_000), 0.01 * _numbers(60_000), 150), {"wrt": "c"}),
    "three_arrays": _three_arrays,
}


def names() -> tuple[str, ...]:
    """All programs."""
    return (*PROGRAMS, *KERNELS)


def case(name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A function, its arguments, and the options of `daad.grad`."""
    if name in PROGRAMS:
        return PROGRAMS[name]()
    from npbench_runs.kernel import load

    kernel = load(name)
    arguments = kernel.arguments("S")
    return kernel.function, arguments, {"wrt": kernel.wrt(arguments), "of": kernel.output, "seed": 1.0}
