#!/usr/bin/env python3
"""What a call of a gradient takes where the compiled code has next to nothing to do: the fastest of many."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402

CALLS = 20  # in one run


def square(x: Any) -> Any:
    return np.sum(x * x)


def stepped(steps: int, scale: float, x: Any) -> Any:
    for _ in range(steps):
        x = x * scale
    return np.sum(x)


def weighted(x: Any, y: Any, z: Any) -> Any:
    return np.sum(x * y + z)


def line() -> np.ndarray:
    return np.linspace(0.0, 1.0, 4)


PROGRAMS: dict[str, tuple[Callable[..., Any], Any, tuple[Any, ...]]] = {
    "one array": (square, "x", (line(),)),
    "an array, an int and a float": (stepped, "x", (2, 0.5, line())),
    "three arrays, three gradients": (weighted, ["x", "y", "z"], (line(), line(), line())),
}


def fastest(run: Callable[[], Any], runs: int) -> float:
    """Microseconds of one call."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        for _ in range(CALLS):
            run()
        seconds.append(time.perf_counter() - start)
    return 1e6 * min(seconds) / CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000)
    runs = parser.parse_args().runs
    print("| arguments | microseconds |\n|---|--:|")
    for name, (function, wrt, arguments) in PROGRAMS.items():
        gradient = daad.grad(function, wrt=wrt)
        for _ in range(3):
            gradient(*arguments)
        print(f"| {name} | {fastest(partial(gradient, *arguments), runs):.1f} |")


if __name__ == "__main__":
    main()
