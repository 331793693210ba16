"""Many calls and many gradients: memory does not grow."""

from __future__ import annotations

import ctypes
import gc
import re
import resource
import weakref
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import daad
from tests.hostile.fault import fault
from tests.hostile.processes import fork
from tests.hostile.subjects import X, Y, interpreted, weigh, weigh_gradient, weighed

GROUP = "Memory"
KIB = 1024


def held() -> int:
    """Bytes that the process holds for itself, in memory or swapped out; pages of files and of shared memory are none
    of them: how many of these a forked process has mapped depends on what it looked at."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return sum(int(status[name].split()[0]) * KIB for name in ("RssAnon", "VmSwap"))


def address_space() -> int:
    """Bytes that the process may address by now."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def growth(work: object, warm_up: int, count: int) -> int:
    """By how many bytes a child grows at least while it does some work so often: the least of three times, since what
    leaks leaks each time, and a heap with holes grows only now and then."""

    def repeat() -> int:
        for _ in range(warm_up):
            work()  # type: ignore[operator]
        sizes = [held()]
        for _ in range(3):
            for _ in range(count):
                work()  # type: ignore[operator]
            sizes.append(held())
        return min(after - before for before, after in pairwise(sizes))

    return int(fork(repeat).result(300.0))


@fault(GROUP, "a thousand calls in a row", "memory grows by nothing")
def test_calls(cache: Path) -> None:
    gradient = weigh_gradient()
    assert growth(lambda: gradient(X, Y), 100, 1000) < 256 * KIB


@fault(GROUP, "a thousand calls with arrays that must be copied", "memory grows by nothing")
def test_calls_with_copies(cache: Path) -> None:
    gradient, x = weigh_gradient(), np.zeros((5, 1000))
    assert growth(lambda: gradient(x[:, 7], X), 100, 1000) < 256 * KIB


@fault(GROUP, "fifty gradients of one program, created and dropped", "memory grows by nothing")
def test_gradients_from_the_cache(cache: Path) -> None:
    assert growth(lambda: daad.grad(weigh)(X, Y), 10, 50) < 512 * KIB


@pytest.mark.slow
@fault(GROUP, "fifty programs compiled and dropped", "what stays is their code: < 100 KiB each")
def test_compiled_gradients(own_cache: Path) -> None:
    sizes = iter(range(10, 1000))

    def ask() -> None:
        n = next(sizes)
        daad.grad(weigh)(np.ones(n), np.ones(n))

    assert growth(ask, 5, 50) < 50 * 100 * KIB


def large(x):
    y = np.zeros(500_000)
    y[1:] = np.sin(x[1:]) * x[:-1]
    return np.sum(y[1:] * y[:-1])


@fault(GROUP, "gradients with large scratch memory, created and dropped", "it is given back")
def test_scratch_memory_is_given_back(own_cache: Path) -> None:
    x = np.linspace(0.0, 1.0, 500_000)
    daad.grad(large)(x)
    assert growth(lambda: daad.grad(large)(x), 3, 20) < 4 * 1024 * KIB


def taped(x, n):
    """Every point depends on its neighbours, so that the tape is as long as it can be."""
    for _ in range(n):
        x[1:-1] = np.sin(x[2:]) * x[:-2]
    return np.sum(x)


@fault(GROUP, "scratch memory beyond what the process may have", "MemoryError: how much was asked for")
def test_memory_runs_out(own_cache: Path) -> None:
    def work() -> str:
        daad.grad(weigh)(X, Y)
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + 2**31,) * 2)
        with pytest.raises(MemoryError) as caught:
            daad.grad(taped, plan="store")(np.ones(1_000_000), 1_000)
        np.testing.assert_array_equal(daad.grad(weigh)(X, Y), weighed(X, Y))
        return str(caught.value)

    assert re.fullmatch(r"\d{10} bytes of scratch memory could not be allocated\.", fork(work).result())


def squares(x):
    return np.sum(x[0] * x[1])


@fault(GROUP, "a gradient that outlives its arguments", "the arguments are not kept")
def test_arguments_are_not_kept() -> None:
    gradient = interpreted(squares)
    x, y = np.ones(5), np.ones(5)
    kept = [weakref.ref(x), weakref.ref(y)]
    gradient([x, y])
    del x, y
    gc.collect()
    assert [reference() for reference in kept] == [None, None]
