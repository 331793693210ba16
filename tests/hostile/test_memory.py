"""Many calls and many gradients: memory does not grow."""

from __future__ import annotations

import gc
import re
import resource
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import daad
from tests.hostile import growing
from tests.hostile.fault import fault
from tests.hostile.growing import KIB
from tests.hostile.processes import fork, run
from tests.hostile.subjects import X, Y, interpreted, weigh, weighed

GROUP = "Memory"


def address_space() -> int:
    """Bytes that the process may address by now."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def growth(work: Callable[[], object], warm_up: int, count: int) -> int:
    """By how many bytes a new process grows while it does this work of `growing` again and again."""
    done = run([sys.executable, "-m", "tests.hostile.growing", work.__name__, str(warm_up), str(count)], limit=300.0)
    assert not done.returncode, done.stderr
    return int(done.stdout)


@fault(GROUP, "a thousand calls in a row", "memory grows by nothing")
def test_calls(cache: Path) -> None:
    assert growth(growing.calls, 100, 1000) < 256 * KIB


@fault(GROUP, "a thousand calls with arrays that must be copied", "memory grows by nothing")
def test_calls_with_copies(cache: Path) -> None:
    assert growth(growing.calls_with_copies, 100, 1000) < 256 * KIB


@fault(GROUP, "gradients of one program, created and dropped", "memory grows by nothing")
def test_gradients_from_the_cache(cache: Path) -> None:
    assert growth(growing.gradients_from_the_cache, 10, 50) < 512 * KIB


@pytest.mark.slow
@fault(GROUP, "programs compiled and dropped", "what stays is their code: < 100 KiB each")
def test_compiled_gradients(own_cache: Path) -> None:
    assert growth(growing.compiled_gradients, 5, 20) < 20 * 100 * KIB


@fault(GROUP, "gradients with large scratch memory, created and dropped", "it is given back")
def test_scratch_memory_is_given_back(own_cache: Path) -> None:
    assert growth(growing.gradients_with_scratch_memory, 3, 20) < 4 * 1024 * KIB


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
