"""Work that must not leave memory behind: `python -m tests.hostile.growing NAME WARM-UP COUNT` says by how many bytes
a process of its own grows at least while it does the work so often; other libraries of a process that has run tests
may grow by themselves."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path

import numpy as np

import daad
from tests.hostile.subjects import X, Y, weigh, weigh_gradient

KIB = 1024
LARGE = 500_000


def held() -> int:
    """Bytes that the process holds for itself, in memory or swapped out: pages of files and of shared memory are none
    of them."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return sum(int(status[name].split()[0]) * KIB for name in ("RssAnon", "VmSwap"))


def growth(work: Callable[[], object], warm_up: int, repeats: int) -> int:
    """Bytes by which the process grows: the least of three times, since what leaks leaks each time, and a heap with
    holes grows only now and then."""
    for _ in range(warm_up):
        work()
    sizes = [held()]
    for _ in range(3):
        for _ in range(repeats):
            work()
        sizes.append(held())
    return min(after - before for before, after in pairwise(sizes))


def calls() -> Callable[[], object]:
    gradient = weigh_gradient()
    return lambda: gradient(X, Y)


def calls_with_copies() -> Callable[[], object]:
    gradient, x = weigh_gradient(), np.zeros((5, 1000))
    return lambda: gradient(x[:, 7], X)


def gradients_from_the_cache() -> Callable[[], object]:
    return lambda: daad.grad(weigh)(X, Y)


def compiled_gradients() -> Callable[[], object]:
    sizes = count(10)

    def ask() -> None:
        n = next(sizes)
        daad.grad(weigh)(np.ones(n), np.ones(n))

    return ask


def large(x):
    y = np.zeros(LARGE)
    y[1:] = np.sin(x[1:]) * x[:-1]
    return np.sum(y[1:] * y[:-1])


def gradients_with_scratch_memory() -> Callable[[], object]:
    x = np.linspace(0.0, 1.0, LARGE)
    return lambda: daad.grad(large)(x)


if __name__ == "__main__":
    _, name, warm_up, repeats = sys.argv
    print(growth(globals()[name](), int(warm_up), int(repeats)))
