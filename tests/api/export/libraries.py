"""Programs that are exported, and how their libraries are compiled into others."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Exported:
    """A program with arguments, and what is asked of it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.function.__name__


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def network(p, x, rate):
    return rate * np.sum(np.tanh(p["w"] @ x + p["b"]) ** 2)


def gathered(x, where):
    return np.sum(np.sin(x[where]) * x[0])


def single(x):
    return np.sum(np.exp(-x) * np.float32(0.5))


def phases(z, w):
    return np.sum(np.abs(z * w) ** 2)


def spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2 * np.arange(5.0))


def outputs(x, y):
    return np.outer(x, y)


def choose(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0.0:
            total += x[i] ** 2
    return total


def weighted(x, n):
    return n * np.sum(x * x)


def until_small(x):
    while np.sum(x) > 1.0:
        x = 0.99 * x
    return np.sum(x * x)


def lambda_(register, double, N, n):
    return np.sum(register * double * N) + n


def ignores(x, y):
    return np.sum(x)


def root(x):
    assert x[0] > 0.0, "The first one is positive."
    return np.sqrt(x[0]) + x[1]


def stepped(x, time, dt):
    for _ in range(int(time / dt)):
        x = x + dt * np.sin(x)
    return np.sum(x)


TABLE = np.linspace(1.0, 2.0, 6)


def tabulated(x):
    return np.sum(TABLE * x**2)


X = np.linspace(0.1, 0.9, 6)
W = np.outer(X, np.arange(1.0, 5.0))
PROGRAMS = [
    Exported(heat, (np.sin(np.linspace(0.0, 3.0, 8)), np.full(8, 0.25), 3), "k"),
    Exported(network, ({"w": W, "b": X}, np.arange(4.0) / 4, 0.5), ("p", "rate")),
    Exported(gathered, (X, np.array([1, 5, 1]))),
    Exported(single, (X.astype(np.float32),)),
    Exported(phases, (X + 1j, X), ("z", "w")),
    Exported(spectrum, (np.linspace(0.0, 1.0, 8) ** 2,)),
    Exported(outputs, (X, np.ones(3)), ("x", "y"), {"seed": np.arange(18.0).reshape(6, 3)}),
    Exported(choose, (X - 0.5, 4)),
    Exported(weighted, (X, 3)),
    Exported(until_small, (X,)),
    Exported(lambda_, (X, X * 2, 3.0, 1.5), ("double", "N", "n")),
    Exported(ignores, (X, X), ("x", "y")),
    Exported(root, (X,)),
    Exported(tabulated, (X,)),
    Exported(stepped, (X, 1.0, 0.25)),
]
LARGE = Exported(lambda w, x: np.sum(np.tanh(w @ w @ x)), (np.linspace(-0.1, 0.1, 3600).reshape(60, 60), np.ones(60)))
"""With products that OpenBLAS computes."""


def leaves(value: Any) -> list[np.ndarray]:
    """The arrays of a result in order."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def run(command: Sequence[Any], folder: Path, **variables: str) -> str:
    """What a command prints; the variables of Python are not there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    found = subprocess.run([*map(str, command)], cwd=folder, env=kept | variables, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def sums(text: str) -> dict[str, float]:
    """What an example prints."""
    return {name: float(number) for name, number in (line.split() for line in text.splitlines())}


def flags(folder: Path, name: str) -> list[str]:
    """How a compiler is told of the library."""
    if shutil.which("pkg-config"):
        found = run(["pkg-config", "--cflags", "--libs", name], folder, PKG_CONFIG_PATH=str(folder / "lib/pkgconfig"))
        return [*found.split(), f"-Wl,-rpath,{folder / 'lib'}"]
    lib = folder / "lib"
    return [f"-I{folder / 'include'}", f"-L{lib}", f"-l{name}", f"-Wl,-rpath,{lib}"]
